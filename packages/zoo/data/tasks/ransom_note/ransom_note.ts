/**
 * Whether the letters of a note are in a text, each as often as the note needs it.
 *
 * Half of the notes can be cut out; the others lack one letter.
 */
import { judgeTruth } from '../../judging/judge.ts';
import { drawWord, LETTERS, lineTask, truthMisses } from '../../kit.ts';
import { type RansomNoteKnobs, ransomNoteCard } from './card.ts';

export type RansomNoteItem = { readonly note: string; readonly text: string };

/** Far more than are ever needed. */
const MOST_DRAWS = 100;

function canBeCut({ note, text }: RansomNoteItem): boolean {
  const left = text.split('');
  return note.split('').every((letter) => {
    const at = left.indexOf(letter);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

export const ransomNote = lineTask<RansomNoteItem, RansomNoteKnobs>(ransomNoteCard, {
  characters: `${LETTERS} >`,
  generate(rng, { length, alphabet }) {
    const note = drawWord(rng, rng.int(3, length), alphabet).split('');
    const isRight = rng.int(0, 1) === 1;
    const kept = [...note];
    if (!isRight) kept.splice(rng.int(0, kept.length - 1), 1);
    // Drawn again where it holds the letter that was taken away: a problem that were drawn again instead would be a no.
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const spare = drawWord(rng, rng.int(1, 4), alphabet).split('');
      const item = { note: note.join(''), text: rng.shuffle([...kept, ...spare]).join('') };
      if (canBeCut(item) === isRight) return item;
    }
    return null;
  },
  key: ({ note, text }) => `note|${note}|${text}`,
  prompt: ({ note, text }) => `note ${note} from ${text}>`,
  question: ({ note, text }) =>
    `Can the letters of ${note} be cut out of ${text}, each letter used once? Answer yes or no.`,
  oracle: (item) => (canBeCut(item) ? 'yes' : 'no'),
  verify: (item, answer) => judgeTruth(answer, canBeCut(item), ['yes', 'no']),
  mutants: (item) => truthMisses(canBeCut(item)),
  chance: () => 0.5,
  longest: ({ length }) => ({ prompt: 2 * length + 16, answer: 3 }),
});
