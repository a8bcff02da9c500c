/** A pretrained model in a page: from a server into the browser's file system, and trained by LoRA with the bits of Node. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { decodeSafetensors } from '../../../../src/model/safetensors.ts';
import { exportModel, lastOrigin } from '../../../../src/run/model/model_export.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { folderOf, openPretrained } from '../../../models/run/model/open_pretrained.ts';
import { writeGguf } from '../../../models/run/model/write_gguf.ts';
import { smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import type { Sampling } from '../../browser_run.ts';
import type { KeptModel } from '../../pretrained/kept_models.ts';
import { startChromium } from './chromium.ts';
import { bundled } from './script_page.ts';

const SOURCE = fileURLToPath(new URL('../../..', import.meta.url));
const NAME = 'tiny.gguf';
const YAML = `model_name_or_path: ${NAME}
task: reverse_text
use_peft: true
lora_r: 4
num_generations: 4
generation_batch_size: 8
max_completion_length: 8
learning_rate: 1.0e-2
max_steps: 2
eval_strategy: 'no'
num_generations_eval: 1
eval_samples: 4
reward_funcs: [{name: soft_overlong, max_tokens: 8, cache: 6}]
`;

const PIECE = 10_000;

const rangesOf = (length: number): string[] =>
  Array.from({ length: Math.ceil(length / PIECE) }, (_, i) => `${i * PIECE}-${Math.min(length, (i + 1) * PIECE) - 1}`);

/** What the page can do, in `globalThis.page`. */
const SCRIPT = `
globalThis.PACKAGE_VERSION = 'of a test'; // which the build puts in
import { openRunHere } from ${JSON.stringify(`${SOURCE}/web/open_local_run.ts`)};
import * as models from ${JSON.stringify(`${SOURCE}/web/pretrained/kept_models.ts`)};
import { keepModel } from ${JSON.stringify(`${SOURCE}/web/pretrained/keep_model.ts`)};
import { planRun } from ${JSON.stringify(`${SOURCE}/web/plan_run.ts`)};
const said = (promise) => promise.catch(({ code, message }) => ({ code, message }));
let stop = new AbortController();
globalThis.page = {
  seen: [],
  keep: (name, url, sha256) => said(keepModel(name, { url }, {
    sha256,
    pieceBytes: ${PIECE},
    signal: stop.signal,
    onProgress: (have, bytes) => globalThis.page.seen.push([have, bytes]),
  })),
  stop: () => { stop.abort(); stop = new AbortController(); },
  kept: () => models.keptModels(),
  remove: (name) => models.removeKeptModel(name),
  rows: async (yaml, data) => {
    const options = { yaml, name: 'rows', backend: { name: 'wasm', threads: 1 } };
    const first = await openRunHere({ ...options, data });
    await first.train();
    await first.close();
    const again = await openRunHere(options);
    const { status, problems } = again.opened;
    const kept = new TextDecoder().decode((await again.files()).get('rows.csv'));
    await again.close();
    return { status, problems, kept };
  },
  train: async (yaml) => {
    const run = await openRunHere({ yaml, name: 'test', backend: { name: 'wasm', threads: 1 }, samplingMs: 0 });
    const samplings = [];
    run.listen((event) => event.type === 'sampling' && samplings.push(event));
    await run.train();
    const file = (await run.exportModel()).get('model/adapter_model.safetensors');
    const { vocabulary, memoryBytes } = run.opened;
    const given = {};
    for (const [form, dtype] of [['gguf', 'q8_0'], ['gguf-lora', undefined], ['merged', 'f16'], ['onnx', undefined]]) {
      for (const [path, blob] of await run.exportAs(form, dtype)) given[path] = blob.size;
    }
    const refused = await said(run.exportAs('onnx', 'q8_0'));
    await run.close();
    const { bytes, secondsPerStep, trained } = await planRun({ yaml, backend: { name: 'wasm', threads: 1 } });
    const plan = { bytes, secondsPerStep, trained };
    return { adapter: [...file], vocabulary: vocabulary.length, given, refused, memoryBytes, plan, samplings };
  },
};
globalThis.ready = true;`;

interface Scripted {
  readonly seen: [number, number][];
  keep(name: string, url: string, sha256?: string): Promise<KeptModel & { code?: string; message?: string }>;
  kept(): Promise<readonly KeptModel[]>;
  remove(name: string): Promise<void>;
  train(yaml: string): Promise<Trained>;
  /** Trains on rows, and opens the run again without them. */
  rows(yaml: string, data: Readonly<Record<string, string>>): Promise<KeptRows>;
}

interface KeptRows {
  readonly status: string;
  readonly problems: { readonly train: number; readonly heldOut: number };
  readonly kept: string;
}

interface Trained {
  readonly adapter: number[];
  readonly vocabulary: number;
  readonly memoryBytes: number;
  /** Sizes of what was exported, by path. */
  readonly given: Readonly<Record<string, number>>;
  readonly refused: { readonly message?: string };
  readonly samplings: readonly Sampling[];
  readonly plan: { readonly bytes: number; readonly secondsPerStep: readonly number[]; readonly trained: number };
}

/** Serves the page and the model. */
interface ModelServer {
  readonly url: string;
  /** Ranges of the model that were asked for. */
  readonly ranges: string[];
  /** Requests for the model, from the next on, whose connection is cut in the middle. */
  cuts: number;
  /** One byte of every range is another. */
  isCorrupt: boolean;
  isOffline: boolean;
  /** Ranges from here on are not answered. */
  holdsFrom: number;
}

let files: Store;
let gguf: Uint8Array<ArrayBuffer>;
let browser: Browser;
let server: Server;
let model: ModelServer;

function answer(script: string, { url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  if (url !== '/model.gguf') {
    response.setHeader('Content-Type', url === '/tests.js' ? 'text/javascript' : 'text/html');
    response.end(url === '/tests.js' ? script : '<!doctype html><script type="module" src="/tests.js"></script>');
    return;
  }
  if (model.isOffline) {
    response.destroy();
    return;
  }
  const [, begin = 0, last = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
  const bytes = gguf.slice(begin, last + 1);
  if (model.isCorrupt && bytes.length > 1) bytes[7] = (bytes[7] as number) ^ 1;
  model.ranges.push(`${begin}-${last}`);
  if (begin >= model.holdsFrom) return;
  response.writeHead(206, {
    'Content-Range': `bytes ${begin}-${begin + bytes.length - 1}/${gguf.length}`,
    'Content-Length': bytes.length,
    ETag: '"one"',
  });
  if (model.cuts > 0 && bytes.length > 1) {
    model.cuts--;
    response.write(bytes.subarray(0, bytes.length / 2));
    setTimeout(() => response.destroy(), 50);
    return;
  }
  response.end(bytes);
}

beforeAll(async () => {
  files = await smallPretrainedFiles();
  const base = await openPretrained({ name: 'base', files: folderOf(files, 'base') });
  await writeGguf(files, NAME, base, 'f16');
  gguf = (await files.read(NAME)) as Uint8Array<ArrayBuffer>;
  const script = await bundled(SCRIPT, {
    plugins: [
      {
        name: 'nothing of Node',
        resolveId: (source) => (source === 'module' || source.startsWith('node:') ? source : undefined),
        load: (id) => (id === 'module' || id.startsWith('node:') ? 'export default {};' : undefined),
      },
    ],
  });
  server = createServer((request, response) => answer(script, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await startChromium({ webgpu: false });
});
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  model = { url, ranges: [], cuts: 0, isCorrupt: false, isOffline: false, holdsFrom: Number.POSITIVE_INFINITY };
});

async function opened(use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  try {
    await use(await loaded(await context.newPage()));
  } finally {
    await context.close();
  }
}

async function loaded(page: Page): Promise<Page> {
  page.setDefaultTimeout(120_000);
  await page.goto(model.url, { timeout: 120_000 });
  await page.waitForFunction(() => 'ready' in globalThis);
  return page;
}

const keep = (page: Page, sha256?: string) =>
  page.evaluate(
    ([name, url, hash]) => (globalThis as unknown as { page: Scripted }).page.keep(name as string, url as string, hash),
    [NAME, `${model.url}model.gguf`, sha256],
  );
const kept = (page: Page) => page.evaluate(() => (globalThis as unknown as { page: Scripted }).page.kept());
const trained = (page: Page) =>
  page.evaluate((yaml) => (globalThis as unknown as { page: Scripted }).page.train(yaml), YAML);

async function adapterOfNode(): Promise<Uint8Array | undefined> {
  const pretrained = await openPretrained({ name: NAME, files, gguf: NAME });
  const { config } = parseConfig(YAML, { file: 'config' });
  const tasks = await createTasks(config, { codec: pretrained.codec });
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained });
  for await (const _ of train(run));
  await exportModel(files, 'trained', run, lastOrigin(run));
  await run.engine.policy.close();
  return files.read('trained/adapter_model.safetensors');
}

it('is there after two cuts, a reload and without a network, and its adapter has the bytes of Node’s', async () => {
  model.cuts = 2;
  await opened(async (page) => {
    expect(await keep(page)).toMatchObject({ name: NAME, have: gguf.length, isWhole: true });
    expect(model.ranges.filter((range) => range !== '0-0')).toEqual([
      ...Array(2).fill(`0-${PIECE - 1}`),
      ...rangesOf(gguf.length),
    ]);
    await loaded(page);
    model.isOffline = true;
    await expect
      .poll(() => kept(page))
      .toEqual([{ name: NAME, from: `${model.url}model.gguf`, bytes: gguf.length, have: gguf.length, isWhole: true }]);
    const { adapter, vocabulary, given, refused, memoryBytes, plan, samplings } = await trained(page);
    const bytes = Uint8Array.from(adapter);
    expect(bytes).toEqual(await adapterOfNode());
    const ups = [...decodeSafetensors(bytes).tensors].filter(([name]) => name.includes('lora_B'));
    expect(ups.length).toBe(7);
    for (const [name, { data }] of ups) expect(Math.max(...data), name).toBeGreaterThan(0); // 0 before the first step
    expect(vocabulary).toBe(0);
    // Watched as they come, completions have the same bits.
    expect(new Set(samplings.map(({ asks }) => asks))).toEqual(new Set(['greedy', 'sampled', 'training']));
    const ofTraining = samplings.filter(({ asks }) => asks === 'training');
    const whole = ofTraining.filter(({ ended, completions }) => ended === completions);
    expect(whole.length).toBeGreaterThanOrEqual(2); // of each batch, those without a live group among them
    expect(ofTraining.length).toBeGreaterThan(whole.length);
    for (const { prompt } of ofTraining.flatMap(({ texts }) => texts)) expect(prompt).not.toBe('');
    for (const path of [
      'tiny-gguf-q8_0.gguf',
      'tiny-gguf-lora-f16.gguf',
      'tiny-merged-f16/model.safetensors',
      'tiny-onnx-f32/onnx/model.onnx',
    ])
      expect(given[path], path).toBeGreaterThan(1000);
    expect(refused.message).toContain('q8_0 — onnx is written as f32, f16, q4f16.');
    expect(plan.trained * 4).toBe(
      [...decodeSafetensors(bytes).tensors].reduce((sum, [, { data }]) => sum + 4 * data.length, 0),
    );
    expect(plan.bytes).toBeGreaterThan(memoryBytes);
    expect(plan.secondsPerStep).toHaveLength(1);
    expect(plan.secondsPerStep[0]).toBeGreaterThan(0);
  });
});

it('a run on rows keeps them, and opens without being given them', async () => {
  const rows = ['question,answer', ...Array.from({ length: 20 }, (_, i) => `What follows ${i}?,${i + 1}`)].join('\n');
  const yaml = YAML.replace('task: reverse_text', 'task: {name: dataset, train: rows.csv}').replace(
    /max_steps: .*/,
    'max_steps: 1',
  );
  await opened(async (page) => {
    await keep(page);
    const { status, problems, kept } = await page.evaluate(
      ([job, text]) =>
        (globalThis as unknown as { page: Scripted }).page.rows(job as string, { 'rows.csv': text as string }),
      [yaml, rows],
    );
    expect(kept).toBe(rows);
    expect(status).toBe('finished');
    expect(problems.train + problems.heldOut).toBe(20);
  });
});

it('a range that came damaged is found by the hash, and nothing of the file is kept', async () => {
  const wanted = Buffer.from(await crypto.subtle.digest('SHA-256', gguf)).toString('hex');
  await opened(async (page) => {
    model.isCorrupt = true;
    const refused = await keep(page, wanted);
    expect(refused).toMatchObject({ code: 'hash-mismatch' });
    expect(refused.message).toMatch(
      /^tiny\.gguf\/model\.gguf came damaged: it has SHA-256 .*It was removed; open it again\.$/,
    );
    await expect.poll(() => kept(page)).toMatchObject([{ have: 0, isWhole: false }]);
    model.isCorrupt = false;
    expect(await keep(page, wanted)).toMatchObject({ isWhole: true });
  });
});

it('a tab that was closed on the way left what had come: no model, but where the next one goes on', async () => {
  const context = await browser.newContext();
  const first = await loaded(await context.newPage());
  model.holdsFrom = 2 * PIECE;
  void keep(first).catch(() => undefined); // the page is closed before it answers
  await expect.poll(() => model.ranges.at(-1)).toMatch(new RegExp(`^${2 * PIECE}-`));
  await first.close();
  model.holdsFrom = Number.POSITIVE_INFINITY;
  const second = await loaded(await context.newPage());
  await expect.poll(() => kept(second)).toMatchObject([{ name: NAME, have: 2 * PIECE, isWhole: false }]);
  expect(await trained(second).catch(({ message }) => message)).toContain(
    'model_name_or_path: tiny.gguf — is not all here yet; open it from a file or an address.',
  );
  model.ranges.length = 0;
  expect(await keep(second)).toMatchObject({ isWhole: true });
  expect(model.ranges).toEqual(['0-0', rangesOf(gguf.length)[2]]);
  await second.evaluate((name) => (globalThis as unknown as { page: Scripted }).page.remove(name), NAME);
  await expect.poll(() => kept(second)).toEqual([]);
  await context.close();
});

it('a quota that is too small is said before anything is written', async () => {
  await opened(async (page) => {
    await page.evaluate(() => {
      navigator.storage.estimate = async () => ({ quota: 70e6, usage: 40e6 });
    });
    const refused = await keep(page);
    expect(refused.message).toBe(
      'tiny.gguf — needs 67 MB of storage, and this browser gives the site 30 MB more. Delete a kept model or run, or free space on the disk.',
    );
    await expect.poll(() => kept(page)).toEqual([]);
  });
});

it('a quota that is used up on the way is said, and what had come is where the next one goes on', async () => {
  await opened(async (page) => {
    const client = await page.context().newCDPSession(page);
    const origin = model.url.slice(0, -1);
    await client.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2.5 * PIECE });
    await page.evaluate(() => {
      navigator.storage.estimate = async () => ({ quota: 1e9, usage: 0 });
    });
    const refused = await keep(page);
    expect(refused).toMatchObject({ code: 'disk-full' });
    expect(refused.message).toBe(
      'tiny.gguf — the storage of this site is full after 0 of 1 MB. Delete a kept model or run, or free space on the disk; opened again, it continues there.',
    );
    await expect.poll(() => kept(page)).toMatchObject([{ name: NAME, isWhole: false }]);
    await client.send('Storage.overrideQuotaForOrigin', { origin });
    expect(await keep(page)).toMatchObject({ isWhole: true });
    await expect.poll(() => kept(page)).toMatchObject([{ have: gguf.length, isWhole: true }]);
  });
});
