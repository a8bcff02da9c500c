/** SHA-256 of pieces is that of the whole, as Node has it. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Sha256 } from '../pretrained/sha256.ts';

it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 100_003])('%i bytes, in pieces of any size', (length) => {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 2_654_435_761) >>> 13);
  const expected = createHash('sha256').update(bytes).digest('hex');
  for (const piece of [1, 7, 64, 100, 4096]) {
    const hash = new Sha256();
    for (let at = 0; at < length; at += piece) hash.update(bytes.subarray(at, at + piece));
    expect(hash.digest(), `pieces of ${piece}`).toBe(expected);
  }
});
