/** Code as a link carries it: deflated, in the letters that an address may have. */
import { deflateSync, Inflate } from 'fflate';

/** Most bytes of a code: what the engine takes, and no bomb. */
const MOST_BYTES = 100_000;

export function packedCode(code: string): string {
  const bytes = deflateSync(new TextEncoder().encode(code), { level: 9 });
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The code; undefined where the text is none, or would be too long. */
export function unpackedCode(text: string): string | undefined {
  const parts: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((part) => {
    length += part.length;
    if (length > MOST_BYTES) throw new RangeError('too long');
    parts.push(part);
  });
  try {
    const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    inflate.push(
      Uint8Array.from(letters, (letter) => letter.charCodeAt(0)),
      true,
    );
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
