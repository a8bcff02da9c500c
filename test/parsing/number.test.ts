/** Numbers: what is equal, to the last digit. Each case is read under its row's rules. */

import * as fc from 'fast-check';
import Fraction from 'fraction.js';
import { describe, expect, it } from 'vitest';
import { canonicalNumber, isNumber, type NumberRules, readNumber, type Tolerance } from '../../src/parsing/number.ts';
import { processorMs } from '../support/processor_time.ts';

type Row = readonly [
  id: string,
  truth: string,
  rules: NumberRules & Tolerance,
  right: readonly string[],
  wrong: readonly string[],
];

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  ['N1', '42', {}, ['42', '42.0', '+42', '042', '42.', '$42$', '\\boxed{42}', '84/2', ' 42\n'], [
    '--42', '4 2', '42 or 43', '41, 42', '\\boxed{41} \\boxed{42}', 'the answer is 42', 'forty-two', '0x2A',
    '\uff14\uff12', 'NaN', 'Infinity', '1/0', '1e999999999', '42%', '42,', '$42', '$$42$$', '4\u00b2', '42\u200b',
  ]],
  ['plain', '42', { plain: true }, ['42', '042', '42.0', '$42$'],
    ['84/2', '4.2e1', '4200%', '\\frac{84}{2}', '4.2\u00d710^1']],
  ['N2', '1000', {}, ['1,000', '1e3', '1E+3', '1000.0'],
    ['1,00', '10,00', '1 000', '1.000', '1005', '1_000', ',1000', '1,000,']],
  ['N3', '1500', {}, ['1.5 \\times 10^{3}', '1.5\u00d710^3', '15e2', '1.5e+3', '15000e-1'],
    ['1.5e4', '1.5*10^3', '1.5e', '1.5e1e1', '10^3']],
  ['N4', '1/2', {}, ['0.5', '2/4', '50%', '50 %', '\\frac{1}{2}', '\\dfrac12', '.5', '\\tfrac{2}{4}'],
    ['\u00bd', '1/2/1', '1/-2', '.', '/2', '1/', '\\frac{1}{0}', '\\frac1', '50%%']],
  ['N4 reduced', '1/2', { reduced: true }, ['1/2', '\\frac{1}{2}', '0.5'], ['2/4', '\\frac{2}{4}']],
  ['N5', '-1/2', {}, ['-\\frac{1}{2}', '\\frac{-1}{2}', '\u22120.5', '-1/2'], ['0.5', '1/2', '+-0.5']],
  ['N6', '1/3', {}, ['1/3'], ['0.333', '0.3333333333333333', '33%']],
  ['N6 decimals', '1/3', { decimals: 3 }, ['0.333', '1/3'], ['0.33', '0.334', '0.3330', '333e-3']],
  ['half decimals', '1/8', { decimals: 2 }, ['0.13', '0.12', '0.125'], ['0.14', '0.1']],
  ['significant', '123456', { significant: 3 }, ['123000', '1.23e5', '123456'], ['123500', '124000', '120000', '0']],
  ['significant below 1', '-0.00012345', { significant: 2 }, ['-0.00012', '-1.2e-4', '-0.00012345'],
    ['0.00012', '-0.0001', '-0.00013']],
  ['N7', '50', { percent: 'same' }, ['50%', '50 %', '50\\%'], ['50', '0.5']],
  ['percent refused', '50', { percent: 'reject' }, ['50'], ['50%', '5000%']],
  ['N8', '9007199254740993', {}, ['9007199254740993'], ['9007199254740992']],
  ['N9', '3/10', {}, ['0.3', '0.30'], ['0.30000000000000004']],
  ['N10', '0', {}, ['-0', '0.000', '0/5', '0%'], ['', ' ', '-', 'O']],
  ['N11', '5/2', {}, ['2.5'], ['2 1/2']],
  ['N11 mixed', '5/2', { mixed: true }, ['2 1/2', '2.5', '5/2'], ['2 3/2', '1 3/2', '2  1/2', '-2 1/2']],
  ['N12', '1500', { units: { m: 1, km: 1000, mm: 0.001 } }, ['1500 m', '1.5 km', '1500m', '1500000 mm'],
    ['1500', '1500 s', '1500 M', '1.5 m', 'm', '1500 m m', '1500 toString']],
  ['N13', '5', { variable: 'x' }, ['x = 5', '5', 'x=5'], ['y = 5', 'x = 5, x = 6', 'x == 5', '= 5', 'x']],
];

describe.each(ROWS)('%s: %s', (_id, truth, rules, right, wrong) => {
  const judged = (text: string) => isNumber(readNumber(text, rules), new Fraction(truth), rules);

  it.each(right)('is %j', (text) => {
    expect(judged(text)).toBe(true);
  });

  it.each(wrong)('is not %j', (text) => {
    expect(judged(text)).toBe(false);
  });
});

it('numbers of any size are read exactly, and written in one way', () => {
  const fraction = fc.tuple(
    fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
    fc.bigInt({ min: 1n, max: 10n ** 60n }),
  );
  fc.assert(
    fc.property(fraction, fc.integer({ min: 1, max: 50 }), ([top, bottom], factor) => {
      const value = new Fraction(top, bottom);
      const reading = readNumber(`${top}/${bottom}`);
      const scaled = readNumber(`${top * BigInt(factor)}/${bottom * BigInt(factor)}`);
      expect(isNumber(reading, value)).toBe(true);
      expect(isNumber(reading, value.add(new Fraction(1n, 10n ** 61n)))).toBe(false);
      if (reading.ok && scaled.ok) expect(canonicalNumber(scaled.value)).toBe(canonicalNumber(reading.value));
      if (reading.ok) expect(isNumber(readNumber(canonicalNumber(reading.value)), value)).toBe(true);
    }),
    { numRuns: 300, seed: 1 },
  );
});

it('any text is a number or is none, in a moment', () => {
  const pieces = fc.constantFrom(
    '1',
    '0',
    '.',
    ',',
    '/',
    '-',
    '+',
    'e',
    '%',
    '$',
    '\\frac',
    '{',
    '}',
    ' ',
    '\\times',
    '10^',
    'x',
    '=',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const start = processorMs();
      expect(typeof readNumber(parts.join(''), { variable: 'x', mixed: true }).ok).toBe('boolean');
      expect(processorMs() - start).toBeLessThan(50);
    }),
    { numRuns: 500, seed: 3 },
  );
});
