/**
 * An error of an answer by its kind and place: `A 9`, the ninth piece was replaced; `B 3`, the third and fourth were swapped;
 * `C`, it is right. Whatever mends the answer is right. `parts.critique` is the F1 of kind and place: 1, a half where one of the two
 * is right, 0 for a false alarm and for an error that is not seen.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |      completion  A 9
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import type { Derivation, Shown } from '../../derived/derived_task.ts';
import { corrupted, type Inner, type InnerProblem, isMendedAt } from '../../derived/inner.ts';
import { placeIn } from '../../derived/place.ts';

const KINDS = 3;
const CLEAN = 2;

export const critiqueTasks: Derivation = {
  question:
    'Find the error in the answer to the problem. Give the first letter and a place if the piece there was replaced, the second letter and a place if it was swapped with the next, or the third letter if there is none:',
  draw(problem, inner, rng, { clean }) {
    const labels = inner.labels(KINDS);
    if (rng.float() < Number(clean)) return { shown: problem.answer, answer: [labels[CLEAN]] };
    const kind = rng.int(0, 1);
    const spoiled = kind === 0 ? corrupted(problem, rng) : swapped(problem, rng);
    if (spoiled === undefined) return null;
    return { shown: spoiled.shown, answer: [labels[kind], ...inner.number(spoiled.place + 1)] };
  },
  judge(problem, inner, asked, [label = '', ...rest]) {
    const kind = inner.labels(KINDS).indexOf(label);
    const { length } = asked.shown;
    const place = kind === CLEAN ? 0 : placeIn(inner, rest, kind === 1 ? length - 1 : length);
    if (kind < 0 || place === undefined || (kind === CLEAN && rest.length > 0)) {
      return { is: 'unreadable', parts: { critique: 0 } };
    }
    const isRight = mends(problem, asked, kind, place - 1);
    return { is: isRight ? 'right' : 'wrong', parts: { critique: isRight ? 1 : partOf(inner, asked, label, rest) } };
  },
  guess(_problem, inner, { shown }, rng) {
    const labels = inner.labels(KINDS);
    const kind = rng.int(0, CLEAN);
    return kind === CLEAN ? [labels[CLEAN]] : [labels[kind], ...inner.number(rng.int(1, shown.length - kind))];
  },
  further: (inner) => [...inner.labels(KINDS), ...inner.numbers(inner.limits().answer)],
  longest: (answer) => ({ shown: answer, answer: 1 + String(answer).length }),
};

/** Whether undoing it makes the answer right. */
function mends(problem: InnerProblem, { shown }: Shown, kind: number, place: number): boolean {
  if (kind === CLEAN) return problem.isRight(shown);
  return kind === 1 ? problem.isRight(swap(shown, place)) : isMendedAt(problem, shown, place);
}

/** A half for the kind or the place of what was done, where there was something done and something found. */
function partOf(inner: Inner, { answer }: Shown, label: string, rest: readonly string[]): number {
  const clean = inner.labels(KINDS)[CLEAN];
  const [kind, ...place] = answer;
  if (label === clean || kind === clean) return 0;
  return label === kind || rest.join('') === place.join('') ? 0.5 : 0;
}

function swap(pieces: readonly string[], place: number): string[] {
  return [...pieces.slice(0, place), pieces[place + 1], pieces[place], ...pieces.slice(place + 2)];
}

const MOST_DRAWS = 20;

function swapped(
  { answer, isRight }: InnerProblem,
  rng: Rng,
): { readonly shown: string[]; readonly place: number } | undefined {
  for (let draw = 0; draw < MOST_DRAWS && answer.length > 1; draw++) {
    const place = rng.int(0, answer.length - 2);
    const flawed = swap(answer, place);
    if (!isRight(flawed)) return { shown: flawed, place };
  }
  return undefined;
}
