import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { parseConfig } from '../support/everything.ts';

const parse = (yaml: string): RunConfig => parseConfig(yaml, { file: 'my.yaml' }).config;
const SFT = '- {stage: sft, max_steps: 3}';
const GRPO = '- {stage: grpo, max_steps: 3}';

describe("TRL's keys of a data set", () => {
  it.each<[string, object]>([
    ['dataset_name: json\ndata_files: q.jsonl', { name: 'dataset', train: ['q.jsonl'] }],
    ['data_files: [a.jsonl, b.jsonl.gz]', { name: 'dataset', train: ['a.jsonl', 'b.jsonl.gz'] }],
    ['data_files: {train: q.jsonl, test: h.jsonl}', { name: 'dataset', train: ['q.jsonl'], held_out: ['h.jsonl'] }],
    [
      'dataset_name: owner/name@v1\ndata_files: q.parquet',
      { name: 'dataset', hub: 'owner/name@v1', train: ['q.parquet'] },
    ],
  ])('%s is a task at the top level', (keys, task) => {
    const config = parse(`${keys}\nstages:\n  ${SFT}\n  ${GRPO}`);
    expect(config.tasks).toEqual([{ task, weight: 1 }]);
    // No stage has rows of its own: each learns from the task.
    expect(config.stages[0]).not.toHaveProperty('rows');
    expect(parse(resolvedYaml(config))).toEqual(config);
  });

  it('are what a supervised stage shows, beside the task of the run', () => {
    const config = parse(`task: sort_digits\nstages:\n  - {stage: sft, max_steps: 3, data_files: q.jsonl}\n  ${GRPO}`);
    expect(config.tasks).toEqual([{ task: { name: 'sort_digits' }, weight: 1 }]);
    expect(config.stages[0]).toMatchObject({ rows: { train: ['q.jsonl'] } });
    expect(parse(resolvedYaml(config))).toEqual(config);
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['dataset_name: json\nmax_steps: 3',
        'my.yaml:1  dataset_name: json — which of its files is not guessed; add data_files: questions.jsonl.'],
      ['task: sort_digits\ndata_files: q.jsonl\nmax_steps: 3',
        'my.yaml:2  data_files: q.jsonl — task is given too; keep one, or move these rows to an sft stage, which then shows them.'],
      ['data_files: {validation: q.jsonl}\nmax_steps: 3', 'my.yaml:1  data_files'],
      ['data_files: []\nmax_steps: 3',
        'my.yaml:1  data_files: [] — must be a file, a list of files, or {train: …, test: …}; for example questions.jsonl.'],
      ['dataset_name: arrow\ndata_files: q.csv\nmax_steps: 3',
        'my.yaml:1  dataset_name: arrow — must be json, csv or parquet, or owner/name@revision of the hub (a file goes into data_files); for example json.'],
      ['dataset_name: ./q.csv\nmax_steps: 3', 'my.yaml:1  dataset_name: ./q.csv — a file; write data_files: ./q.csv.'],
      ['task: sort_digits\nstages:\n  - {stage: sft, max_steps: 3, data_files: {train: a.jsonl, test: b.jsonl}}',
        'my.yaml:3  stages.0.data_files: { train: a.jsonl, test: b.jsonl } — a supervised stage holds no rows out; give the files of train alone.'],
      ['task: sort_digits\nstages:\n  - {stage: grpo, max_steps: 3, data_files: a.jsonl}',
        'my.yaml:3  stages.0.data_files: a.jsonl — belongs to the whole run; move it to the top level.'],
    ],
  )('are refused with their line: %s', (yaml, message) => {
    expect(() => parse(yaml)).toThrow(message);
  });
});
