/** What a misspelled name was probably meant to be. */
import { closest, distance } from 'fastest-levenshtein';

/** The known name with the fewest edits from `name`, however many; undefined where nothing is known. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  return known.length === 0 ? undefined : closest(name, [...known]);
}

/** `; did you mean "x"?` for error messages, or nothing where no name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestKey(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/**
 * The known name with the fewest edits from `name`, however the words of either are joined (`a_b`, `a-b`, `aB`).
 *
 * Only a near one: words that both have after the first do not bring two names closer, as `hub_strategy` is nothing
 * like `eval_strategy`, while `hidden_dim` may well be `hidden_size`.
 */
export function nearestKey(name: string, known: Iterable<string>): string | undefined {
  const spelled = inWords(name);
  let nearest: string | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = inWords(candidate);
    const most = Math.min(fewest - 1, mostEdits(spelled, other));
    if (Math.abs(other.length - spelled.length) > most) continue; // as many edits at least
    const edits = distance(spelled, other);
    if (edits <= most) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** A third of what may differ, or two where that has four letters, since letters that changed places are two edits. */
function mostEdits(a: string, b: string): number {
  const [words, others] = [a.split('_'), b.split('_')];
  const ownLetters = (unshared: readonly string[], shared: readonly string[]): number =>
    unshared.reduce((sum, word) => sum + (shared.includes(word) ? 0 : word.length), 0);
  const differing = Math.max(ownLetters(words, others), ownLetters(others, words));
  const letters = words[0] === others[0] ? a.length : differing;
  return letters < 4 ? 1 : Math.max(2, Math.floor(letters / 3));
}

function inWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
