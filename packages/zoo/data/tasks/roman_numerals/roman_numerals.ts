/**
 * A number in Roman numerals (`roman`), or read from them (`arabic`).
 *
 *   split       by hash of the number: both ways to ask it are on one side
 */
import { judgeNumber, judgeText, lineTask, numberMisses, textMisses } from '../../kit.ts';
import { type RomanNumeralsKnobs, romanNumeralsCard } from './card.ts';

export type RomanNumeralsItem = { readonly verb: 'roman' | 'arabic'; readonly number: number };

const NUMERALS: readonly (readonly [value: number, text: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** Characters of the longest numeral, MMMDCCCLXXXVIII. */
const LONGEST = 15;

function romanOf(number: number): string {
  let rest = number;
  let text = '';
  for (const [value, numeral] of NUMERALS) {
    for (; rest >= value; rest -= value) text += numeral;
  }
  return text;
}

export const romanNumerals = lineTask<RomanNumeralsItem, RomanNumeralsKnobs>(romanNumeralsCard, {
  characters: 'romanic 0123456789MDCLXVIb>',
  generate: (rng, { max }) => ({ verb: rng.pick(['roman', 'arabic'] as const), number: rng.int(1, max) }),
  key: ({ verb, number }) => `roman|${verb}|${number}`,
  splitKey: ({ number }) => `roman|${number}`,
  prompt: ({ verb, number }) => `${verb} ${verb === 'roman' ? number : romanOf(number)}>`,
  question: ({ verb, number }) =>
    verb === 'roman' ? `Write ${number} in Roman numerals.` : `Which number is ${romanOf(number)} in Roman numerals?`,
  separator: '',
  oracle: ({ verb, number }) => (verb === 'roman' ? romanOf(number) : String(number)),
  verify: ({ verb, number }, answer) =>
    verb === 'roman' ? judgeText(answer, romanOf(number)) : judgeNumber(answer, number),
  mutants: ({ verb, number }, _knobs, rng) => {
    if (verb === 'arabic') return { ...numberMisses(number), 'left as given': romanOf(number) };
    const text = romanOf(number);
    const inSmall = text.toLowerCase();
    return {
      ...textMisses(text, 'IVXLCDM', rng),
      'small letters': inSmall,
      'left as given': String(number),
      'ones alone': number === 1 ? 'II' : number < 4 ? 'IV' : 'I'.repeat(Math.min(number, 20)),
    };
  },
  chance: ({ max }) => 4 / max,
  longest: () => ({ prompt: LONGEST + 8, answer: LONGEST }),
});
