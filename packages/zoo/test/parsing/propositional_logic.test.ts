import { describe, expect, it } from 'vitest';
import { formulaParts, formulaText, readFormula, TAUTOLOGY, truthTable } from '../../parsing/propositional_logic.ts';

const read = (text: string) => {
  const reading = readFormula(text);
  if (!reading.ok) throw new RangeError(`${text}: ${reading.reason}`);
  return reading.formula;
};

describe('a formula', () => {
  it.each([
    ['P', 'P'],
    [' ( P ) ', 'P'],
    ['¬P ∧ Q', '!P&Q'],
    ['!!P', '!!P'],
    ['P∨Q∧R', 'Pv(Q&R)'],
    ['P → Q → R', 'P->(Q->R)'],
    ['P & Q & R', '(P&Q)&R'],
    ['P | Q -> R <-> S', '((PvQ)->R)<->S'],
    ['~(PvQ)', '!(PvQ)'],
  ])('%j is read as %s', (text, expected) => {
    expect(formulaText(read(text))).toBe(expected);
  });

  it.each(
    /* biome-ignore format: a list */ [
      '', ' ', 'p', 'PQ', 'P Q', 'P &', '& P', '(P', 'P)', '()', '¬', 'P && Q', 'P || Q', 'P - > Q', 'P < -> Q',
      'P => Q', 'P, Q', 'P\nQ', 'not P', 'P and Q', 'Р', 'P\u00a0& Q', '__proto__', '('.repeat(4096),
      `${'('.repeat(128)}P${')'.repeat(128)}`,
    ],
  )('%j is none', (text) => {
    expect(readFormula(text).ok).toBe(false);
  });

  it('is as deep as its length allows', () => {
    expect(readFormula(`${'!'.repeat(255)}P`).ok).toBe(true);
    expect(readFormula(`${'('.repeat(127)}P${')'.repeat(127)}`).ok).toBe(true);
    expect(readFormula(`P${'->P'.repeat(85)}`).ok).toBe(true);
  });
});

it('a truth table has a bit for each world', () => {
  const rows = (text: string): string => (truthTable(read(text), ['P', 'Q']) & 15n).toString(2).padStart(4, '0');
  // Worlds from right to left: neither, P alone, Q alone, both.
  expect(rows('P')).toBe('1010');
  expect(rows('P&Q')).toBe('1000');
  expect(rows('PvQ')).toBe('1110');
  expect(rows('P->Q')).toBe('1101');
  expect(rows('P<->Q')).toBe('1001');
  expect(rows('!P')).toBe('0101');
  expect(truthTable(read('(P->Q)v(Q->P)'), ['P', 'Q'])).toBe(TAUTOLOGY);
  expect(() => truthTable(read('R'), ['P', 'Q'])).toThrow('R is none of P, Q');
});

it('the parts of a formula are its variables and the signs that join two', () => {
  const { variables, connectives } = formulaParts(read('!(P->Q)&!P'));
  expect([[...variables], connectives]).toEqual([['P', 'Q'], 2]);
});
