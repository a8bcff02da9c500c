/** What each method is worth is said: by a row of a benchmark, or by a word on when it helps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readEvidence } from '../../../../tools/build_evidence.mjs';
import { rowText } from '../../catalogue/measured_row.ts';
import { evidenceOf, evidenceText } from '../../catalogue/method_evidence.ts';
import { CORE_METHODS, MEASURES, METHOD_FAMILIES } from '../../catalogue/method_families.ts';
import { catalogue } from '../../catalogue/whole_catalogue.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const { methods } = catalogue();
const evidence = readEvidence();

it.each(methods)('$name has a row, is a default, or says when it helps', (method) => {
  const { kind, rows } = evidenceOf(method);
  const { when, source } = method;
  expect(rows.length > 0 || kind === 'baseline' || when !== undefined).toBe(true);
  if (when !== undefined) expect(when).toMatch(/^[A-Z].{20,160}\.$/);
  if (kind === 'published') expect(source).toMatch(/^\d{4}\.\d{5}$/);
});

it('a row is about methods that there are, and has the figures of its benchmark', () => {
  expect([...evidence.keys()].filter((id) => !methods.some(({ name }) => name === id))).toEqual([]);
  const arena = JSON.parse(readFileSync(join(ROOT, 'bench/arena/results.json'), 'utf8'));
  const own = arena.rows.find(
    ({ block, row }: { block: string; row: string }) => `${block}/${row}` === 'on-policy/rloo',
  );
  const [value, low, high] = own.difference;
  expect(evidence.get('rloo')?.[0]).toEqual({
    in: 'bench/arena',
    row: 'countdown/on-policy/rloo',
    figure: arena.figure,
    seeds: arena.seeds,
    value,
    low,
    high,
  });
  const strategies = JSON.parse(readFileSync(join(ROOT, 'bench/results/strategies.json'), 'utf8')).rows;
  const reached = (way: string, seed: number): number => strategies[`hardly, ${way}, seed ${seed}`].sampled.mean;
  const gains = [0, 1, 2].map((seed) => reached('inject-reference', seed) - reached('plain', seed));
  const injected = evidence.get('inject-reference')?.find(({ row }) => row === 'hardly/inject-reference');
  expect(injected?.value).toBeCloseTo(
    gains.reduce((sum, gain) => sum + gain / 3, 0),
    4,
  );
  expect(injected?.seeds).toBe(3);
});

describe('in words', () => {
  const of = (name: string): string => {
    const method = methods.find((one) => one.name === name);
    if (method === undefined) throw new Error(`no ${name}`);
    return evidenceText(evidenceOf(method));
  };

  it('a method is the baseline, measured, published or ours', () => {
    expect(of('group')).toBe('the baseline that others are measured against');
    expect(of('psr')).toMatch(
      /^measured: mean@16 \+2\.9 points \(\+1\.6 to \+4\.2\) in countdown\/on-policy\/psr; \d+ further rows$/,
    );
    expect(of('weaver')).toBe('published, not measured here');
    expect(of('harmonic')).toBe('ours, not measured');
  });

  it('a difference has its sign, and its interval or its seeds', () => {
    const row = { in: 'bench/results/methods.json', row: 'one', figure: 'sampled', seeds: 1, value: -0.0214 };
    expect(rowText(row)).toBe('sampled −2.1 points (one seed) in one');
    expect(rowText({ ...row, value: -0.0003, low: -0.004, high: 0.003 })).toBe(
      'sampled 0.0 points (−0.4 to +0.3) in one',
    );
  });
});

it('the ten to begin with, the families and the figures have each method once', () => {
  const layers = [...METHOD_FAMILIES, MEASURES].flatMap(({ kinds }) => Object.values(kinds));
  const listed = [...CORE_METHODS, ...layers].flatMap((names) => names.split(' '));
  expect(listed.sort()).toEqual(methods.map(({ name }) => name).sort());
  expect([CORE_METHODS.length, METHOD_FAMILIES.length]).toEqual([10, 12]);
});
