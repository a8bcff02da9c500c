/**
 * Selects frozen tensors by words: each is a run of whole parts of a tensor's checkpoint name, and one part may be a
 * range of layers.
 *
 * `embed_tokens`, `layers.0-3`, `mlp` (of every layer), `layers.2.self_attn`, `norm` (the last one).
 */

/** Whether one of the words matches a tensor's name. */
export function isNamedBy(words: readonly string[], name: string): boolean {
  const parts = name.split('.');
  return words.some((word) => {
    const wordParts = word.split('.');
    return parts.some((_, at) => wordParts.every((each, i) => isPart(each, parts[at + i])));
  });
}

function isPart(pattern: string, part: string | undefined): boolean {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(pattern) ?? [];
  if (first === undefined || last === undefined) return part === pattern;
  return part !== undefined && /^\d+$/.test(part) && Number(part) >= Number(first) && Number(part) <= Number(last);
}
