/** What an answer that searches does, in numbers: `AnswerSearch`, counted. */
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import type { AnswerSearch, SearchTry } from './read_tries.ts';

/** Each behaviour in words, by its name in metrics. */
export const BEHAVIOURS = {
  tries: 'tries that it closes without a hit',
  repeats: 'tries of a step that it tried before in the same place',
  passed_over: 'tries that it closes though a hit is in reach and nothing in them has closed it',
  untried: 'share that ends without a hit and never tries a first step of a solution',
  wrong_marks: 'marks of a hit where there is none, or of none where it is listed',
  wrong_results: 'results that are wrong, the steps themselves included',
  gave_up: 'share that ends by itself without a hit',
  cut: 'share that a limit cuts before a hit',
  first: 'share whose first step is one of a solution',
  first_chance: 'share of all first steps that are, so what `first` is by chance',
  first_nearest: 'what `first` is by the step whose result is nearest to the goal',
} as const;

export type Behaviour = keyof typeof BEHAVIOURS;

/** The behaviours of one answer: counts, or 0 and 1; undefined where a problem has no first step to choose. */
export function behavioursOf(
  { tries, first }: AnswerSearch,
  { status }: Pick<Verdict, 'status'>,
): Readonly<Record<Behaviour, number | undefined>> {
  const count = (is: (one: SearchTry, i: number) => boolean): number => tries.filter(is).length;
  const isEnd = !tries.some(({ mark }) => mark === 'hit');
  const isCut = status === 'truncated';
  return {
    tries: count(isClosed),
    repeats: count(({ key }, i) => tries.findIndex((other) => other.key === key) < i),
    passed_over: count((one, i) => isPassedOver(one) && !within(tries, i).some(isPassedOver)),
    untried: Number(isEnd && !isCut && !tries.some(({ depth, inReach }) => depth === 0 && inReach)),
    wrong_marks: count(({ mark, showsHit }) => (mark === 'hit' ? !showsHit : mark === 'closed' && showsHit)),
    wrong_results: tries.reduce((sum, { wrongResults }) => sum + wrongResults, 0),
    gave_up: Number(isEnd && !isCut),
    cut: Number(isEnd && isCut),
    first: first && Number(tries[0]?.inReach ?? false),
    first_chance: first?.chance,
    first_nearest: first?.nearest,
  };
}

function isClosed({ mark }: SearchTry): boolean {
  return mark === 'closed';
}

function isPassedOver(one: SearchTry): boolean {
  return isClosed(one) && one.inReach;
}

/** The tries that lie in a try. */
function within(tries: readonly SearchTry[], i: number): readonly SearchTry[] {
  const next = tries.findIndex(({ depth }, j) => j > i && depth <= tries[i].depth);
  return tries.slice(i + 1, next < 0 ? undefined : next);
}
