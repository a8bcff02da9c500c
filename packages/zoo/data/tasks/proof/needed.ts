/**
 * What a proof needs of all that was derived, in the order in which it was.
 *
 * @param sources  what each derived thing follows from, in the order of derivation
 */
export function needed(sources: ReadonlyMap<string, readonly string[]>, goal: string): string[] {
  const wanted = new Set([goal]);
  for (const [derived, from] of [...sources].reverse()) {
    if (wanted.has(derived)) for (const source of from) wanted.add(source);
  }
  return [...sources.keys()].filter((derived) => wanted.has(derived));
}
