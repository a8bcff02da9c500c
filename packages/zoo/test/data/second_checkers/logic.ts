/** The tasks of logic and sequences, decided from their prompts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, wholeNumber } from './notation.ts';

/** All sequences of the rules by brute force: each parameter takes every value of its range. */
function* everySequence(terms: readonly number[]): Iterable<readonly number[]> {
  const length = terms.length + 1;
  const [a = 0, b = 0] = terms;
  const steps = Array.from({ length: 2 * MOST_STEP + 1 }, (_, i) => i - MOST_STEP);
  /** Goes on while it agrees with the terms. */
  const grow = (start: readonly number[], next: (now: readonly number[]) => number): readonly number[] => {
    const grown = [...start];
    while (grown.length < length) {
      grown.push(next(grown));
      const at = grown.length - 1;
      if (at < terms.length && grown[at] !== terms[at]) break;
    }
    return grown;
  };
  const at = (now: readonly number[], back: number): number => now[now.length - back] as number;
  for (const more of steps) {
    for (const by of [-3, -2, -1, 1, 2, 3]) yield grow([a], (now) => by * at(now, 1) + more);
    for (const by of [-2, -1, 1, 2, 3]) yield grow([a, b], (now) => at(now, 1) + by * (at(now, 1) - at(now, 2)) + more);
  }
  for (const one of [-2, -1, 0, 1, 2])
    for (const two of [-2, -1, 1, 2]) yield grow([a, b], (now) => one * at(now, 1) + two * at(now, 2));
  const changes = [
    ...steps.map((step) => (term: number) => term + step),
    ...[-3, -2, -1, 1, 2, 3].map((factor) => (term: number) => term * factor),
  ];
  const firsts = changes.filter((change) => change(a) === b);
  for (const first of firsts)
    for (const second of changes) yield grow([a, b], (now) => (now.length % 2 === 0 ? second : first)(at(now, 1)));
  for (const even of steps) {
    if (a + even !== terms[2]) continue;
    for (const odd of steps) yield grow([a, b], (now) => at(now, 2) + (now.length % 2 === 0 ? even : odd));
  }
}

/** Larger than any step that a task draws; those of sequences that grow fast are beyond. */
const MOST_STEP = 60;
const known = new Map<string, readonly number[]>();

/** What the rules say of the next number: one number where the problem is a problem. */
function nextOf(text: string): readonly number[] {
  const found = known.get(text);
  if (found !== undefined) return found;
  const terms = text.split(' ').map(Number);
  const nexts = new Set<number>();
  for (const sequence of everySequence(terms)) {
    if (sequence.length > terms.length && terms.every((term, i) => sequence[i] === term))
      nexts.add(sequence.at(-1) as number);
  }
  known.set(text, [...nexts]);
  return [...nexts];
}

export const LOGIC: Readonly<Record<string, SecondChecker>> = {
  bool_expression({ prompt }, answer) {
    let text = `(${asked(prompt, /^([TF!&|()]+)>$/)[0]})`;
    // From inside: a negation, then a pair, then parentheses around a value alone.
    for (let before = ''; before !== text; ) {
      before = text;
      text = text
        .replace(/!([TF])/, (_all, value: string) => (value === 'T' ? 'F' : 'T'))
        .replace(/\(([TF])&([TF])\)/, (_all, a: string, b: string) => (a + b === 'TT' ? 'T' : 'F'))
        .replace(/\(([TF])\|([TF])\)/, (_all, a: string, b: string) => (a + b === 'FF' ? 'F' : 'T'))
        .replace(/\(([TF])\)/, '$1');
    }
    const expected = text === 'T' ? ['t', 'r', 'u', 'e'] : ['f', 'a', 'l', 's', 'e'];
    const given = bare(answer);
    return (
      given.length === expected.length &&
      expected.every((letter, i) => given[i] === letter || given[i] === letter.toUpperCase())
    );
  },

  number_sequence({ prompt }, answer) {
    const [text = ''] = asked(prompt, /^seq ([0-9 -]+)>$/);
    const nexts = nextOf(text);
    return nexts.length === 1 && wholeNumber(answer) === BigInt(nexts[0] as number);
  },

  longest_run({ prompt }, answer) {
    const [bound = '', shown = ''] = asked(prompt, /^run ([0-9]) ([a-d0-9 ]+)>$/);
    const found: [length: number, text: string][] = [];
    for (const one of shown.split(' ')) {
      const name = /^[a-d]/.exec(one)?.[0];
      const digits = name === undefined ? one : one.slice(1);
      for (let from = 0; from < digits.length; from++) {
        for (let to = from; to < digits.length && (digits[to] as string) >= bound; to++) {
          found.push([to - from + 1, `${name === undefined ? '' : `${name} `}${from + 1}-${to + 1}`]);
        }
      }
    }
    found.sort(([a], [b]) => b - a);
    return bare(answer) === found[0]?.[1];
  },

  series({ prompt, knobs }, answer) {
    const digits = (asked(prompt, /^form ([0-9 ]+)>$/)[0] as string).split(' ').map(Number);
    const sums: number[] = [];
    digits.forEach((digit, i) => {
      const block = Math.floor(i / Number(knobs.window));
      sums[block] = (sums[block] ?? 0) + digit;
    });
    const moves = sums
      .slice(1)
      .map((sum, i) => (sum > (sums[i] as number) ? 'u' : sum < (sums[i] as number) ? 'd' : '='));
    const spread = Math.max(...sums) - Math.min(...sums);
    const forms: [string, RegExp][] = [
      ['up', /^[u=]+$/],
      ['down', /^[d=]+$/],
      ['peak', /^[u=]+[d=]+$/],
      ['dip', /^[d=]+[u=]+$/],
      ['zigzag', /^u?(?:du)+d?$/],
    ];
    const form = spread <= 1 ? 'flat' : forms.find(([, pattern]) => pattern.test(moves.join('')))?.[0];
    return bare(answer) === form;
  },

  statutes({ prompt }, answer) {
    const [facts = '', rules = '', wanted = ''] = asked(prompt, /^case ([a-g ]+): (.+), ([p-s])>$/);
    let holding = facts.replaceAll(' ', '');
    let [holds, decided] = ['no', '0'];
    for (const rule of rules.split(' ')) {
      const [, number = '', conditions = '', sign, conclusion = ''] = /^(\d)([a-z!]+)([-+])([p-s])$/.exec(rule) ?? [];
      const isMet = [...conditions.matchAll(/(!?)([a-z])/g)].every(
        ([, not, one = '']) => (not === '!') !== holding.includes(one),
      );
      if (!isMet) continue;
      holding = holding.replaceAll(conclusion, '') + (sign === '+' ? conclusion : '');
      if (conclusion === wanted) [holds, decided] = [sign === '+' ? 'yes' : 'no', number];
    }
    return bare(answer) === `${holds} ${decided}`;
  },

  proof({ prompt }, answer) {
    const steps = bare(answer).split(' ');
    if (prompt.startsWith('prove')) {
      const [facts = '', rules = '', goal = ''] = asked(prompt, /^prove ([a-z ]+)\|([a-z -]+)\|([a-z])>$/);
      let known = facts.replaceAll(' ', '');
      for (const step of steps) {
        const [premises = '', conclusion = ''] = step.split('-');
        if (known.includes(goal) || !rules.split(' ').includes(step) || known.includes(conclusion)) return false;
        if (![...premises].every((premise) => known.includes(premise))) return false;
        known += conclusion;
      }
      return known.includes(goal);
    }
    const known = (asked(prompt, /^refute ([A-Za-z ]+)>$/)[0] as string).split(' ');
    const sorted = (clause: string): string =>
      [...new Set(clause)].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase(), 'en')).join('') || '0';
    const swapped = (literal: string): string =>
      /[a-z]/.test(literal) ? literal.toUpperCase() : literal.toLowerCase();
    for (const step of steps) {
      if (known.includes('0') || known.includes(step)) return false;
      const follows = known.some((one) =>
        [...one].some((literal) =>
          known.some((other) => {
            if (!other.includes(swapped(literal))) return false;
            const left = one.replace(literal, '') + other.replace(swapped(literal), '');
            return ![...left].some((each) => left.includes(swapped(each))) && sorted(left) === step;
          }),
        ),
      );
      if (!follows) return false;
      known.push(step);
    }
    return known.includes('0');
  },
};
