/** What a run keeps of each held-out problem: its figures are functions of that, and a damaged file is named. */
import { expect, it } from 'vitest';
import { CheckpointError } from '../../../../src/errors.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { finish, metricsOf, YAML } from '../../../../test/run/tiny_run.ts';
import { refusalOf } from '../../../../test/support/refusals.ts';
import { readRecords } from '../../runs/read_records.ts';

const lines = async (store: Store, name: string): Promise<Record<string, unknown>[]> =>
  new TextDecoder()
    .decode(await store.read(`evaluations/${name}.jsonl`))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

it('keeps the first, the best and the last evaluation by problem, and of every one who solved what', async () => {
  const store = memoryStore();
  const yaml = YAML.replace('num_generations_eval: 1', 'num_generations_eval: 3');
  const { baseline, best, final } = await finish({ store, yaml });
  const expected = { baseline, best: best?.metrics, final };
  for (const moment of ['baseline', 'best', 'final'] as const) {
    const { head, problems } = await readRecords(store, moment, 'runs/one');
    expect(head).toMatchObject({ samples: 3, tasks: [{ task: { name: 'sort_digits', digits: 3 } }] });
    const figures = expected[moment];
    expect(problems).toHaveLength(figures?.eval_problems ?? 0);
    expect(share(problems.map(({ greedy }) => greedy.score === 1))).toBe(figures?.eval_accuracy);
    const samples = problems.flatMap((problem) => problem.samples);
    expect(share(samples.map(({ score }) => score === 1))).toBeCloseTo(figures?.['eval_mean@3'] ?? 0, 12);
    const length = samples.reduce((sum, { tokens }) => sum + tokens.length, 0) / samples.length;
    expect(length).toBeCloseTo(figures?.['eval_completions/mean_length'] ?? 0, 12);
    for (const { logprob, tokens } of samples) expect(logprob).toBeLessThan(tokens.length === 0 ? 1 : 0);
  }
  const counts = await lines(store, 'counts');
  const evaluated = (await metricsOf(store)).filter((line) => Object.hasOwn(line as object, 'evaluation'));
  expect(counts.map(({ step, evaluation }) => ({ step, evaluation }))).toEqual(
    evaluated.map((line) => {
      const { step, evaluation } = line as Record<string, unknown>;
      return { step, evaluation };
    }),
  );
  const { problems } = await readRecords(store, 'final', 'runs/one');
  expect(counts.at(-1)).toMatchObject({
    greedy: problems.map(({ greedy }) => Number(greedy.score === 1)).join(''),
    right: problems.map(({ samples }) => samples.filter(({ score }) => score === 1).length),
  });
  const followed = (await lines(store, 'answers')) as { step: number; answers: { prompt: string; text: string }[] }[];
  expect(followed.map(({ step }) => step)).toEqual(counts.map(({ step }) => step));
  const last = followed.at(-1)?.answers ?? [];
  for (const { answers } of followed) {
    expect(answers.map(({ prompt }) => prompt)).toEqual(last.map(({ prompt }) => prompt));
  }
  expect(last.length).toBeGreaterThan(12);
  const finalText = new Map(problems.map(({ prompt, greedy: { text } }) => [prompt, text]));
  expect(last.map(({ text }) => text)).toEqual(last.map(({ prompt }) => finalText.get(prompt)));
});

it('names a file that is not there, is cut off, or was written otherwise', async () => {
  const store = memoryStore();
  const missing = await refusalOf(CheckpointError, readRecords(store, 'final', 'runs/one'));
  expect(missing.message).toContain('runs/one/evaluations/final.jsonl: there is no such file');
  await finish({ store });
  const whole = new TextDecoder().decode(await store.read('evaluations/final.jsonl'));
  const written = async (text: string): Promise<string> => {
    await store.writeAtomic('evaluations/final.jsonl', new TextEncoder().encode(text));
    return (await refusalOf(CheckpointError, readRecords(store, 'final', 'runs/one'))).message;
  };
  const all = whole.trimEnd().split('\n');
  expect(await written(`${all.slice(0, -1).join('\n')}\n`)).toContain('is cut off');
  expect(await written(whole.replace('"greedy":', '"eager":'))).toContain('line 2: greedy');
  expect(await written(whole.replace('"version":1', '"version":2'))).toContain('line 1: version');
});
