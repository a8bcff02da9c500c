/**
 * A number of one base, written in another; digits above 9 are small letters.
 *
 *   prompt      b 13 10 2>      completion  1101
 *   split       by hash of the number: it is held out in every pair of bases
 */
import { judgeText } from '../../judge.ts';
import { lineTask } from '../../line_task.ts';
import { textMisses } from '../../near_misses.ts';
import { type BaseConversionKnobs, baseConversionCard } from './card.ts';

export type BaseConversionItem = { readonly value: number; readonly from: number; readonly to: number };

const BASES: Readonly<Record<BaseConversionKnobs['bases'], readonly number[]>> = {
  two: [2, 10],
  common: [2, 8, 10, 16],
  any: Array.from({ length: 15 }, (_, i) => i + 2),
};

export const baseConversion = lineTask<BaseConversionItem, BaseConversionKnobs>(baseConversionCard, {
  family: 'base_conversion',
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
  oracle: ({ value, to }) => value.toString(to),
  verify: ({ value, to }, answer) => judgeText(answer, value.toString(to)),
  mutants: ({ value, from, to }, _knobs, rng) => {
    const right = value.toString(to);
    return {
      ...textMisses(right, '01', rng),
      'zero in front': `0${right}`,
      'base in front': `0b${right}`,
      'left as given': value.toString(from),
      'one more': (value + 1).toString(to),
    };
  },
  chance: () => 0.05,
  longest: ({ max, bases }) => ({
    prompt: max.toString(2).length + 9,
    answer: max.toString(Math.min(...BASES[bases])).length,
    question: 190 + max.toString(2).length,
  }),
});
