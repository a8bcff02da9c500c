/** What a misspelled name was probably meant to be. */
import { closest, distance } from 'fastest-levenshtein';

/** The known name with the fewest edits from `name`, however many; undefined where nothing is known. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  return known.length === 0 ? undefined : closest(name, [...known]);
}

/** `; did you mean "x"?` for error messages, or nothing where there is no name to choose from. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = closestName(name, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** The known key with the fewest edits from `name`, or undefined where a third of it would have to change. */
export function nearestKey(name: string, known: Iterable<string>): string | undefined {
  const spelled = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  let nearest: string | undefined;
  let fewest = Math.max(2, Math.floor(spelled.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - spelled.length) >= fewest) continue; // as many edits at least
    const edits = distance(spelled, candidate);
    if (edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}
