import { expect, it } from 'vitest';
import { readHexadecimal } from '../../parsing/hexadecimal.ts';

it.each([
  ['1f', 31n],
  ['0x1F', 31n],
  ['+0x1f', 31n],
  ['-0x1f', -31n],
  ['\u22121f', -31n],
  [' 001f\n', 31n],
  ['-0', 0n],
  ['\\boxed{0x1f}', 31n],
  ['$-1f$', -31n],
  ['f'.repeat(256), 16n ** 256n - 1n],
])('%s is %s', (text, value) => {
  expect(readHexadecimal(text)).toEqual({ ok: true, value });
});

it.each(['', '0x', '-', '0x-1f', '0X1f', '--1f', '1f 20', '1g', '1f.0', '0x0x1f', '\uff11', '1_f', 'f'.repeat(257)])(
  '%s is no number in hexadecimal',
  (text) => {
    expect(readHexadecimal(text).ok).toBe(false);
  },
);
