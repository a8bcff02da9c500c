/**
 * workgroup_sum and workgroup_max: one value of each invocation of a workgroup becomes one value that all of them have.
 *
 * A sum is a binary tree over the invocations' numbers: neighbours first, then pairs of neighbours, and so on. With
 * subgroups the lower levels are exchanges between lanes, the upper ones go through workgroup memory; without, all do.
 * The tree is the same, and so are the bits, whatever the size of a subgroup.
 *
 * Cost: one barrier and two words of workgroup memory a subgroup; without subgroups two barriers and a word an invocation.
 */

/** Invocations that reduce together: all of a workgroup. */
export type ReductionSize = 64 | 256;

/** A value folded into another, by either function. */
interface Fold {
  readonly name: 'workgroup_sum' | 'workgroup_max';
  readonly of: (a: string, b: string) => string;
}

const FOLDS: readonly Fold[] = [
  { name: 'workgroup_sum', of: (a, b) => `(${a} + ${b})` },
  { name: 'workgroup_max', of: (a, b) => `max(${a}, ${b})` },
];

/**
 * WGSL: both functions, to be called from uniform control flow with the invocation's number and its value.
 * @param lanes  neighbouring invocations, a power of two, that exchange values as lanes of one subgroup; 1: none do
 */
export function workgroupReductions(size: ReductionSize, lanes: number): string {
  return lanes > 1 ? throughLanes(size, Math.min(lanes, size)) : throughMemory(size);
}

/** Two halves take turns: a thread that still reads one result is not disturbed by the next. */
function throughLanes(size: ReductionSize, lanes: number): string {
  const parts = size / lanes;
  const readers = Math.min(lanes, parts);
  const each = parts / readers;
  const declared = /* wgsl */ `
var<workgroup> reduce_parts: array<f32, ${2 * parts}>;
var<private> reduce_turn: u32;`;
  const functions = FOLDS.map(
    (fold) => /* wgsl */ `
fn ${fold.name}(t: u32, value: f32) -> f32 {
  var part = value;
  ${exchanges(fold, 'part', lanes)}
  reduce_turn ^= ${parts}u;
  if ((t & ${lanes - 1}u) == 0u) { reduce_parts[reduce_turn + t / ${lanes}u] = part; }
  workgroupBarrier();
  let at = reduce_turn + (t & ${readers - 1}u) * ${each}u;
  var total = ${tree(fold, 'reduce_parts', 'at', each)};
  ${exchanges(fold, 'total', readers)}
  return total;
}`,
  );
  return [declared, ...functions].join('\n');
}

function throughMemory(size: ReductionSize): string {
  const side = Math.sqrt(size);
  const declared = /* wgsl */ `
var<workgroup> reduce_all: array<f32, ${size}>;
var<workgroup> reduce_parts: array<f32, ${side}>;`;
  const functions = FOLDS.map(
    (fold) => /* wgsl */ `
fn ${fold.name}(t: u32, value: f32) -> f32 {
  reduce_all[t] = value;
  workgroupBarrier();
  if (t < ${side}u) { let at = t * ${side}u; reduce_parts[t] = ${tree(fold, 'reduce_all', 'at', side)}; }
  workgroupBarrier();
  return ${tree(fold, 'reduce_parts', '0u', side)};
}`,
  );
  return [declared, ...functions].join('\n');
}

/** Folds `count` neighbouring lanes; each has the result. */
function exchanges({ of }: Fold, name: string, count: number): string {
  return masksBelow(count)
    .map((mask) => `${name} = ${of(name, `subgroupShuffleXor(${name}, ${mask}u)`)};`)
    .join(' ');
}

/** The fold of `count` elements of an array, a power of two, as one expression. */
function tree(fold: Fold, array: string, at: string, count: number, first = 0): string {
  if (count === 1) return `${array}[${at} + ${first}u]`;
  const half = count / 2;
  return fold.of(tree(fold, array, at, half, first), tree(fold, array, at, half, first + half));
}

/** 1, 2, 4, … below `count`. */
export function masksBelow(count: number): number[] {
  return Array.from({ length: Math.log2(count) }, (_, level) => 2 ** level);
}
