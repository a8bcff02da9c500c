/** The rows of published systems: a fault is named by file, line, row and field. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readPapers } from '../../../../tools/build_papers.mjs';

const CATALOGUE = fileURLToPath(new URL('../../catalogue/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'papers-'));
beforeEach(() => cpSync(join(CATALOGUE, 'papers'), folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

it('lines of a config that several rows share are written once and read by each', () => {
  const rows = 'task: parity\n';
  writeFileSync(
    join(folder, 'credit.yaml'),
    `- {name: A, does: One., uses: a, keys: &both "${rows.replace('\n', '\\n')}"}\n- {name: B, does: Two., uses: b, keys: *both}\n`,
  );
  const [{ systems }] = readPapers(folder).SUBJECTS;
  expect(systems.map(({ name, keys }) => [name, keys])).toEqual([
    ['A', ['task: parity']],
    ['B', ['task: parity']],
  ]);
});

describe('a row with', () => {
  const GOOD = { name: 'RiskPO', arxiv: '"2510.00911"', does: 'Pays.', uses: 'riskpo bundle' };
  const faultOf = (row: Readonly<Record<string, string>>): string => {
    const lines = Object.entries(row).map(([key, value]) => `  ${key}: ${value}`);
    writeFileSync(join(folder, 'credit.yaml'), `# Rows.\n-\n${lines.join('\n')}\n`);
    try {
      readPapers(folder);
    } catch (error) {
      return (error as Error).message.replace(folder, '');
    }
    return '';
  };

  it('nothing wrong is read', () => expect(faultOf(GOOD)).toBe(''));

  it.each([
    [
      'a number without quotes',
      { arxiv: '2510.0091' },
      ':4 (RiskPO, arxiv): expected the number in quotes; it is 2510.0091',
    ],
    [
      'a short number',
      { arxiv: '"2510.91"' },
      ':4 (RiskPO, arxiv): expected four digits, a dot and five digits; it is "2510.91"',
    ],
    [
      'half a sentence',
      { does: 'Pays' },
      ':5 (RiskPO, does): expected a sentence, which ends in a full stop; it is "Pays"',
    ],
    [
      'a comma in its uses',
      { uses: 'a,  b' },
      ':6 (RiskPO, uses): expected names, separated by one space each; it is "a,  b"',
    ],
    [
      'no text in its place',
      { does: '' },
      ':5 (RiskPO, does): Invalid input: expected string, received null; it is null',
    ],
    ['an unknown field', { need: 'x' }, ':3 (RiskPO): Unrecognized key: "need"; it is {'],
    [
      'keys as a list',
      { keys: '[a, b]' },
      ':7 (RiskPO, keys): expected lines of a config, as a block of text: `keys: |`; it is ["a","b"]',
    ],
    ['both uses and why', { why: 'no' }, ':6 (RiskPO, uses): expected what it is made of; or in its place `why`'],
  ])('%s is refused', (_, change, message) => {
    expect(faultOf({ ...GOOD, ...change })).toContain(`/credit.yaml${message}`);
  });
});

it('a file that no table names is refused, so that no row is lost', () => {
  writeFileSync(join(folder, 'credits.yaml'), '- {name: A, does: One., uses: a}\n');
  expect(() => readPapers(folder)).toThrow(/credits\.yaml: tables\.yaml does not name it; give it a title there$/);
});
