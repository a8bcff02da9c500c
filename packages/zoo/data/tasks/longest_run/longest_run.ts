/**
 * The longest stretch of digits that are all at a bound or above, by its places from 1, both included; of several objects, with the
 * letter of the one that has it. There is one of that length, and it is of two digits or more.
 *
 *   parts.object   1 where the letter is the right one
 *
 * @see STVG-R1, arXiv:2602.11730 (an object's name, and its interval in time), whose reward is `interval-iou`
 */
import type { Verdict } from '../../kit.ts';
import { correct, lineTask, malformed, missing, onlyMisses, trimAscii, wrongValue } from '../../kit.ts';
import { type LongestRunKnobs, longestRunCard } from './card.ts';

export type LongestRunItem = { readonly bound: number; readonly series: readonly string[] };

interface Run {
  readonly object: number;
  readonly from: number;
  readonly to: number;
}

const OBJECTS = 'abcd';
const SHORTEST = 2;

/** Every stretch that cannot be longer, the longest first. */
function runsOf({ bound, series }: LongestRunItem): Run[] {
  const runs = series.flatMap((digits, object) =>
    [...digits.replaceAll(/[0-9]/g, (digit) => (Number(digit) >= bound ? 'x' : ' ')).matchAll(/x+/g)].map(
      ({ index, 0: { length } }): Run => ({ object, from: index + 1, to: index + length }),
    ),
  );
  return runs.sort((a, b) => b.to - b.from - (a.to - a.from));
}

const textOf = ({ series }: LongestRunItem, { object, from, to }: Run): string =>
  `${series.length > 1 ? `${OBJECTS[object]} ` : ''}${from}-${to}`;

const oracleOf = (item: LongestRunItem): string => textOf(item, runsOf(item)[0]);

function judge(item: LongestRunItem, answer: string): Verdict {
  const text = trimAscii(answer);
  if (text === '') return missing('the answer is empty');
  const form = item.series.length > 1 ? /^[a-d] [1-9]-[1-9]$/ : /^[1-9]-[1-9]$/;
  if (!form.test(text)) return malformed('not an interval such as 2-5');
  const right = oracleOf(item);
  const parts = { object: Number(item.series.length === 1 || text[0] === right[0]) };
  if (text === right) return { ...correct('the longest stretch', text), parts };
  return { ...wrongValue('another stretch'), canonical: text, parts };
}

export const longestRun = lineTask<LongestRunItem, LongestRunKnobs>(longestRunCard, {
  characters: 'run 0123456789-abcd>',
  generate(rng, { length, objects }) {
    const bound = rng.int(4, 6);
    const series = Array.from({ length: objects }, () => Array.from({ length }, () => String(rng.int(0, 9))).join(''));
    const item = { bound, series };
    const [first, second] = runsOf(item);
    if (first === undefined || first.to - first.from + 1 < SHORTEST) return null;
    return second !== undefined && second.to - second.from === first.to - first.from ? null : item;
  },
  key: ({ bound, series }) => `longest_run|${bound}|${series.join(' ')}`,
  prompt: ({ bound, series }) =>
    `run ${bound} ${series.map((digits, i) => (series.length > 1 ? OBJECTS[i] : '') + digits).join(' ')}>`,
  question: ({ bound, series }) =>
    `${series.map((digits, i) => `${series.length > 1 ? `${OBJECTS[i]}: ` : ''}${digits.split('').join(' ')}`).join('; ')}. ` +
    `Find the longest stretch of digits that are all ${bound} or more. Give its first and last place, counted from 1, such as 2-5` +
    `${series.length > 1 ? ', after the letter of its series, such as b 2-5' : ''}.`,
  oracle: oracleOf,
  verify: judge,
  mutants(item) {
    const [right] = runsOf(item);
    const { from, to } = right;
    const texts: Record<string, string> = {
      'begins later': textOf(item, { ...right, from: from + 1 }),
      'ends sooner': textOf(item, { ...right, to: to - 1 }),
      'begins sooner': textOf(item, { ...right, from: from - 1 }),
      'ends later': textOf(item, { ...right, to: to + 1 }),
      'the other way round': textOf(item, { ...right, from: to, to: from }),
      'its begin': String(from),
      'given twice': `${oracleOf(item)} ${oracleOf(item)}`,
      'with the other object': textOf(item, { ...right, object: (right.object + 1) % 4 }),
      'without an object': `${from}-${to}`,
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  /** Guesses of a stretch in the middle of a short series. */
  chance: ({ objects }) => 0.25 / objects,
  longest: ({ length, objects }) => ({
    prompt: 7 + objects * (length + 2),
    answer: 5,
    question: 260 + objects * (2 * length + 5),
  }),
});
