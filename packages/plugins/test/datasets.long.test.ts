/** Data sets that a config names: found, hashed, trained on, gone on with. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../src/run/fingerprint/run_fingerprint.node.ts';
import { session } from '../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { fewOf } from '../../../test/support/budget.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { allInOneFolder } from '../../../test/support/folders.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

const COUNT = 20_000;
const rows = Array.from({ length: COUNT }, (_, i) => ({
  question: `${i % 200} + ${Math.floor(i / 200)} =`,
  answer: (i % 200) + Math.floor(i / 200),
  kind: i % 3 === 0 ? 'ü' : 'plain',
}));

allInOneFolder(() => {
  mkdirSync('data');
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  writeFileSync('data/q.jsonl', text);
  writeFileSync('data/q.jsonl.gz', gzipSync(text));
  const columns = (['question', 'answer', 'kind'] as const).map((name) => ({
    name,
    data: rows.map((row) => row[name]),
  }));
  writeFileSync('data/q.parquet', new Uint8Array(parquetWriteBuffer({ columnData: columns, rowGroupSize: 6000 })));
  writeFileSync(
    'data/few.jsonl',
    rows
      .slice(0, 400)
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  // Paid by the columns of the row: whatever is written, some get more than others.
  writeFileSync(
    'paid.mjs',
    `export default { score: ({ completionTokens, items }) =>
      completionTokens.map((tokens, i) => (tokens[0] ?? 0) + 1000 * items[i].columns.answer) };`,
  );
});

const RUN = `
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
eval_strategy: "no"
num_generations_eval: 1
save_seconds: 3600
stages:
  - {stage: sft, max_steps: 2, learning_rate: 1.0e-2, per_device_train_batch_size: 16}
  - {stage: grpo, max_steps: 2, num_generations: 2, generation_batch_size: 8, learning_rate: 1.0e-2, reward_funcs: [./paid.mjs]}
`;

const configOf = (file: string, more = ''): string =>
  `task: {name: dataset, train: ${file}, prompt: question, verify: number${more}}${RUN}`;

const open = (yaml: string, overrides: readonly string[] = []): Promise<OpenedPlugins> =>
  openPlugins(parseConfig(yaml, { file: 'my.yaml' }, overrides), {
    file: 'my.yaml',
    directory: 'runs/one',
    announce: () => {},
  });

/** @returns SHA-256 of the weights at the end; undefined where it was stopped */
async function train(
  yaml: string,
  { store = memoryStore(), resume = false, stopAt }: { store?: Store; resume?: boolean; stopAt?: number } = {},
): Promise<string | undefined> {
  const opened = await open(yaml);
  const { config, tasks, rewards, modules } = opened;
  const run = await openRun(config, tasks, await wasmBackend({ inline: true, fma: false }), { rewards });
  try {
    const fingerprint = await fingerprintOf(run, modules);
    const shouldStop = () => run.journal.state.stageIndex * 2 + run.journal.state.step === stopAt;
    for await (const event of session({ run, store, fingerprint, resume, force: false, shouldStop })) {
      if (event.type === 'finished') return event.summary.weightsSha256;
    }
    return undefined;
  } finally {
    await run.engine.policy.close();
    await opened.close();
  }
}

describe('a run on a data set', () => {
  let whole: string | undefined;

  it('has the same weights from JSON Lines, gzip and Parquet', async () => {
    whole = await train(configOf('data/q.jsonl'));
    expect(whole).toMatch(/^[0-9a-f]{64}$/);
    expect(await train(configOf('data/q.jsonl.gz'))).toBe(whole);
    expect(await train(configOf('data/q.parquet'))).toBe(whole);
  }, 60_000);

  it.each(fewOf([3, 1], { quick: 1, all: 1 }))(
    'that ends after step %i goes on to the weights of one that did not',
    async (stopAt) => {
      const store = memoryStore();
      expect(await train(configOf('data/q.jsonl'), { store, stopAt })).toBeUndefined();
      expect(await train(configOf('data/q.jsonl'), { store, resume: true })).toBe(whole);
    },
    60_000,
  );

  it('does not go on with rows that have changed', async () => {
    const store = memoryStore();
    const yaml = configOf('data/few.jsonl');
    await train(yaml, { store, stopAt: 1 });
    appendFileSync('data/few.jsonl', `\n${JSON.stringify({ question: 'more?', answer: 1 })}`);
    await expect(train(yaml, { store, resume: true })).rejects.toThrow(
      /\.\.\/\.\.\/data\/few\.jsonl has changed \(SHA-256/,
    );
  });
});

describe('a data set that a config names', () => {
  let opened: OpenedPlugins | undefined;
  beforeEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  it('is named from the run directory, and that config opens the same rows', async () => {
    opened = await open(configOf('[data/q.jsonl]', ', held_out: data/few.jsonl'));
    const [{ task }] = opened.config.tasks;
    expect(task).toMatchObject({ train: ['../../data/q.jsonl'], held_out: '../../data/few.jsonl' });
    expect(Object.keys(opened.modules)).toEqual(expect.arrayContaining(['../../data/q.jsonl', '../../data/few.jsonl']));
    expect(opened.notes).toEqual(['data/q.jsonl: 400 rows are also in held_out and not trained on']);
    const again = parseConfig(resolvedYaml(opened.config), { file: 'runs/one/config.yaml' });
    const other = await openPlugins(again, { file: 'runs/one/config.yaml', directory: 'runs/one', announce: () => {} });
    expect(other.tasks.trainItem(1, 7).prompt).toBe(opened.tasks.trainItem(1, 7).prompt);
    expect(other.config).toEqual(opened.config);
    await other.close();
  });

  it('may be compared by a file of one’s own, which counts as code', async () => {
    writeFileSync(
      'verify.ts',
      'export function verify(answer: string, row: {kind: string}) { return answer === row.kind; }',
    );
    opened = await open(configOf('data/few.jsonl').replace('verify: number', 'verify: ./verify.ts'));
    expect(opened.config.tasks[0].task.verify).toBe('../../verify.ts');
    expect(Object.keys(opened.modules)).toContain('../../verify.ts');
    const item = opened.tasks.trainItem(1, 0);
    const kind = String(item.columns?.kind);
    expect(opened.tasks.verify(item, kind, { finishReason: 'eos' }).score).toBe(1);
    expect(opened.tasks.verify(item, `${kind}s`, { finishReason: 'eos' }).score).toBe(0);
  });

  it.each<[string, string, string]>([
    ['fails', 'throw new Error("oops")', 'verify (fails.mjs): verify failed'],
    ['says_yes', 'return "yes"', 'give true, false, a score from 0 to 1, or a verdict'],
    ['writes', 'row.kind = 1; return true', 'verify (writes.mjs): verify failed'],
  ])('refuses a comparison that %s', async (name, body, message) => {
    writeFileSync(`${name}.mjs`, `export const verify = (answer, row) => { ${body}; };`);
    opened = await open(configOf('data/few.jsonl').replace('verify: number', `verify: ./${name}.mjs`));
    const { tasks } = opened;
    expect(() => tasks.verify(tasks.trainItem(1, 0), 'x', { finishReason: 'eos' })).toThrow(message);
  });

  it.each<[string, string, string]>([
    [
      'a missing file',
      'task: {name: dataset, train: none.jsonl}',
      'none.jsonl: no such file; paths are relative to the config file.',
    ],
    ['a missing file of TRL’s keys', 'data_files: none.jsonl', 'my.yaml:1  none.jsonl: no such file'],
    ['a folder', 'task: {name: dataset, train: data}', 'data: not a file; name the files in it.'],
    ['a misspelled knob', 'task: {name: dataset, trian: q.jsonl}', 'my.yaml:1  task.trian: "q.jsonl" — '],
    ['no file at all', 'task: {name: dataset}', 'my.yaml:1  task.train: '],
    ['a missing comparison', 'task: {name: dataset, train: data/q.jsonl, verify: ./none.ts}', 'my.yaml:1  '],
    ['a row that is none', 'task: {name: dataset, train: my.yaml}', 'my.yaml:1:1  not a JSON value'],
  ])('is refused with one message: %s', async (_, task, message) => {
    writeFileSync('my.yaml', 'task: x');
    const error = await open(`${task}\nmax_steps: 3`).catch((thrown: Error) => thrown);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message.split('\n')).toHaveLength(1);
  });
});

it('a prompt too long for the model is named by its row', async () => {
  const long = [...rows.slice(0, 400), { question: `${'9'.repeat(300)} + 1 =`, answer: 1, kind: 'x' }];
  writeFileSync('data/long.jsonl', long.map((row) => JSON.stringify(row)).join('\n'));
  const yaml = configOf('data/long.jsonl').replace('{hidden_size: 8', '{max_position_embeddings: 64, hidden_size: 8');
  await expect(train(yaml)).rejects.toThrow(
    'max_position_embeddings: 64 — prompt and completion take up to 312 tokens (the longest prompt is that of data/long.jsonl:401)',
  );
});

describe('rows that a supervised stage shows beside a task', () => {
  const yaml = (file: string): string => `task: sort_digits
stages:
  - {stage: sft, max_steps: 2, data_files: ${file}}
  - {stage: grpo, max_steps: 2}`;

  it('are written in its vocabulary, and named from the run directory', async () => {
    const item = (await open('task: sort_digits\nmax_steps: 1')).tasks.trainItem(1, 0);
    writeFileSync('data/shown.jsonl', JSON.stringify({ prompt: item.prompt, completion: item.answer }));
    const opened = await open(yaml('data/shown.jsonl'));
    expect(opened.config.stages[0]).toMatchObject({ rows: { train: ['../../data/shown.jsonl'] } });
    expect(Object.keys(opened.modules)).toEqual(['../../data/shown.jsonl']);
    const { tasks } = opened;
    expect(tasks.supervised(1)).toBe(tasks);
    const { prompt, tokens } = tasks.supervised(0).demonstration(tasks.supervised(0).trainItem(1, 5), 1, 5);
    expect(tasks.codec.decode(prompt)).toBe(item.prompt);
    expect(tasks.codec.decode(tokens.subarray(0, -1))).toBe(item.answer);
    await opened.close();
  });

  it('are refused with their line where they cannot be', async () => {
    writeFileSync('data/words.jsonl', JSON.stringify({ prompt: 'Say hello', completion: 'hello' }));
    await expect(open(yaml('data/words.jsonl'))).rejects.toThrow(/^my\.yaml:3 {2}data\/words\.jsonl:1 {2}"S"/);
  });
});

it('what is typed at the prompt is meant from where it is typed', async () => {
  mkdirSync('configs', { recursive: true });
  const file = 'configs/my.yaml';
  const loaded = parseConfig(configOf('none.jsonl').replace('./paid.mjs', 'accuracy'), { file }, [
    'task.train=data/few.jsonl',
  ]);
  const opened = await openPlugins(loaded, { file, announce: () => {} });
  expect(opened.tasks.name).toBe('dataset');
  await opened.close();
  expect(readFileSync('data/few.jsonl', 'utf8')).toContain('more?');
});
