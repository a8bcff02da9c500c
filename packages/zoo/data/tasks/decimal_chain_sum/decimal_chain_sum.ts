/** A sum and difference of decimal numbers, exactly. */
import Fraction from 'fraction.js';
import { readNumber } from '../../../../../src/parsing/number.ts';
import { judgeNumber, lineTask } from '../../kit.ts';
import { type DecimalChainSumKnobs, decimalChainSumCard } from './card.ts';

/** Numbers with their signs, as they are written: `1.25`, `+0.5`, `-3.0`. */
export type DecimalChainSumItem = { readonly terms: readonly string[] };

/** The value in units of the fourth place. */
function unitsOf({ terms }: DecimalChainSumItem): number {
  return terms.reduce((sum, term) => {
    const reading = readNumber(term, { plain: true });
    if (!reading.ok) throw new RangeError(`${term}: ${reading.reason}`);
    return sum + Number(reading.value.mul(10_000).valueOf());
  }, 0);
}

/** Without zeros at its end. */
function decimal(units: number): string {
  const digits = String(Math.abs(units)).padStart(5, '0');
  const places = digits.slice(-4).replace(/0+$/, '');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -4)}${places === '' ? '' : `.${places}`}`;
}

export const decimalChainSum = lineTask<DecimalChainSumItem, DecimalChainSumKnobs>(decimalChainSumCard, {
  characters: '0123456789.+->',
  generate(rng, { terms, digits, places }) {
    const draw = (): string => {
      const length = rng.int(1, places);
      return `${rng.int(0, 10 ** digits - 1)}.${String(rng.int(1, 10 ** length - 1)).padStart(length, '0')}`;
    };
    return { terms: Array.from({ length: terms }, (_, i) => `${i === 0 ? '' : rng.pick(['+', '-'])}${draw()}`) };
  },
  key: ({ terms: [first, ...others] }) => `decimals|${[`+${first}`, ...others].sort().join('')}`,
  prompt: ({ terms }) => `${terms.join('')}>`,
  question: ({ terms }) => `What is ${terms.join('')}, exactly?`,
  oracle: (item) => decimal(unitsOf(item)),
  verify: (item, answer) => judgeNumber(answer, new Fraction(unitsOf(item), 10_000)),
  mutants: (item) => {
    const units = unitsOf(item);
    const right = decimal(units);
    return {
      'a tenth more': decimal(units + 1000),
      'a hair more': `${right.includes('.') ? right : `${right}.`}00001`,
      ...(units !== 0 && { 'point moved': decimal(units * 10), negated: decimal(-units) }),
      'a comma for the point': right.includes('.') ? right.replace('.', ',') : `${right},5`,
      'given twice': `${right} ${right}`,
      'the sum itself': item.terms.join(''),
    };
  },
  chance: ({ digits, places }) => (digits + places <= 2 ? 0.06 : 0.03),
  longest: ({ terms, digits, places }) => ({ prompt: terms * (digits + places + 2), answer: digits + places + 4 }),
});
