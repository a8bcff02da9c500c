/** Expressions in x against sympy: whether two are the same function. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readAlgebra } from '../../parsing/algebra.ts';
import { isSame } from '../../parsing/identity.ts';

const lines = readFileSync(new URL('../../../../test/golden/algebra/pairs.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

function meant(text: string) {
  const reading = readAlgebra(text);
  if (!reading.ok) throw new Error(`${text}: ${reading.reason}`);
  return { expression: reading.expression, as: 'value' as const };
}

it('2,000 pairs are the same function exactly where sympy says so', () => {
  const pairs = lines.map((line) => line.split(' ') as [string, string, string]);
  expect(pairs).toHaveLength(2000);
  const same = pairs.filter(([, , label]) => label === '1').length;
  expect(same).toBeGreaterThan(700);
  expect(same).toBeLessThan(1300);
  const wrong = pairs.filter(([one, two, label]) => isSame(meant(one), meant(two)) !== (label === '1'));
  expect(wrong).toEqual([]);
});
