/** A kept run and a kept model, asked in a page by what the package publishes: the answers are those of Node, bit for bit. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { Message } from '../../../../src/text/codec.ts';
import { run } from '../../../../test/cli/called.ts';
import type { GeneratedText } from '../../../models/asked/asked_policy.ts';
import { smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { openPolicy } from '../../../rlvr-train/open_policy.node.ts';
import { startChromium } from './chromium.ts';
import { ISOLATED } from './script_page.ts';

const DIST = fileURLToPath(new URL('../../../../dist/web/', import.meta.url));
const PROMPTS = ['312>', '907>'];
const ASKED = { n: 2, temperature: 1, seed: 7 };
const CONVERSATION: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
];
const CHAT = { maxTokens: 6, temperature: 1, seed: 3 };
const YAML = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
stages: [{stage: sft, max_steps: 20, per_device_train_batch_size: 8, learning_rate: 0.01, eval_strategy: "no"}]`;

const model = await smallPretrainedFiles();
const MODEL_FILES = await model.list('base');

/** What the page does; plain data comes back. */
const SCRIPT = `import { keepModel, openPolicy, openRunInWorker } from './index.js';
const backend = { name: 'wasm', threads: 1 };
const plainData = (one) => ({ ...one, tokens: [...one.tokens], logprobs: [...one.logprobs] });
const data = (answers) => answers.map((own) => own.map(plainData));
async function ofModel() {
  await keepModel('tiny', { url: new URL('base/', location.href).href });
  const policy = await openPolicy('tiny', { backend });
  const answers = await policy.generate(['Hello', 'there'], { n: 2, ...${JSON.stringify(CHAT)} });
  const said = await policy.chat(${JSON.stringify(CONVERSATION)}, ${JSON.stringify(CHAT)});
  await policy.close();
  return { answers: data(answers), said: plainData(said) };
}
async function results() {
  const run = await openRunInWorker({ yaml: ${JSON.stringify(YAML)}, name: 'asked', backend });
  await run.train();
  const files = [...(await run.files())].map(([path, bytes]) => [path, [...bytes]]);
  await run.close();
  const policy = await openPolicy('asked', { backend });
  const heard = [];
  const told = await policy.generate(${JSON.stringify(PROMPTS)}, { ...${JSON.stringify(ASKED)}, onToken: (token) => heard.push(token) });
  const plain = await policy.generate(${JSON.stringify(PROMPTS)}, ${JSON.stringify(ASKED)});
  const chat = await policy.chat([{ role: 'user', content: '312>' }]).catch(({ message }) => message);
  await policy.close();
  const nowhere = await openPolicy('nowhere').catch(({ message }) => message);
  const asked = await ofModel();
  return { files, heard: heard.length, told: data(told), plain: data(plain), chat, nowhere, asked };
}
globalThis.results = results().catch((error) => String(error.stack));`;

interface Answer {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly finishReason: string;
}

interface Results {
  readonly files: readonly (readonly [path: string, bytes: readonly number[]])[];
  readonly heard: number;
  readonly told: readonly (readonly Answer[])[];
  readonly plain: readonly (readonly Answer[])[];
  readonly chat: string;
  readonly nowhere: string;
  readonly asked: { readonly answers: readonly (readonly Answer[])[]; readonly said: Answer };
}

const plainData = (one: GeneratedText): Answer => ({ ...one, tokens: [...one.tokens], logprobs: [...one.logprobs] });
const data = (answers: GeneratedText[][]): Answer[][] => answers.map((own) => own.map(plainData));

const browser = await startChromium({ webgpu: false });
afterAll(() => browser.close());

async function bytesAt(path: string): Promise<string | Uint8Array | undefined> {
  if (path === '') return '<!doctype html><script type="module" src="script.js"></script>';
  if (path === 'script.js') return SCRIPT;
  if (path.startsWith('base/')) return model.read(path);
  return existsSync(join(DIST, path)) ? readFileSync(join(DIST, path)) : undefined;
}

async function resultsInPage(): Promise<Results> {
  const server = createServer(async ({ url = '/' }, response) => {
    for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    const bytes = await bytesAt(url.slice(1));
    if (bytes === undefined) return void response.writeHead(404).end();
    const type = url === '/' ? 'text/html' : url.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
    response.setHeader('Content-Type', type).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => 'results' in globalThis, undefined, { timeout: 120_000 });
    const results = await page.evaluate(
      () => (globalThis as unknown as { results: Promise<Results | string> }).results,
    );
    if (typeof results === 'string') throw new Error(results);
    return results;
  } finally {
    await page.close();
    server.close();
  }
}

/** Writes files into a folder of their own for as long as `use` takes. */
async function onDisk<T>(
  files: Iterable<readonly [path: string, bytes: Uint8Array]>,
  use: (folder: string) => Promise<T>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-asked-'));
  try {
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the command says to prompts. */
async function sampled(folder: string, prompts: readonly string[], ...flags: readonly string[]): Promise<number[][]> {
  const { out, error } = await run('sample', folder, ...prompts, '--json', '--threads', '1', ...flags);
  if (error !== undefined) throw error;
  const lines = out.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly tokens: number[] }).tokens);
}

const tokensOf = (answers: readonly (readonly Answer[])[]): (readonly number[])[] =>
  answers.flat().map(({ tokens }) => tokens);

let inPage: Results;
beforeAll(async () => {
  inPage = await resultsInPage();
});

it('a kept run answers in a page as `openPolicy` and `sample` do in Node', async () => {
  const { files, heard, told, plain, chat, nowhere } = inPage;
  await onDisk(
    files.map(([path, bytes]) => [path, Uint8Array.from(bytes)] as const),
    async (folder) => {
      const policy = await openPolicy(folder, { backend: await wasmBackend({ threads: 1 }) });
      const here = data(await policy.generate(PROMPTS, ASKED));
      await policy.close();
      expect(plain).toEqual(here);
      expect(tokensOf(plain)).toEqual(await sampled(folder, PROMPTS, '-n', '2', '-t', '1', '--seed', '7'));
    },
  );
  expect(told).toEqual(plain);
  expect(heard).toBe(told.flat().reduce((sum, { tokens }) => sum + tokens.length, 0));
  expect(chat).toContain('no chat template');
  expect(nowhere).toContain('nowhere — is not in this browser');
});

it('a kept model answers prompts and a conversation in a page as in Node', async () => {
  const { answers, said } = inPage.asked;
  const read = MODEL_FILES.map(async (name) => [name, (await model.read(`base/${name}`)) as Uint8Array] as const);
  await onDisk(await Promise.all(read), async (folder) => {
    const policy = await openPolicy(folder, { backend: await wasmBackend({ threads: 1 }) });
    const prompts = ['Hello', 'there'];
    const here = data(await policy.generate(prompts, { n: 2, ...CHAT }));
    const chat = plainData(await policy.chat(CONVERSATION, CHAT));
    await policy.close();
    expect(answers).toEqual(here);
    expect(said).toEqual(chat);
    expect(said.tokens.length).toBeGreaterThan(0);
    const flags = ['-n', '2', '-t', '1', '--seed', '3', '--max-tokens', '6'];
    expect(tokensOf(answers)).toEqual(await sampled(folder, prompts, ...flags));
  });
});
