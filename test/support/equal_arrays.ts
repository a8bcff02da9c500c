/**
 * Typed arrays of the same bytes are equal without a look at each element, which took vitest longer than all else in some
 * tests; those that differ are compared as ever, for the message.
 */
import { expect } from 'vitest';

function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  if (a.byteLength !== b.byteLength) return undefined;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 || undefined;
}

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

expect.addEqualityTesters([sameBytes]);
