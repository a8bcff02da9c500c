/**
 * Facts, and a question for one of them: the digit that belongs to a letter (a pair of letters where there are many
 * facts), or `none` where the letter is not among them.
 *
 * The answer is the digit as it is in the text, and no number: 09 is none of the answers.
 */
import { judgeWord } from '../../judging/judge.ts';
import { drawWord, LETTERS, lineTask, rotated } from '../../kit.ts';
import { type NeedleHaystackKnobs, needleHaystackCard } from './card.ts';

export type NeedleHaystackItem = { readonly facts: readonly string[]; readonly asked: string };

const ANSWERS = [...'0123456789', 'none'];
/** More facts than these need names of two letters. */
const MOST_OF_ONE_LETTER = 20;

function answerTo({ facts, asked }: NeedleHaystackItem): string {
  return facts.find((fact) => fact.slice(0, -1) === asked)?.slice(-1) ?? 'none';
}

export const needleHaystack = lineTask<NeedleHaystackItem, NeedleHaystackKnobs>(needleHaystackCard, {
  characters: `${LETTERS}0123456789 ?>`,
  generate(rng, { facts, absent }) {
    const count = rng.int(Math.ceil(facts / 2), facts);
    const length = facts > MOST_OF_ONE_LETTER ? 2 : 1;
    const names = new Set<string>();
    while (names.size <= count) names.add(drawWord(rng, length));
    const [other = '', ...known] = names;
    const needle = rng.int(0, 99) < absent ? other : rng.pick(known);
    return { facts: known.map((name) => `${name}${rng.int(0, 9)}`), asked: needle };
  },
  key: ({ facts, asked }) => `needle|${[...facts].sort().join(' ')}|${asked}`,
  twin: (item) => ({ ...item, facts: rotated(item.facts) }),
  prompt: ({ facts, asked }) => `${facts.join(' ')} ?${asked}>`,
  question: ({ facts, asked }) =>
    `Each name is followed by its digit: ${facts.join(' ')}. Which digit belongs to ${asked}? Answer none if it is not there.`,
  oracle: answerTo,
  verify: (item, answer) =>
    judgeWord(answer, answerTo(item), ANSWERS, {
      unread: 'not one of the answers that there are',
      right: 'the right fact',
      wrong: 'not what the facts say',
    }),
  mutants: (item) => {
    const right = answerTo(item);
    const next = right === 'none' ? '0' : String((Number(right) + 1) % 10);
    return {
      'another digit': next,
      'none or any': right === 'none' ? '5' : 'none',
      'the fact': `${item.asked}${right}`,
      'two digits': `${right}${next}`,
      'two answers': `${right} ${next}`,
      'every digit': '0123456789',
      'in capitals': `${right} NONE`,
    };
  },
  /** `none`, or one of ten digits. */
  chance: ({ absent }) => Math.max(absent / 100, (1 - absent / 100) / 10) + 0.05,
  longest: ({ facts }) => ({ prompt: facts * 4 + 5, answer: 4 }),
});
