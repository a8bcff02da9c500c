/** A place among the pieces of an answer, as it is written. */
import type { Inner } from './inner.ts';

/** From 1 to `most`, in digits without zeros in front; undefined for anything else. */
export function placeIn(inner: Inner, given: readonly string[], most: number): number | undefined {
  const text = given.join('');
  const isOne = /^[1-9][0-9]{0,5}$/.test(text) && given.join(' ') === inner.number(Number(text)).join(' ');
  return isOne && Number(text) <= most ? Number(text) : undefined;
}
