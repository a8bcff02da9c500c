/** What a server says, up to a size: one that never ends its answer would take all memory. */

/** The answer is longer than what is read of it. */
export class EndlessAnswer extends Error {
  constructor(mostBytes: number) {
    super(`its answer is longer than ${Math.round(mostBytes / 1e6)} MB`);
  }
}

/**
 * The text of a body that comes in pieces.
 *
 * @throws EndlessAnswer beyond `mostBytes`, and reads no further; what reading throws
 */
export async function boundedText(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new EndlessAnswer(mostBytes);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
