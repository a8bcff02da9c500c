/**
 * A build of the kernels, unpacked. In Node by its zlib: the streams of the web and their Response bring its whole fetch
 * along, a tenth of a second at every start.
 *
 * @param deflated  raw deflate, in base64
 */
export async function inflated(deflated: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0));
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib');
  if (zlib !== undefined) return Uint8Array.from(zlib.inflateRawSync(bytes));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
