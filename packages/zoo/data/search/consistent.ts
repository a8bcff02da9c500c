/** Finding what is hidden among candidates by guesses that are answered: what is left of them, and what to guess. */

/** What a guess is answered with, where something is hidden; equal texts tell nothing apart. */
export type Answer = (guess: string, hidden: string) => string;

/** A guess that was answered, as plain JSON. */
export type Told = { readonly guess: string; readonly answer: string };

/** Candidates that would have been answered the same, in their order. */
export function consistent(candidates: readonly string[], told: readonly Told[], answerOf: Answer): string[] {
  return candidates.filter((hidden) => told.every(({ guess, answer }) => answerOf(guess, hidden) === answer));
}

/** Guesses that are compared; each with all that are left. */
const MOST_COMPARED = 32;

/** The candidate, among the first that are left, whose answers tell most of them apart. */
export function bestGuess(left: readonly string[], answerOf: Answer): string {
  let [best, most] = [left[0], 0];
  for (const guess of left.slice(0, MOST_COMPARED)) {
    const parts = new Set(left.map((hidden) => answerOf(guess, hidden))).size;
    if (parts > most) [best, most] = [guess, parts];
  }
  return best;
}

/** Guesses that `bestGuess` needs at most, whichever of them is hidden. */
export function guessesNeeded(left: readonly string[], answerOf: Answer): number {
  const guess = bestGuess(left, answerOf);
  const parts = new Map<string, string[]>();
  for (const hidden of left) {
    if (hidden === guess) continue;
    const answer = answerOf(guess, hidden);
    parts.set(answer, [...(parts.get(answer) ?? []), hidden]);
  }
  return 1 + Math.max(0, ...[...parts.values()].map((part) => guessesNeeded(part, answerOf)));
}

/** How far a search is: 1 with one left of all, by how often all that are left can be halved. */
export function narrowed(left: number, all: number): number {
  const halvings = (count: number): number => {
    let times = 0;
    for (let rest = count; rest > 1; rest = Math.ceil(rest / 2)) times++;
    return times;
  };
  return all <= 1 ? 1 : 1 - halvings(left) / halvings(all);
}
