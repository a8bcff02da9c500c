import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { duration, percent, printable, printableLines, shellQuoted, thousands } from '../src/format.ts';

it.each([
  [0, '0s'],
  [12.4, '12s'],
  [59.6, '1m 00s'],
  [65, '1m 05s'],
  [7380, '2h 03m'],
  [Number.NaN, '?'],
  [Number.POSITIVE_INFINITY, '?'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it.each([
  [0, '0'],
  [999.6, '1,000'],
  [1234567, '1,234,567'],
  [-12345, '−12,345'],
])('%d in thousands is %s', (value, text) => {
  expect(thousands(value)).toBe(text);
});

it('a share is a percentage with one digit behind the point', () => {
  expect([0, 0.3825, 1].map(percent)).toEqual(['0.0 %', '38.3 %', '100.0 %']);
});

it('a text is printable when nothing in it moves the cursor, hides, or turns the writing', () => {
  expect(printable('a\tb\r\n\u001b[31m\u200b\u202ec\u0085')).toBe('a·b···[31m··c·');
  expect(printable('\u009b2J\u2066\u2028\ufeff\u{e0041}\u3164\u00ad\ud800|')).toBe('·2J·······|');
  expect(printable('9 + 2 = 11 , é 漢 ✓ 👍')).toBe('9 + 2 = 11 , é 漢 ✓ 👍');
  expect(printableLines('a\r\nb\rc\n\u001b[2Jd')).toBe('a\nb·c\n·[2Jd');
});

it.each(['runs/a', "it's", 'a b', '', '$HOME `x` "y"', '\u001b[2J', "\u202e'\\n\n", '\u{e0041}x'])(
  'a shell reads %j back from its quoted form, which prints',
  (word) => {
    const quoted = shellQuoted(word);
    expect(printable(quoted)).toBe(quoted);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    expect(execFileSync('bash', ['-c', `printf %s. ${quoted}`], { env, encoding: 'utf8' })).toBe(`${word}.`);
  },
);
