/** @param deflated  raw deflate, in base64 */
export async function inflated(deflated: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
