/**
 * A whole number in hexadecimal as an answer.
 *
 *   hexadecimal = ["+" | "-"] ["0x"] digit {digit}        digits in either case; the sign precedes 0x; one enclosing
 *                                                       $…$, \(…\) or \boxed{…}
 *
 * A negative number has a sign: ffff is 65535 and never -1. `−` U+2212 is the minus sign, too.
 */
import { withoutEnclosure } from '../../../src/parsing/number.ts';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

/** Longest answer that is read, in UTF-16 units after trimming. */
const MAX_HEXADECIMAL_LENGTH = 256;

export type HexadecimalReading =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): HexadecimalReading => ({ ok: false, reason });

/** The number that a text is, and nothing else. Total and pure. */
export function readHexadecimal(answer: string): HexadecimalReading {
  const text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_HEXADECIMAL_LENGTH) return failed(`longer than ${MAX_HEXADECIMAL_LENGTH} characters`);
  const inner = withoutEnclosure(text);
  const isNegative = inner[0] === '-' || inner[0] === '\u2212';
  const bare = isNegative || inner[0] === '+' ? inner.slice(1) : inner;
  const digits = bare.startsWith('0x') ? bare.slice(2) : bare;
  if (!/^[0-9a-fA-F]+$/.test(digits)) return failed('not a number in hexadecimal');
  const value = BigInt(`0x${digits}`);
  return { ok: true, value: isNegative ? -value : value };
}
