/**
 * A fraction in lowest terms.
 *
 *   split       by hash of the fraction in lowest terms: it is held out in all of its forms
 */
import Fraction from 'fraction.js';
import { canonicalNumber, readNumber } from '../../../../../src/parsing/number.ts';
import { correct, lineTask, malformed, missing, wrongValue } from '../../kit.ts';
import { type FractionSimplificationKnobs, fractionSimplificationCard } from './card.ts';

export type FractionSimplificationItem = { readonly top: number; readonly bottom: number };

const lowest = ({ top, bottom }: FractionSimplificationItem): Fraction => new Fraction(top, bottom);

export const fractionSimplification = lineTask<FractionSimplificationItem, FractionSimplificationKnobs>(
  fractionSimplificationCard,
  {
    family: 'fraction_simplification',
    characters: '0123456789/>',
    generate(rng, { max, factor }) {
      const scale = rng.int(2, factor);
      const item = { top: scale * rng.int(1, max), bottom: scale * rng.int(2, max) };
      return lowest(item).d === 1n ? null : item;
    },
    key: ({ top, bottom }) => `fraction|${top}|${bottom}`,
    splitKey: (item) => `fraction|${canonicalNumber(lowest(item))}`,
    prompt: ({ top, bottom }) => `${top}/${bottom}>`,
    question: ({ top, bottom }) => `Write ${top}/${bottom} in lowest terms.`,
    oracle: (item) => canonicalNumber(lowest(item)),
    /** As a fraction: a decimal is not asked for. */
    verify(item, answer) {
      const reading = readNumber(answer, { percent: 'reject', reduced: true });
      if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
      if (!reading.isFraction) return malformed('not a fraction');
      return reading.value.equals(lowest(item))
        ? correct('in lowest terms', canonicalNumber(reading.value))
        : wrongValue('another fraction');
    },
    mutants: (item) => {
      const { n, d } = lowest(item);
      return {
        'left as given': `${item.top}/${item.bottom}`,
        'twice as much of both': `${2n * n}/${2n * d}`,
        ...(n !== d && { 'turned around': `${d}/${n}` }),
        'one more above': `${n + 1n}/${d}`,
        'one more below': `${n}/${d + 1n}`,
        'above alone': String(n),
        'given twice': `${n}/${d} ${n}/${d}`,
        'two slashes': `${n}/${d}/1`,
        negated: `-${n}/${d}`,
      };
    },
    chance: ({ max }) => (max <= 20 ? 0.1 : 0.03),
    longest: ({ max, factor }) => {
      const digits = String(max * factor).length;
      return { prompt: 2 * digits + 2, answer: 2 * String(max).length + 1 };
    },
  },
);
