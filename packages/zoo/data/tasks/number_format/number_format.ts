/** The largest or the smallest of a few numbers, which are near each other: 9.9 and 9.11. */
import type { Rational } from '../../../../../src/parsing/arithmetic.ts';
import { readNumber } from '../../../../../src/parsing/number.ts';
import { judgeNumber, lineTask, type Rng, rotated } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type NumberFormatKnobs, numberFormatCard } from './card.ts';

export type NumberFormatItem = { readonly asked: 'max' | 'min'; readonly numbers: readonly string[] };

function exact(text: string): Rational {
  const reading = readNumber(text, { plain: true });
  if (!reading.ok) throw new RangeError(`${text}: ${reading.reason}`);
  return reading.value;
}

/** From the smallest to the largest. */
function sorted(numbers: readonly string[]): string[] {
  return [...numbers].sort((a, b) => exact(a).compare(exact(b)));
}

const extreme = remembered(({ asked, numbers }: NumberFormatItem): string => {
  const all = sorted(numbers);
  return (asked === 'max' ? all.at(-1) : all[0]) as string; // there are two at least
});

/** A number of as many digits, or one near the first: its digits in another order, one of them changed, or one more. */
function drawNumber(rng: Rng, digits: number, decimals: number, near: string | undefined): string {
  const whole =
    near === undefined || rng.int(0, 1) === 0 ? String(rng.int(1, 10 ** rng.int(1, digits) - 1)) : changed(rng, near);
  const places = decimals === 0 ? 0 : rng.int(0, decimals);
  if (places === 0) return whole;
  return `${whole}.${Array.from({ length: places }, (_, i) => rng.int(i === places - 1 ? 1 : 0, 9)).join('')}`;
}

function changed(rng: Rng, number: string): string {
  const digits = number.replace(/\..*$/, '').split('');
  if (rng.int(0, 1) === 0) rng.shuffle(digits);
  else digits[rng.int(0, digits.length - 1)] = String(rng.int(1, 9));
  return String(Number(digits.join('')) || 1);
}

export const numberFormat = lineTask<NumberFormatItem, NumberFormatKnobs>(numberFormatCard, {
  characters: 'maxmin 0123456789.>',
  generate(rng, { candidates, digits, decimals }) {
    const numbers: string[] = [];
    for (let i = 0; i < candidates; i++) numbers.push(drawNumber(rng, digits, decimals, numbers[0]));
    const sought = rng.pick(['max', 'min'] as const);
    return new Set(numbers.map(Number)).size < candidates ? null : { asked: sought, numbers: rng.shuffle(numbers) };
  },
  key: ({ asked, numbers }) => `format|${asked}|${sorted(numbers).join(',')}`,
  twin: (item) => ({ ...item, numbers: rotated(item.numbers) }),
  prompt: ({ asked, numbers }) => `${asked} ${numbers.join(' ')}>`,
  question: ({ asked, numbers }) =>
    `Which is the ${asked === 'max' ? 'largest' : 'smallest'} of these numbers: ${numbers.join(', ')}?`,
  oracle: extreme,
  verify: (item, answer) => judgeNumber(answer, exact(extreme(item))),
  mutants: (item) => {
    const right = extreme(item);
    const others = sorted(item.numbers).filter((number) => number !== right);
    return {
      'another one': others[0] as string,
      'all of them': item.numbers.join(' '),
      'two of them': `${right} ${others[0]}`,
      'digit appended': right.includes('.') ? `${right}1` : `${right}0`,
      negated: `-${right}`,
      'letter behind it': `${right}x`,
    };
  },
  /** One of them, at random. */
  chance: ({ candidates }) => 1 / candidates,
  longest: ({ candidates, digits, decimals }) => ({
    prompt: 4 + candidates * (digits + decimals + 2),
    answer: digits + decimals + 1,
  }),
});
