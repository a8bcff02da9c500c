/**
 * Muon, kellerjordan.github.io/posts/muon. Formula and shapes: kernels.ts (muon).
 *
 * Some matrices at a time go through the iteration together, in scratch space, each with rows of its longer side: X, its next
 * value, A and b·A + c·A². A is symmetric, so that A² is A·Aᵀ. Products are tiles of 16 × 16, one element an invocation, each a
 * chain of fma over the inner size. Cost: 5·(2·m²·n + m³) multiply-adds a matrix, in 15 dispatches for all of them, and three a
 * matrix.
 */
import { BackendError } from '../../../src/errors.ts';
import type { MatrixPlace, MuonArgs } from '../../../src/kernels/kernels.ts';
import { MUON, NEWTON_SCHULZ } from '../../../src/kernels/kernels.ts';
import type { Slot } from '../../../src/kernels/memory.ts';
import { MUON_SPACE, muonFloats } from '../layout.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';

/** Rows and columns of a tile. */
const TILE = 16;

/** Where things lie in the scratch space of a matrix; it begins with X after the last iteration. */
interface Regions {
  readonly next: number;
  readonly gram: number;
  readonly factor: number;
  readonly length: number;
}

/** One optimizer step of some matrices; nothing changes where the norm is not finite. */
export function muon(recorder: Recorder, args: MuonArgs): void {
  const { muon: sides = { short: 0, long: 0 }, arenas } = recorder.context.layout;
  const [whole, square] = [sides.short * sides.long, sides.short ** 2];
  const regions = { next: whole, gram: 2 * whole, factor: 2 * whole + square, length: muonFloats(sides) };
  const together = Math.floor((arenas.get(MUON_SPACE)?.length ?? 0) / regions.length);
  if (together === 0) throw new BackendError('unplanned-use', 'muon is recorded, and the plan has no room for it.');
  for (let i = 0; i < args.matrices.length; i += together) {
    stepTogether(recorder, { ...args, matrices: args.matrices.slice(i, i + together) }, regions);
  }
}

function stepTogether(recorder: Recorder, args: MuonArgs, regions: Regions): void {
  const { parameters, gradients, firstMoment, norm, settings, matrices } = args;
  const start = NEWTON_SCHULZ.steps % 2 === 0 ? 0 : regions.next;
  const partOf = (flat: Slot, { begin, rows, columns }: MatrixPlace): Slot => ({
    ...flat,
    offset: flat.offset + begin,
    shape: [rows, columns],
  });
  /** Code for element `i` of a matrix, whose place in X is `at`. @param region  where X lies */
  const onEach = (label: string, region: number, flat: Readonly<Record<string, Slot>>, code: string): void =>
    matrices.forEach((place, index) => {
      const { rows, columns } = place;
      const offset = index * regions.length + region;
      const parts = Object.entries(flat).map(([name, slot]) => [name, write(partOf(slot, place))] as const);
      elementwise(recorder, {
        label,
        operands: {
          ...Object.fromEntries(parts),
          x: write({ arena: MUON_SPACE, dtype: 'real', offset, shape: [rows * columns] }),
          norm: read(norm),
          settings: read(settings),
        },
        rows: { begin: 0, end: rows },
        per: partOf(parameters, place),
        scalars: { rows, is_tall: rows > columns ? 1 : 0, scale: { float: 0.2 * Math.sqrt(Math.max(rows, columns)) } },
        code: /* wgsl */ `
  let norm = load_norm(0u);
  // Bits, since a compiler may assume that infinities and NaN do not occur.
  if ((bitcast<u32>(norm) & 0x7f800000u) == 0x7f800000u) { return; }
  let at = select(i, column * P.rows + r, P.is_tall == 1u);
  ${code}`,
      });
    });
  onEach(
    'muon momentum',
    start,
    { gradients, first_moment: firstMoment },
    /* wgsl */ `
  let most = load_settings(${MUON.maxGradNorm}u);
  let clip = select(1.0, min(1.0, most / (norm + 1e-6)), most > 0.0);
  let momentum = load_settings(${MUON.momentum}u);
  let news = (1.0 - momentum) * (load_gradients(i) * clip);
  let average = fma(momentum, load_first_moment(i), news);
  store_first_moment(i, average);
  store_x(at, fma(momentum, average, news));`,
  );
  orthogonalize(recorder, matrices, regions, start);
  onEach(
    'muon step',
    0,
    { parameters },
    /* wgsl */ `
  let rate = load_settings(${MUON.learningRate}u);
  let keep = 1.0 - rate * load_settings(${MUON.weightDecay}u);
  store_parameters(i, fma(load_parameters(i), keep, -(rate * P.scale * load_x(at))));`,
  );
}

/** The iteration: from X at `start` to X at the beginning of each matrix's space. */
function orthogonalize(
  recorder: Recorder,
  matrices: readonly MatrixPlace[],
  { next, gram, factor, length }: Regions,
  start: number,
): void {
  const sides = matrices.map(({ rows, columns }) => [Math.min(rows, columns), Math.max(rows, columns)] as const);
  const short = Math.max(...sides.map(([m]) => m));
  const long = Math.max(...sides.map(([, n]) => n));
  const space: Slot = { arena: MUON_SPACE, dtype: 'real', offset: 0, shape: [matrices.length * length] };
  const scalars = {
    length,
    ...Object.fromEntries(sides.flatMap(([m, n], i) => [[`m${i}`, m] as const, [`n${i}`, n]])),
  };
  const sizeOf = (side: 'm' | 'n'): string => {
    const cases = sides.map((_, i) => `${i === 0 ? 'default' : `case ${i}u`}: { return P.${side}${i}; }`);
    return `fn ${side}_of(which: u32) -> u32 { switch which { ${cases.join(' ')} } }`;
  };
  const helpers = `${sizeOf('m')}\n${sizeOf('n')}`;
  recorder.dispatch({
    label: 'muon norm',
    operands: { space: write(space) },
    scalars: { start, ...scalars },
    reductions: 256,
    code: /* wgsl */ `${helpers}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let begin = group.x * P.length + P.start;
  let end = begin + m_of(group.x) * n_of(group.x);
  var squares = 0.0;
  for (var i = begin + t; i < end; i += 256u) { let x = load_space(i); squares = fma(x, x, squares); }
  let norm = max(sqrt(workgroup_sum(t, squares)), ${NEWTON_SCHULZ.epsilon});
  for (var i = begin + t; i < end; i += 256u) { store_space(i, load_space(i) / norm); }
}`,
    workgroups: () => [matrices.length, 1],
    work: () => matrices.length * short * long,
  });
  const multiply = (label: string, form: ProductForm, places: Readonly<Record<string, number>>): void => {
    const tiles = Math.ceil(short / TILE);
    recorder.dispatch({
      label,
      operands: { space: write(space) },
      scalars: { tiles, ...scalars, ...places },
      code: `${helpers}\n${productCode(form)}`,
      workgroups: () => [Math.ceil((form.isWide ? long : short) / TILE), tiles * matrices.length],
      work: () => matrices.length * short * short * (form.isWide || form.inner === 'n' ? long : short),
    });
  };
  const { steps, a, b, c } = NEWTON_SCHULZ;
  for (let step = 0; step < steps; step++) {
    const left = steps - step; // iterations, this one included
    const [x, out] = left % 2 === 0 ? [0, next] : [next, 0];
    multiply('muon gram', { inner: 'n', isWide: false, plus: 0, times: 1 }, { left: x, right: x, old: 0, out: gram });
    const square = { left: gram, right: gram, old: gram, out: factor };
    multiply('muon factor', { inner: 'm', isWide: false, plus: b, times: c }, square);
    multiply('muon product', { inner: 'm', isWide: true, plus: a, times: 1 }, { left: factor, right: x, old: x, out });
  }
}

/** out = times·left·right + plus·old. left is [m, inner]; right is [m, inner] and transposed, or with `isWide` [m, n]. */
interface ProductForm {
  readonly inner: 'm' | 'n';
  readonly isWide: boolean;
  readonly plus: number;
  readonly times: number;
}

function productCode({ inner, isWide, plus, times }: ProductForm): string {
  return /* wgsl */ `
var<workgroup> left: array<f32, ${TILE * TILE}>;
var<workgroup> right: array<f32, ${TILE * TILE}>;
@compute @workgroup_size(${TILE}, ${TILE})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) t: vec3u) {
  let which = group.y / P.tiles;
  let first_row = (group.y % P.tiles) * ${TILE}u;
  let first_column = group.x * ${TILE}u;
  let rows = m_of(which);
  let columns = ${isWide ? 'n' : 'm'}_of(which);
  let inner = ${inner}_of(which);
  if (first_row >= rows || first_column >= columns) { return; }
  let base = which * P.length;
  let row = first_row + t.y;
  let column = first_column + t.x;
  let own = t.y * ${TILE}u + t.x;
  var sum = 0.0;
  for (var k = 0u; k < inner; k += ${TILE}u) {
    left[own] = 0.0;
    right[own] = 0.0;
    if (row < rows && k + t.x < inner) { left[own] = load_space(base + P.left + row * inner + k + t.x); }
    ${
      isWide
        ? 'if (k + t.y < inner && column < columns) { right[own] = load_space(base + P.right + (k + t.y) * columns + column); }'
        : `if (first_column + t.y < columns && k + t.x < inner) { right[own] = load_space(base + P.right + (first_column + t.y) * inner + k + t.x); }`
    }
    workgroupBarrier();
    for (var j = 0u; j < ${TILE}u; j++) {
      sum = fma(left[t.y * ${TILE}u + j], right[${isWide ? `j * ${TILE}u + t.x` : `t.x * ${TILE}u + j`}], sum);
    }
    workgroupBarrier();
  }
  if (row >= rows || column >= columns) { return; }
  let at = base + row * columns + column;
  store_space(P.out + at, ${plus === 0 ? 'sum' : `fma(${plus}, load_space(P.old + at), ${times} * sum)`});
}`;
}
