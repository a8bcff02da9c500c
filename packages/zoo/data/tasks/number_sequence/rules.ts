/**
 * The rules of sequences: how each draws one, and what each says of the next number where the numbers so far fit it.
 *
 * A rule has a few parameters. Factors are small and tried one after the other; summands follow from the first numbers.
 * So all rules that fit are found, and a sequence that two of them continue differently is no problem.
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';

interface Rule {
  /** 1: one step throughout. 2: two of them at once. 3: more. */
  readonly complexity: 1 | 2 | 3;
  /** A sequence of `length` numbers. */
  draw(rng: Rng, length: number, max: number): number[];
}

/** Factors of a step, of a step of differences, and of the two last numbers. */
const FACTORS = [-3, -2, -1, 1, 2, 3] as const;
const DIFFERENCE_FACTORS = [-2, -1, 1, 2, 3] as const;
const WEIGHTS = [-2, -1, 1, 2] as const;

/** A sequence from its first numbers and what follows from those before. */
function grown(start: readonly number[], length: number, next: (before: readonly number[]) => number): number[] {
  const terms = [...start];
  while (terms.length < length) terms.push(next(terms));
  return terms;
}

const last = (terms: readonly number[], back = 1): number => terms[terms.length - back] as number;
const step = (rng: Rng, max: number): number => rng.int(1, max) * (rng.int(0, 2) === 0 ? -1 : 1);

export const RULES: readonly Rule[] = [
  {
    complexity: 1,
    draw(rng, length, max) {
      const by = step(rng, max);
      return grown([rng.int(-max, max)], length, (terms) => last(terms) + by);
    },
  },
  {
    complexity: 1,
    draw(rng, length, max) {
      const by = rng.pick(FACTORS);
      return grown([rng.int(1, max)], length, (terms) => last(terms) * by);
    },
  },
  {
    complexity: 2,
    draw(rng, length, max) {
      const [by, more] = [rng.pick(FACTORS), step(rng, max)];
      return grown([rng.int(1, max)], length, (terms) => last(terms) * by + more);
    },
  },
  {
    complexity: 2,
    draw(rng, length, max) {
      const more = step(rng, max);
      const start = rng.int(-max, max);
      return grown([start, start + step(rng, max)], length, (terms) => 2 * last(terms) - last(terms, 2) + more);
    },
  },
  {
    complexity: 2,
    draw: (rng, length, max) =>
      grown([rng.int(1, max), rng.int(1, max)], length, (terms) => last(terms) + last(terms, 2)),
  },
  {
    complexity: 3,
    draw(rng, length, max) {
      const [one, two] = [drawChange(rng, max), drawChange(rng, max)];
      return grown([rng.int(1, max)], length, (terms) => changed(last(terms), terms.length % 2 === 1 ? one : two));
    },
  },
  {
    complexity: 3,
    draw(rng, length, max) {
      const [by, more] = [rng.pick(DIFFERENCE_FACTORS), rng.int(-max, max)];
      const start = rng.int(-max, max);
      return grown(
        [start, start + step(rng, max)],
        length,
        (terms) => last(terms) + by * (last(terms) - last(terms, 2)) + more,
      );
    },
  },
  {
    complexity: 3,
    draw(rng, length, max) {
      const [one, two] = [rng.pick(WEIGHTS), rng.pick(WEIGHTS)];
      return grown([rng.int(1, max), rng.int(1, max)], length, (terms) => one * last(terms) + two * last(terms, 2));
    },
  },
  {
    complexity: 3,
    draw(rng, length, max) {
      const steps = [step(rng, max), step(rng, max)] as const;
      return grown(
        [rng.int(-max, max), rng.int(-max, max)],
        length,
        (terms) => last(terms, 2) + (steps[terms.length % 2] as number),
      );
    },
  },
];

/** One of two changes in turn: a summand or a factor. */
type Change = { readonly add: number } | { readonly multiply: number };

const drawChange = (rng: Rng, max: number): Change =>
  rng.int(0, 1) === 0 ? { add: step(rng, max) } : { multiply: rng.pick([-2, -1, 2, 3]) };

const changed = (term: number, change: Change): number =>
  'add' in change ? term + change.add : term * change.multiply;

/** The changes that lead from one number to another: always one summand, and a factor where there is one. */
function changesBetween(from: number, to: number): Change[] {
  const changes: Change[] = [{ add: to - from }];
  for (const multiply of FACTORS) if (from * multiply === to) changes.push({ multiply });
  return changes;
}

/** What continues all of a sequence; undefined where a number of it does not follow. */
function continued(terms: readonly number[], from: number, next: (before: number[]) => number): number | undefined {
  const before = terms.slice(0, from);
  for (const term of terms.slice(from)) {
    if (next(before) !== term) return undefined;
    before.push(term);
  }
  return next(before);
}

/** The next number by each rule, of whatever parameters, that fits five numbers or more. */
export function predictions(terms: readonly number[]): Set<number> {
  const [t0 = 0, t1 = 0, t2 = 0, t3 = 0] = terms;
  const found: (number | undefined)[] = [];
  for (const by of FACTORS) {
    const more = t1 - by * t0;
    found.push(continued(terms, 1, (before) => by * last(before) + more));
  }
  for (const by of DIFFERENCE_FACTORS) {
    const more = t2 - t1 - by * (t1 - t0);
    found.push(continued(terms, 2, (before) => last(before) + by * (last(before) - last(before, 2)) + more));
  }
  for (const one of [0, ...WEIGHTS]) {
    for (const two of WEIGHTS) {
      found.push(continued(terms, 2, (before) => one * last(before) + two * last(before, 2)));
    }
  }
  for (const one of changesBetween(t0, t1)) {
    for (const two of changesBetween(t1, t2)) {
      found.push(continued(terms, 1, (before) => changed(last(before), before.length % 2 === 1 ? one : two)));
    }
  }
  const steps = [t2 - t0, t3 - t1] as const;
  found.push(continued(terms, 2, (before) => last(before, 2) + (steps[before.length % 2] as number)));
  return new Set(found.filter((term) => term !== undefined));
}
