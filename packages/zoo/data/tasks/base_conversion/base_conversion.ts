/**
 * A number of one base, written in another; digits above 9 are small letters.
 *
 *   split       by hash of the number: it is held out in every pair of bases
 *
 * The answer is read as a number, as that of other tasks is: a sign, zeros in front and a point at its end change nothing,
 * nor does what encloses it. A prefix such as 0b is no digit of the base, or another number.
 */
import { correct, judgeNumber } from '../../../../../src/data/judge.ts';
import { MAX_NUMBER_LENGTH, withoutEnclosure } from '../../../../../src/parsing/number.ts';
import { trimAscii } from '../../../../../src/parsing/trim_ascii.ts';
import { malformed, missing, wrongValue } from '../../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { lineTask } from '../../line_task.ts';
import { type NearMisses, onlyMisses, textMisses } from '../../near_misses.ts';
import { type BaseConversionKnobs, baseConversionCard } from './card.ts';

export type BaseConversionItem = { readonly value: number; readonly from: number; readonly to: number };

const BASES: Readonly<Record<BaseConversionKnobs['bases'], readonly number[]>> = {
  two: [2, 10],
  common: [2, 8, 10, 16],
  any: Array.from({ length: 15 }, (_, i) => i + 2),
};

const WHOLE = /^\+?0*([0-9a-f]+)(?:\.0*)?$/;

function judged({ value, to }: BaseConversionItem, answer: string): Verdict {
  if (to === 10) return judgeNumber(answer, value);
  const text = trimAscii(answer);
  if (text === '') return missing('the answer is empty');
  const digits = text.length > MAX_NUMBER_LENGTH ? undefined : WHOLE.exec(withoutEnclosure(text))?.[1];
  if (digits === undefined || [...digits].some((digit) => Number.parseInt(digit, 16) >= to)) {
    return malformed(`not a number in base ${to}`);
  }
  return digits === value.toString(to)
    ? correct('the right number', digits)
    : { ...wrongValue('not the right number'), canonical: digits };
}

export const baseConversion = lineTask<BaseConversionItem, BaseConversionKnobs>(baseConversionCard, {
  characters: '0123456789abcdef >',
  generate(rng, { max, bases }) {
    const from = rng.pick(BASES[bases]);
    const to = rng.pick(BASES[bases]);
    const value = rng.int(2, max);
    // Where both bases write it alike, a copy would do.
    return value.toString(from) === value.toString(to) ? null : { value, from, to };
  },
  key: ({ value, from, to }) => `base|${value}|${from}|${to}`,
  splitKey: ({ value }) => `base|${value}`,
  prompt: ({ value, from, to }) => `b ${value.toString(from)} ${from} ${to}>`,
  question: ({ value, from, to }) =>
    `The number ${value.toString(from)} is written in base ${from}. How is it written in base ${to}? Use small letters for digits above 9.`,
  separator: '',
  oracle: ({ value, to }) => value.toString(to),
  verify: judged,
  mutants: (item, _knobs, rng) => {
    const { value, from, to } = item;
    const right = value.toString(to);
    const texts: NearMisses = {
      ...textMisses(right, '01', rng),
      'base in front': `0b${right}`,
      'left as given': value.toString(from),
      'one more': (value + 1).toString(to),
    };
    return onlyMisses(texts, (text) => judged(item, text)); // 01 is 1
  },
  chance: () => 0.05,
  longest: ({ max, bases }) => ({
    prompt: max.toString(2).length + 9,
    answer: max.toString(Math.min(...BASES[bases])).length,
    question: 190 + max.toString(2).length,
  }),
});
