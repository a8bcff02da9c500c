/**
 * The form of a series of digits: up, down, peak, dip, zigzag or flat.
 *
 *   form        of the sums of each `window` digits, b_1 to b_n, where d_i = b_(i+1) − b_i:
 *               flat     max b − min b <= 1, else the first of these that is so:
 *               up       all d >= 0         down   all d <= 0
 *               peak     first >= 0, then <= 0, one after the other     dip   the other way round
 *               zigzag   d > 0 and d < 0 in turn
 *
 * @see TimeMaster: classes of time series, here as digits; its sections are the reward `sections`
 */
import { judgeWord } from '../../judging/judge.ts';
import { lineTask, type Rng } from '../../kit.ts';
import { type SeriesKnobs, seriesCard } from './card.ts';

export type SeriesItem = { readonly digits: readonly number[]; readonly form: string };

const FORMS = ['up', 'down', 'peak', 'dip', 'zigzag', 'flat'] as const;
const HIGHEST = 9;

function sumsOf(digits: readonly number[], window: number): number[] {
  return Array.from({ length: digits.length / window }, (_, block) =>
    digits.slice(block * window, (block + 1) * window).reduce((sum, digit) => sum + digit, 0),
  );
}

/** The form of sums; undefined for none. */
function formOf(sums: readonly number[]): string | undefined {
  if (Math.max(...sums) - Math.min(...sums) <= 1) return 'flat';
  const signs = sums.slice(1).map((sum, i) => Math.sign(sum - sums[i]));
  const rises = signs.filter((sign) => sign !== 0);
  const turns = rises.filter((sign, i) => i > 0 && sign !== rises[i - 1]).length;
  if (turns === 0) return rises[0] === 1 ? 'up' : 'down';
  if (turns === 1) return rises[0] === 1 ? 'peak' : 'dip';
  return turns === signs.length - 1 ? 'zigzag' : undefined;
}

/** Sums that mostly have a form. */
function drawSums(rng: Rng, form: string, blocks: number, most: number): number[] {
  const drawn = Array.from({ length: blocks }, () => rng.int(0, most)).sort((a, b) => a - b);
  const turn = rng.int(1, blocks - 2);
  if (form === 'flat') {
    const level = rng.int(0, most - 1);
    return drawn.map(() => level + rng.int(0, 1));
  }
  if (form === 'up') return drawn;
  if (form === 'down') return drawn.reverse();
  const low = drawn.slice(0, Math.floor(blocks / 2));
  const high = rng.shuffle(drawn.slice(low.length));
  if (form === 'zigzag') {
    const isLowFirst = rng.int(0, 1) === 0;
    return drawn.map((_, i) => ((i % 2 === 0) === isLowFirst ? (low.pop() ?? 0) : (high.pop() ?? most)));
  }
  const top = drawn.pop() as number;
  const sides = rng.shuffle(drawn);
  const peak = [...sides.slice(0, turn).sort((a, b) => a - b), top, ...sides.slice(turn).sort((a, b) => b - a)];
  return form === 'peak' ? peak : peak.map((sum) => most - sum);
}

/** Digits of a sum, one after the other. */
function drawDigits(rng: Rng, sum: number, window: number): number[] {
  let left = sum;
  return Array.from({ length: window }, (_, i) => {
    const others = HIGHEST * (window - i - 1);
    const digit = rng.int(Math.max(0, left - others), Math.min(HIGHEST, left));
    left -= digit;
    return digit;
  });
}

export const series = lineTask<SeriesItem, SeriesKnobs>(seriesCard, {
  characters: 'form 0123456789>updownpeakdipzigzagflat',
  generate(rng, { blocks, window }) {
    const form = rng.pick(FORMS);
    const digits = drawSums(rng, form, blocks, HIGHEST * window).flatMap((sum) => drawDigits(rng, sum, window));
    return formOf(sumsOf(digits, window)) === form ? { digits, form } : null;
  },
  key: ({ digits, form }) => `series|${digits.join('')}|${form}`,
  prompt: ({ digits }) => `form ${digits.join(' ')}>`,
  question: ({ digits }, { window }) =>
    `${window === 1 ? 'Look at these numbers' : `Add up each ${window} of these numbers, and look at the sums`}: ${digits.join(' ')}. ` +
    'Are they flat (all within 1 of each other), or else do they only go up, only go down, go up and then down (peak), go down and then up (dip), ' +
    'or up and down in turn (zigzag)? Answer up, down, peak, dip, zigzag or flat.',
  oracle: ({ form }) => form,
  verify: ({ form }, answer) =>
    judgeWord(answer, form, FORMS, { unread: 'not a form', right: 'the right form', wrong: 'another form' }),
  mutants({ form }) {
    const others = FORMS.filter((other) => other !== form);
    return {
      'another form': others[0],
      'a further form': others[4],
      'two forms': `${form} ${others[1]}`,
      'all forms': FORMS.join(' '),
      'given twice': form + form,
      'its begin': form.slice(0, -1),
      'a letter more': `${form}s`,
    };
  },
  chance: () => 0.3,
  longest: ({ blocks, window }) => ({
    prompt: 6 + 2 * blocks * window,
    answer: 6,
    question: 400 + 2 * blocks * window,
  }),
});
