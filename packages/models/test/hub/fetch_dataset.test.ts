/** Data sets of the hub, from a server on this machine that answers as the hub does. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { program } from '../../../../src/cli/program.ts';
import { HubClient } from '../../hub/client.ts';
import { HubDataset } from '../../hub/fetch_dataset.node.ts';
import { COMMIT, LoopbackHub } from '../support/loopback_hub.ts';

const NAME = { owner: 'tiny', name: 'sums', revision: 'main', kind: 'dataset' } as const;
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const row = (i: number): string => `{"question": "${i} + 1?", "answer": "${i + 1}"}\n`;
const CARD = `---
configs:
- config_name: main
  default: true
  data_files:
  - {split: train, path: "main/train-*"}
  - {split: test, path: main/test.jsonl}
- config_name: more
  data_files: more/*.jsonl
---
`;

let hub: LoopbackHub;
let cache: string;

beforeEach(async () => {
  const rows = (from: number, count: number): Uint8Array =>
    bytes(Array.from({ length: count }, (_, i) => row(from + i)).join(''));
  const files: [string, Uint8Array][] = [
    ['README.md', bytes(CARD)],
    ['main/train-00000-of-00002.jsonl', rows(0, 100)],
    ['main/train-00001-of-00002.jsonl', rows(100, 20)],
    ['main/test.jsonl', rows(200, 10)],
    ['more/a.jsonl', rows(300, 5)],
    ['script.py', bytes('print()')],
  ];
  hub = new LoopbackHub('tiny/sums', new Map(files));
  hub.isDataset = true;
  await hub.open();
  cache = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-hub-data-')));
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_ENDPOINT', hub.endpoint);
  vi.stubEnv('HF_TOKEN', 'hf_secret');
  vi.stubEnv('HF_HUB_OFFLINE', '');
  vi.stubEnv('TRANSFORMERS_OFFLINE', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await hub.close();
  rmSync(cache, { recursive: true, force: true });
});

const snapshot = (): string => join(cache, 'datasets--tiny--sums', 'snapshots', COMMIT);
const open = (isAsked = false, isOffline = false): Promise<HubDataset> =>
  HubDataset.open(
    NAME,
    {
      client: isOffline ? undefined : new HubClient({ endpoint: hub.endpoint, token: 'hf_secret', pauseMs: 1 }),
      cache,
    },
    isAsked,
  );
const askedFiles = (): string[] =>
  hub.asked.filter(({ from }) => from === 'hub').map(({ path }) => path.split('/').slice(-1)[0]);

async function run(...words: string[]): Promise<string> {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  await program().parseAsync(['fetch', ...words], { from: 'user' });
  return printed;
}

describe('a data set of the hub', () => {
  it('is fetched in the layout of huggingface_hub, by its splits, with a token', async () => {
    const printed = await run('--dataset', 'tiny/sums');
    expect(printed).toMatch(/in a config: dataset_name: tiny\/sums\n {2}its splits: train, test; /);
    expect(readFileSync(join(cache, 'datasets--tiny--sums/refs/main'), 'utf8')).toBe(COMMIT);
    for (const file of ['main/train-00000-of-00002.jsonl', 'main/train-00001-of-00002.jsonl', 'main/test.jsonl'])
      expect(new Uint8Array(readFileSync(join(snapshot(), file))), file).toEqual(hub.files.get(file));
    expect(existsSync(join(snapshot(), 'more/a.jsonl'))).toBe(false);
    expect(existsSync(join(snapshot(), 'script.py'))).toBe(false);
    expect(hub.asked.every(({ from, token }) => (from === 'hub') === (token === 'Bearer hf_secret'))).toBe(true);
  });

  it('is fetched by config and split, and said as JSON', async () => {
    const said = JSON.parse(
      await run('--dataset', 'tiny/sums', '--dataset-config', 'more', '--dataset-split', 'train', '--json'),
    );
    expect(said).toEqual({
      ...{ dataset: 'tiny/sums', commit: COMMIT, folder: snapshot(), config: 'more', splits: ['train'] },
      files: [{ path: 'more/a.jsonl', bytes: hub.files.get('more/a.jsonl')?.length }],
    });
  });

  it('is not asked for again, with a network or without', async () => {
    await run('--dataset', 'tiny/sums');
    hub.asked.length = 0;
    for (const isOffline of [false, true]) {
      const dataset = await open(false, isOffline);
      const files = await dataset.filesOf('train', undefined);
      expect(files).toEqual(['main/train-00000-of-00002.jsonl', 'main/train-00001-of-00002.jsonl']);
      expect(await dataset.takeAll(files)).toEqual(files.map((file) => join(snapshot(), file)));
    }
    expect(hub.asked).toEqual([]);
    await run('--dataset', 'tiny/sums');
    expect(hub.asked.map(({ path }) => path)).toEqual(['/api/datasets/tiny/sums/revision/main?blobs=true']);
  });

  it('is asked what it has where Python has fetched some of it', async () => {
    mkdirSync(join(snapshot(), 'main'), { recursive: true });
    mkdirSync(join(cache, 'datasets--tiny--sums/refs'));
    writeFileSync(join(cache, 'datasets--tiny--sums/refs/main'), COMMIT);
    writeFileSync(join(snapshot(), 'main/test.jsonl'), hub.files.get('main/test.jsonl') as Uint8Array);
    await expect(open(false, true)).rejects.toThrow(
      'tiny/sums — the data set is not in the cache, and HF_HUB_OFFLINE asks no network; fetch it without: fetch --dataset tiny/sums.',
    );
    const dataset = await open();
    expect(await dataset.takeAll(await dataset.filesOf('test', undefined))).toEqual([
      join(snapshot(), 'main/test.jsonl'),
    ]);
    expect(askedFiles()).toEqual([`${COMMIT}?blobs=true`, 'README.md']);
  });

  it('goes on where a connection was cut, and throws away what has another hash', async () => {
    hub.failures.push({ cut: 10 });
    const dataset = await open();
    const [place] = await dataset.takeAll(['main/train-00000-of-00002.jsonl']);
    expect(new Uint8Array(readFileSync(place))).toEqual(hub.files.get('main/train-00000-of-00002.jsonl'));
    expect(hub.asked.some(({ range }) => range === 'bytes=10-')).toBe(true);
    hub.damaged.add('main/test.jsonl');
    await expect(dataset.takeAll(['main/test.jsonl'])).rejects.toThrow('main/test.jsonl — what came has another hash');
    expect(existsSync(join(snapshot(), 'main/test.jsonl'))).toBe(false);
  });

  it('names its files, configs and splits where another is asked for', async () => {
    const dataset = await open();
    expect(await dataset.filesOf('main/*.jsonl', undefined)).toHaveLength(3);
    expect(await dataset.filesOf('more/a.jsonl', undefined)).toEqual(['more/a.jsonl']);
    await expect(dataset.filesOf('validation', undefined)).rejects.toThrow(
      'tiny/sums — the data set has no file or split "validation"; its config main has the splits train, test.',
    );
    await expect(dataset.filesOf('train', 'mian')).rejects.toThrow(
      'the data set has no config "mian"; set dataset_config (in a task: hub_config) to one of main, more.',
    );
    hub.files.set('README.md', bytes(CARD.replace('  default: true\n', '')));
    hub.commit = 'c0ffee0123456789c0ffee0123456789c0ffee02';
    await expect((await open(true)).config(undefined)).rejects.toThrow(
      'the data set has several configs; set dataset_config (in a task: hub_config) to one of main, more.',
    );
  });

  it('that is not there, or not public, is said to be a data set', async () => {
    hub.failures.push({ status: 404 });
    await expect(open()).rejects.toThrow('tiny/sums — there is no such data set at');
    hub.failures.push({ status: 403, code: 'GatedRepo' });
    await expect(open()).rejects.toThrow(`agree to them at ${hub.endpoint}/datasets/tiny/sums, and set HF_TOKEN`);
    await expect(run('tiny/sums', '--dataset-split', 'train')).rejects.toThrow('train — only a data set has');
  });
});
