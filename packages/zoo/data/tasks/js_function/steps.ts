/**
 * Small functions of a list of whole numbers, as chains of methods: what tasks of JavaScript are made of. Each step has its
 * text and does on this side what that text does.
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';

/** One step: what it does, and its number where it has one. */
export type Step = { readonly kind: StepKind; readonly n: number };
/** A list of numbers; at the end of a chain also a number. */
export type Value = readonly number[] | number;

interface StepRule {
  /** Smallest and largest number; none where there is no number in it. */
  readonly range?: readonly [number, number];
  /** It ends a chain: it gives a number. */
  readonly isLast?: true;
  text(n: number): string;
  apply(list: readonly number[], n: number): Value;
}

const RULES = {
  add: { range: [1, 20], text: (n) => `.map(x=>x+${n})`, apply: (list, n) => list.map((x) => x + n) },
  subtract: { range: [1, 20], text: (n) => `.map(x=>x-${n})`, apply: (list, n) => list.map((x) => x - n) },
  multiply: { range: [2, 12], text: (n) => `.map(x=>x*${n})`, apply: (list, n) => list.map((x) => x * n) },
  from: { range: [1, 20], text: (n) => `.map(x=>${n}-x)`, apply: (list, n) => list.map((x) => n - x) },
  above: { range: [2, 7], text: (n) => `.filter(x=>x>${n})`, apply: (list, n) => list.filter((x) => x > n) },
  below: { range: [3, 8], text: (n) => `.filter(x=>x<${n})`, apply: (list, n) => list.filter((x) => x < n) },
  divisible: {
    range: [2, 3],
    text: (n) => `.filter(x=>x%${n}==0)`,
    apply: (list, n) => list.filter((x) => x % n === 0),
  },
  skip: { range: [1, 3], text: (n) => `.slice(${n})`, apply: (list, n) => list.slice(n) },
  take: { range: [2, 4], text: (n) => `.slice(0,${n})`, apply: (list, n) => list.slice(0, n) },
  last: { range: [1, 3], text: (n) => `.slice(-${n})`, apply: (list, n) => list.slice(-n) },
  reverse: { text: () => '.reverse()', apply: (list) => [...list].reverse() },
  sort: { text: () => '.sort((x,y)=>x-y)', apply: (list) => [...list].sort((x, y) => x - y) },
  count: { isLast: true, text: () => '.length', apply: (list) => list.length },
  sum: { isLast: true, text: () => '.reduce((s,x)=>s+x,0)', apply: (list) => list.reduce((sum, x) => sum + x, 0) },
} satisfies Readonly<Record<string, StepRule>>;

export type StepKind = keyof typeof RULES;

const KINDS = Object.keys(RULES) as StepKind[];
/** Those that change each element by itself: what the easiest level has. */
const MAPS: readonly StepKind[] = ['add', 'subtract', 'multiply', 'from'];

const ruleOf = (kind: StepKind): StepRule => RULES[kind];

function stepsOf(kind: StepKind): Step[] {
  const [low, high] = ruleOf(kind).range ?? [0, 0];
  return Array.from({ length: high - low + 1 }, (_, i) => ({ kind, n: low + i }));
}

/** Every character of a chain and of what it is given. */
export const CHARACTERS = 'amp(x=>+-*filter<%0123456789)slcevoyngthdu,[] .:>|js';
/** Lists that tell functions apart: of each length, with each small number. */
const PROBES = [
  [],
  [4],
  [0, 9],
  [7, 3, 8],
  [12, 5, 1, 6],
  [2, 20, 11, 2, 10],
  [9, 8, 0, 3, 5, 14],
  [6, 1, 13, 4, 7, 2, 3],
];

/** The same for two chains that do the same with the probes. */
export function behaviourOf(steps: readonly Step[]): string {
  return PROBES.map((list) => JSON.stringify(valueOfChain(steps, list))).join();
}

/** Characters of the longest step. */
export const LONGEST_STEP = 22;

/** What a chain makes of a list. */
export function valueOfChain(steps: readonly Step[], list: readonly number[]): Value {
  return steps.reduce((value: Value, { kind, n }) => ruleOf(kind).apply(value as readonly number[], n), list);
}

/** The methods of a chain, to follow a list. */
export function chainText(steps: readonly Step[]): string {
  return steps.map(({ kind, n }) => ruleOf(kind).text(n)).join('');
}

/** The function that calls the methods of a chain on its list. */
export function functionText(steps: readonly Step[]): string {
  return `a=>a${chainText(steps)}`;
}

/** A chain of this many steps; only the last may give a number. @param isPlain  of one kind of step: on each element */
export function drawChain(rng: Rng, length: number, isPlain: boolean): Step[] {
  return Array.from({ length }, (_, i) => {
    const kinds = isPlain ? MAPS : KINDS.filter((kind) => i === length - 1 || !ruleOf(kind).isLast);
    return rng.pick(stepsOf(rng.pick(kinds)));
  });
}

/** Chains that differ from this one in the number or the kind of a single step. */
export function neighbours(steps: readonly Step[]): Step[][] {
  return steps.flatMap((step, i) => {
    const isLast = i === steps.length - 1;
    const others = KINDS.filter((kind) => isLast || !ruleOf(kind).isLast).flatMap(stepsOf);
    return others
      .filter(({ kind, n }) => kind !== step.kind || n !== step.n)
      .map((other) => [...steps.slice(0, i), other, ...steps.slice(i + 1)]);
  });
}

/** A list of small numbers. */
export function drawList(rng: Rng, length: number, largest: number): number[] {
  return Array.from({ length }, () => rng.int(0, largest));
}
