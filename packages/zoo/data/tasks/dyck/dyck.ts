/** The brackets that close those which are open, the last one first. */
import { judgeText, lineTask, textMisses } from '../../kit.ts';
import { type DyckKnobs, dyckCard } from './card.ts';

export type DyckItem = { readonly brackets: string };

const OPENING = '([{<';
const CLOSING = ')]}>';

/** What closes a text of brackets. */
function closingOf(brackets: string): string {
  const open: string[] = [];
  for (const bracket of brackets) {
    const kind = OPENING.indexOf(bracket);
    if (kind < 0) open.pop();
    else open.push(CLOSING[kind] as string);
  }
  return open.reverse().join('');
}

export const dyck = lineTask<DyckItem, DyckKnobs>(dyckCard, {
  characters: `close ${OPENING}${CLOSING}`,
  generate(rng, { depth, kinds, closed }) {
    const open: number[] = [];
    let left = rng.int(2, depth);
    let pairs = rng.int(0, closed);
    let toClose = 0;
    let brackets = '';
    // Brackets that stay open, and pairs between them that do not, in an order by chance.
    while (left > 0 || pairs > 0 || toClose > 0) {
      const step = rng.weighted([left, pairs, 2 * toClose]);
      if (step === 2) {
        brackets += CLOSING[open.pop() as number];
        toClose--;
        continue;
      }
      if (step === 0 && toClose > 0) continue; // what stays open cannot be inside of what closes
      const kind = rng.int(0, kinds - 1);
      brackets += OPENING[kind];
      open.push(kind);
      if (step === 0) left--;
      else {
        pairs--;
        toClose++;
      }
    }
    return { brackets };
  },
  key: ({ brackets }) => `dyck|${brackets}`,
  prompt: ({ brackets }) => `close ${brackets}>`,
  question: ({ brackets }) => `Which brackets close all that are still open in ${brackets} ? Give them without spaces.`,
  separator: '',
  oracle: ({ brackets }) => closingOf(brackets),
  verify: ({ brackets }, answer) => judgeText(answer, closingOf(brackets)),
  mutants: ({ brackets }, _knobs, rng) => ({
    ...textMisses(closingOf(brackets), CLOSING, rng),
    'left as given': brackets,
    'closed as a whole': brackets + closingOf(brackets),
    spaced: closingOf(brackets).split('').join(' '),
  }),
  /** Two brackets of two kinds, where no more than three stay open. */
  chance: ({ depth, kinds }) => Math.min(0.5, 2 / ((depth - 1) * kinds ** 2)),
  longest: ({ depth, closed }) => ({ prompt: depth + 2 * closed + 7, answer: depth }),
});
