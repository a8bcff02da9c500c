/** A kept run, asked in a page by what the package publishes: the answers are those of Node, bit for bit. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { openPolicy } from '../../../rlvr-train/open_policy.node.ts';
import { startChromium } from './chromium.ts';
import { ISOLATED } from './script_page.ts';

const DIST = fileURLToPath(new URL('../../../../dist/web/', import.meta.url));
const PROMPTS = ['312>', '907>'];
const ASKED = { n: 2, temperature: 1, seed: 7 };
const YAML = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
stages: [{stage: sft, max_steps: 20, per_device_train_batch_size: 8, learning_rate: 0.01, eval_strategy: "no"}]`;

/** What the page does; plain data comes back. */
const SCRIPT = `import { openPolicy, openRunInWorker } from './index.js';
const backend = { name: 'wasm', threads: 1 };
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
  const data = (answers) => answers.map((own) => own.map((one) => ({ ...one, tokens: [...one.tokens], logprobs: [...one.logprobs] })));
  return { files, heard: heard.length, told: data(told), plain: data(plain), chat, nowhere };
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
}

const browser = await startChromium({ webgpu: false });
afterAll(() => browser.close());

async function resultsInPage(): Promise<Results> {
  const server = createServer(({ url = '/' }, response) => {
    for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    if (url === '/favicon.ico') return void response.writeHead(404).end();
    const isPage = url === '/';
    response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript');
    if (isPage) response.end('<!doctype html><script type="module" src="script.js"></script>');
    else response.end(url === '/script.js' ? SCRIPT : readFileSync(join(DIST, url)));
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

it('openPolicy in a page answers as in Node', async () => {
  const { files, heard, told, plain, chat, nowhere } = await resultsInPage();
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-asked-'));
  try {
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), Uint8Array.from(bytes));
    }
    const policy = await openPolicy(folder, { backend: await wasmBackend({ threads: 1 }) });
    const here = await policy.generate(PROMPTS, ASKED);
    await policy.close();
    const data = here.map((own) =>
      own.map((one) => ({ ...one, tokens: [...one.tokens], logprobs: [...one.logprobs] })),
    );
    expect(plain).toEqual(data);
    expect(told).toEqual(plain);
    expect(heard).toBe(told.flat().reduce((sum, { tokens }) => sum + tokens.length, 0));
    expect(chat).toContain('no chat template');
    expect(nowhere).toContain('nowhere — is not in this browser');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
