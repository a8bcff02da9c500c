/**
 * Fill in the middle by choosing: a stretch of a right answer is hidden, and one of the texts that are offered makes it right.
 * As in Golden Goose.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 _ = 13 | A + 9 B * 6 C + 6 D - 6 |      completion  C
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import type { Derivation } from '../../derived/derived_task.ts';
import { alike } from '../../derived/inner.ts';

const MOST_DRAWS = 60;
/** Texts that are offered, at most: labels are letters. */
const MOST_OPTIONS = 8;

export const mcqFim: Derivation = {
  question: 'A part of an answer to the problem is hidden. Give the letter of the text that belongs there:',
  draw({ answer, alphabet, isRight }, inner, rng, { options, span }) {
    const count = Number(options);
    const length = rng.int(1, Math.min(Number(span), answer.length));
    const from = rng.int(0, answer.length - length);
    const [before, hidden, behind] = [
      answer.slice(0, from),
      answer.slice(from, from + length),
      answer.slice(from + length),
    ];
    const offered = new Map([[hidden.join(' '), hidden]]);
    for (let draw = 0; draw < MOST_DRAWS && offered.size < count; draw++) {
      const other = changed(hidden, alphabet, rng);
      if (!isRight([...before, ...other, ...behind])) offered.set(other.join(' '), other);
    }
    if (offered.size < count) return null;
    const texts = rng.shuffle([...offered.values()]);
    const labels = inner.labels(count);
    return {
      shown: [...before, inner.gap, ...behind, inner.separator, ...texts.flatMap((text, i) => [labels[i], ...text])],
      answer: [labels[texts.indexOf(hidden)]],
      kept: count,
    };
  },
  judge(_problem, inner, { answer, kept }, given) {
    if (given.length !== 1 || !inner.labels(Number(kept)).includes(given[0])) return { is: 'unreadable' };
    return { is: given[0] === answer[0] ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, { kept }, rng) => [rng.pick([...inner.labels(Number(kept))])],
  further: (inner, { options = MOST_OPTIONS }) => inner.labels(Number(options)),
  longest: (answer, { options, span }) => ({ shown: answer + 2 + Number(options) * (Number(span) + 1), answer: 1 }),
};

/** The same stretch with at least one piece of its kind replaced. */
function changed(pieces: readonly string[], alphabet: readonly string[], rng: Rng): string[] {
  const at = rng.int(0, pieces.length - 1);
  return pieces.map((piece, i) => {
    const others = alike(piece, alphabet);
    return others.length > 0 && (i === at || rng.int(0, 2) === 0) ? rng.pick(others) : piece;
  });
}
