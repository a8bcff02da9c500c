/** Data sets of the hub in a config, from a server on this machine that answers as the hub does. */
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../test/support/everything.ts';
import { COMMIT, LoopbackHub } from '../../models/test/support/loopback_hub.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

const FILE = 'data/train-00000-of-00001.jsonl';
const TEST = 'data/test-00000-of-00001.jsonl';
const rows = (from: number, count: number): Uint8Array =>
  new TextEncoder().encode(
    Array.from({ length: count }, (_, i) => JSON.stringify({ question: `${from + i} =`, answer: from + i })).join('\n'),
  );

let hub: LoopbackHub;
let cache: string;
const opened: OpenedPlugins[] = [];

beforeEach(async () => {
  hub = new LoopbackHub(
    'owner/name',
    new Map([
      [FILE, rows(0, 200)],
      [TEST, rows(500, 30)],
    ]),
  );
  hub.isDataset = true;
  await hub.open();
  cache = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-hub-data-')));
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_HUB_OFFLINE', '');
  vi.stubEnv('TRANSFORMERS_OFFLINE', '');
  vi.stubEnv('HF_TOKEN', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of opened.splice(0)) await one.close();
  await hub.close();
  rmSync(cache, { recursive: true, force: true });
});

async function open(yaml: string): Promise<OpenedPlugins> {
  const loaded = parseConfig(yaml.includes('stages:') ? yaml : `${yaml}\nmax_steps: 1`, { file: 'my.yaml' });
  const plugins = await openPlugins(loaded, { file: 'my.yaml', directory: 'runs/one', announce: () => {} });
  opened.push(plugins);
  return plugins;
}

it.each([
  ['its splits', 'dataset_name: owner/name\ndataset_test_split: test', 200, 30],
  ['a fifth of its split train', 'dataset_name: owner/name', undefined, undefined],
  ['its files', `dataset_name: owner/name@main\ndata_files: {train: ${FILE}, test: ${TEST}}`, 200, 30],
  ['a task', `task: {name: dataset, hub: owner/name, train: data/train-*, held_out: test, prompt: question}`, 200, 30],
])('a data set of the hub is a task by %s', async (_, yaml, train, heldOut) => {
  const { tasks, modules, config } = await open(yaml);
  expect(tasks.trainItem(1, 0).id).toMatch(/^data\/train-00000-of-00001\.jsonl:\d+$/);
  if (train !== undefined) expect([tasks.trainProblems(), tasks.heldOutItems().length]).toEqual([train, heldOut]);
  const [{ task }] = config.tasks;
  expect(modules?.[`hub:${task.hub}/${FILE}`]).toBe(
    createHash('sha256')
      .update(hub.files.get(FILE) ?? '')
      .digest('hex'),
  );
  // The same data set from the run's own config, without a network.
  vi.stubEnv('HF_HUB_OFFLINE', '1');
  const again = await open(`task: ${JSON.stringify(task)}`);
  expect(again.modules).toEqual(modules);
  expect(again.tasks.trainProblems()).toBe(tasks.trainProblems());
});

it('what the cache has is not asked for again', async () => {
  await open('dataset_name: owner/name');
  hub.asked.length = 0;
  await open('dataset_name: owner/name');
  await open(`dataset_name: owner/name@${COMMIT}\ndataset_train_split: test`);
  expect(hub.asked.map(({ path }) => path.split('/').at(-1))).toEqual(['test-00000-of-00001.jsonl']);
});

it('a supervised stage shows a split of it, in the vocabulary of the task', async () => {
  const { tasks: own } = await open('task: sort_digits');
  const { prompt, answer } = own.trainItem(1, 0);
  hub.files.set(TEST, new TextEncoder().encode(JSON.stringify({ question: prompt, answer })));
  const { tasks, config, modules } = await open(`task: sort_digits
stages:
  - {stage: sft, max_steps: 1, dataset_name: owner/name, dataset_config: default, dataset_train_split: test}
  - {stage: grpo, max_steps: 1}`);
  expect(tasks.supervised(0).trainItem(1, 0)).toMatchObject({ prompt, answer, id: `${TEST}:1` });
  expect(config.stages[0]).toMatchObject({ rows: { hub: 'owner/name', hub_config: 'default', train: ['test'] } });
  expect(Object.keys(modules)).toEqual([`hub:owner/name/${TEST}`]);
});

it.each([
  ['dataset_name: owner/other', /^my\.yaml:1 {2}owner\/other — there is no such data set at http/],
  ['dataset_name: owner/name@v9', /^my\.yaml:1 {2}owner\/name@v9 — the data set has no such revision or file/],
  [
    'dataset_name: owner/name\ndataset_train_split: dev',
    /^my\.yaml:1 {2}owner\/name — the data set has no file or split "dev"; its config default has the splits train, test\.$/,
  ],
  [
    'dataset_name: owner/name\ndataset_config: main',
    /has no config "main"; set dataset_config .* to one of default\.$/,
  ],
  [
    'dataset_name: json\ndata_files: q.jsonl\ndataset_train_split: dev',
    /dataset_train_split: dev — files of this disk have no splits/,
  ],
  [
    `dataset_name: owner/name\ndata_files: ${FILE}\ndataset_train_split: test`,
    /dataset_train_split: test — data_files are given too/,
  ],
])('is refused with one message: %s', async (yaml, message) => {
  await expect(open(yaml)).rejects.toThrow(message);
});

it('without a network says so', async () => {
  await hub.close();
  await expect(open('dataset_name: owner/name')).rejects.toThrow(
    /^my\.yaml:1 {2}http:.+: cannot be reached \(ECONNREFUSED\)/,
  );
  await hub.open();
  vi.stubEnv('HF_HUB_OFFLINE', '1');
  await expect(open('dataset_name: owner/name')).rejects.toThrow('fetch it without: fetch --dataset owner/name.');
});
