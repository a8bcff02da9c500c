/** What README and configs promise is what was measured over the seeds, to the digit. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type SeedResults,
  spreadOf,
  statesFigures,
  updatedConfig,
  updatedReadme,
  updatedTable,
} from '../../../../bench/seed_figures.mjs';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const results = JSON.parse(read('bench/results/seeds.json')) as SeedResults;
const shipped = readdirSync(join(ROOT, 'configs'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .filter((name) => statesFigures(read(`configs/${name}.yaml`)));

describe('the figures over the seeds', () => {
  it('are those of every config that states some', () => {
    expect(Object.keys(results.configs).sort()).toEqual(shipped.sort());
  });

  it.each(shipped)('are medians and ranges of whole runs, each with its weights: %s', (name) => {
    const { runs, greedy, sampled } = results.configs[name];
    expect(greedy).toEqual(spreadOf(runs.map((run) => run.greedy)));
    expect(sampled).toEqual(spreadOf(runs.map((run) => run.sampled)));
    expect(runs.map(({ seed }) => seed)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(new Set(runs.map(({ weightsSha256 }) => weightsSha256)).size).toBe(runs.length);
    for (const { weightsSha256 } of runs) expect(weightsSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are in the README and in the table', () => {
    expect(updatedReadme(read('README.md'), results)).toBe(read('README.md'));
    expect(updatedTable(read('docs/measurements.md'), results)).toBe(read('docs/measurements.md'));
  });

  it.each(shipped)('stand in configs/%s.yaml', (name) => {
    const text = read(`configs/${name}.yaml`);
    expect(updatedConfig(text, name, results)).toBe(text);
  });

  it("end as the README's picture does, whose seed is 1", () => {
    const { greedy, sampled } = results.configs.countdown.runs.find(({ seed }) => seed === 1) ?? {
      greedy: 0,
      sampled: 0,
    };
    const [, drawn] = /<title>(.*)<\/title>/.exec(read('docs/terminal.svg')) ?? [];
    expect(drawn).toContain(`to ${(100 * greedy).toFixed(1)} %`);
    expect(drawn).toContain(`to ${(100 * sampled).toFixed(1)} %`);
  });
});

describe('updating them', () => {
  const run = (seed: number, greedy: number) => ({
    ...{ seed, greedy, sampled: greedy - 0.1, before: { greedy: 0.25, sampled: 0.125 } },
    ...{ wallSeconds: 60, weightsSha256: 'ab' },
  });
  const made = (...runs: readonly ReturnType<typeof run>[]): SeedResults => ({
    configs: {
      countdown: {
        runs,
        greedy: spreadOf(runs.map((one) => one.greedy)),
        sampled: spreadOf(runs.map((one) => one.sampled)),
      },
    },
  });
  const README =
    'It takes greedy accuracy from 1.0 to **2.0 %** and sampled accuracy from 3.0 to **4.0 %** with seed 1, here.\n';
  const TABLE = '| `configs/countdown.yaml` | a task | stages | – | – | – | 5 min |\n';

  it('writes a row of the table, the example, and the line of a config', () => {
    const three = made(run(0, 0.5), run(1, 0.75), run(2, 0.625));
    expect(updatedReadme(README, three)).toBe(
      'It takes greedy accuracy from 25.0 to **75.0 %** and sampled accuracy from 12.5 to **65.0 %** with seed 1, here.\n',
    );
    expect(updatedTable(TABLE, three)).toBe(
      '| `configs/countdown.yaml` | a task | stages | **62.5 % (50.0–75.0)** | 52.5 % (40.0–65.0) | 0–2 | 5 min |\n',
    );
    expect(updatedConfig('# About.\n# Reaches –\ntask: countdown\n', 'countdown', three)).toBe(
      '# About.\n# Reaches 62.5 % (50.0–75.0) greedy, 52.5 % (40.0–65.0) sampled on held-out problems: ' +
        'median and range of seeds 0 to 2.\ntask: countdown\n',
    );
    expect(updatedTable(TABLE, made(run(0, 0.5), run(3, 0.75)))).toContain('| 0, 3 | 5 min |');
  });

  it('refuses a text that has no place for them', () => {
    expect(() => updatedTable('# Nothing\n', made(run(0, 0.5)))).toThrow(
      'no row of seven columns for configs/countdown',
    );
    const withoutExample = README.replace('with seed 1', 'with seed 2');
    expect(() => updatedReadme(withoutExample, made(run(1, 0.5)))).toThrow('does not say from what to what');
    expect(() => updatedConfig('task: countdown\n', 'countdown', made(run(0, 0.5)))).toThrow('# Reaches');
  });
});
