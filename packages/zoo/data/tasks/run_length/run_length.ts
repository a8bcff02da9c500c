/**
 * A text as the lengths of its runs (`pack`), or read from them (`unpack`).
 *
 *   split       by hash of the text: both ways to ask it are on one side
 */
import { judgeText, LETTERS, lineTask, textMisses } from '../../kit.ts';
import { type RunLengthKnobs, runLengthCard } from './card.ts';

export type RunLengthItem = { readonly verb: 'pack' | 'unpack'; readonly text: string };

function packed(text: string): string {
  return text.replace(/(.)\1*/g, (run) => `${run.length}${run[0]}`);
}

const asked = ({ verb, text }: RunLengthItem): string => (verb === 'pack' ? text : packed(text));
const right = ({ verb, text }: RunLengthItem): string => (verb === 'pack' ? packed(text) : text);

export const runLength = lineTask<RunLengthItem, RunLengthKnobs>(runLengthCard, {
  characters: `${LETTERS}0123456789 >`,
  generate(rng, { runs, longest, alphabet }) {
    let text = '';
    for (let run = rng.int(2, runs); run > 0; run--) {
      // Another letter than the one before, or two runs would be one.
      const letters = LETTERS.slice(0, alphabet).replace(text.slice(-1), '');
      text += (letters[rng.int(0, letters.length - 1)] as string).repeat(rng.int(1, longest));
    }
    return { verb: rng.pick(['pack', 'unpack'] as const), text };
  },
  key: ({ verb, text }) => `run length|${verb}|${text}`,
  splitKey: ({ text }) => `run length|${text}`,
  prompt: (item) => `${item.verb} ${asked(item)}>`,
  question: (item) =>
    item.verb === 'pack'
      ? `Write ${item.text} by its runs: for each run of one letter its length and the letter, as 3a1b for aaab.`
      : `Which text has these runs, each given by its length and its letter, as 3a1b for aaab: ${asked(item)}?`,
  oracle: right,
  verify: (item, answer) => judgeText(answer, right(item)),
  mutants: (item, _knobs, rng) => ({
    ...textMisses(right(item), item.verb === 'pack' ? '123456789' : 'abc', rng),
    'left as given': asked(item),
    spaced: right(item).split('').join(' '),
  }),
  chance: () => 0.02,
  longest: ({ runs, longest }) => ({ prompt: 8 + runs * Math.max(2, longest), answer: runs * Math.max(2, longest) }),
});
