/** The page in a real browser: it trains, rests, survives a reload, and what it exports is what it trained. */
import { unzipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { loadModel } from '../../../../src/run/model/model_files.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { budget } from '../../../../test/support/budget.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import {
  downloaded,
  drawn,
  reach,
  type Site,
  serveSite,
  startChromium,
  status,
  stepOf,
  trainTo,
  type Visit,
  visit,
  weightsHash,
} from './chromium.ts';

/** Two digits: learned by the smallest policy, before a release even on a GPU that is none, which takes a minute or two. */
const LINK = '#preset=sort-two&evalEvery=20&batch=64&rate=0.005';

/** Steps by which the reward has risen. */
const LEARNED = 40;

interface Case {
  readonly name: string;
  /** Enough that a run is still under way when it is told to pause. */
  readonly steps: number;
  readonly webgpu: boolean;
  readonly isolated: boolean;
  readonly query: string;
  readonly backend: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'WebGPU',
    steps: budget({ quick: 24, all: 24, release: LEARNED }),
    webgpu: true,
    isolated: true,
    query: '?backend=webgpu',
    backend: /^WebGPU on .*swiftshader/i,
  },
  {
    name: 'WebAssembly, WebGPU switched off',
    steps: 300,
    webgpu: false,
    isolated: true,
    query: '',
    backend: /^WebAssembly on \d+ threads — this browser has .*WebGPU/,
  },
  {
    name: 'WebAssembly on one thread',
    steps: 300,
    webgpu: false,
    isolated: true,
    query: '?threads=1',
    backend: /^WebAssembly on one thread/,
  },
];

/** Reward of the first and of the last steps, from the saved run. */
async function rewards(page: Page): Promise<{ first: number; last: number }> {
  const files = await unzipped(page, '#save');
  const lines = new TextDecoder().decode(files['metrics.jsonl']).trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as Record<string, number>).flatMap(({ reward }) => reward ?? []);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { first: mean(all.slice(0, 3)), last: mean(all.slice(-5)) };
}

async function unzipped(page: Page, button: string): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  return unzipSync(await downloaded(page, button)) as Record<string, Uint8Array<ArrayBuffer>>;
}

interface Asked {
  readonly prompt: string;
  /** Texts of the tokens, as shown. */
  readonly tokens: readonly string[];
  readonly logprobs: readonly number[];
}

async function ask(page: Page): Promise<Asked[]> {
  await page.click('#ask button[type=submit]');
  await page.waitForSelector('#ask [aria-busy=false] .answer.now li'); // not those of an earlier evaluation
  const prompt = await page.inputValue('#prompt');
  return page.$$eval(
    '#ask .answer.now li .tokens',
    (lists, asked) =>
      lists.map((list) => {
        const tokens = [...list.querySelectorAll<HTMLElement>('.token')];
        return {
          prompt: asked,
          tokens: tokens.map(({ textContent }) => textContent ?? ''),
          logprobs: tokens.map(({ dataset }) => Number(dataset.logprob)),
        };
      }),
    prompt,
  );
}

/** Log-probs of the same answers under the exported weights, on Node's engine. */
async function scoredInNode(
  files: Record<string, Uint8Array<ArrayBuffer>>,
  asked: readonly Asked[],
): Promise<number[][]> {
  const store = memoryStore();
  for (const [path, bytes] of Object.entries(files)) await store.writeAtomic(path, bytes);
  const { config } = parseConfig(new TextDecoder().decode(files['config.yaml']), { file: 'config.yaml' });
  const task = createTasks(config);
  const run = await openRun(config, task, await wasmBackend({ threads: 1 }));
  try {
    await loadModel(store, 'model/model.safetensors', run.engine.policy);
    const scores: number[][] = [];
    const { codec: tokenizer } = task;
    const ids = new Map(Array.from({ length: tokenizer.vocabSize }, (_, id) => [tokenizer.tokenText(id), id]));
    ids.set('⏎', tokenizer.eosTokenId);
    for (const { prompt, tokens } of asked) {
      const completion = Int32Array.from(tokens, (text) => ids.get(text) ?? Number.NaN);
      const batch = packBatch([{ prompt: tokenizer.encode(prompt), completions: [completion] }]);
      scores.push([...(await run.engine.policy.score(batch, 1)).logprobs]);
    }
    return scores;
  } finally {
    await run.engine.policy.close();
  }
}

describe.each(CASES)('the page on $name', ({ steps, webgpu, isolated, query, backend }) => {
  let browser: Browser;
  let site: Site;
  let open: Visit;

  beforeAll(async () => {
    browser = await startChromium({ webgpu });
    site = await serveSite({ isolated });
    open = await visit(browser, `${site.url}${query}${LINK}&steps=${steps}`);
    await status(open.page, 'resting');
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it('says which backend runs, and why', async () => {
    await expect.poll(() => open.page.textContent('#backend')).toMatch(backend);
  });

  it('trains at a click, rests at the next, and finds the same weights after a reload', async () => {
    const { page } = open;
    await trainTo(page, 3);
    const [step, hash] = [await stepOf(page), await weightsHash(page)];
    await page.reload();
    await status(page, 'resting');
    await expect.poll(() => stepOf(page)).toBe(step);
    expect(await weightsHash(page)).toBe(hash);
    await expect.poll(() => page.textContent('#notes')).toMatch(`A saved run was found, at step ${step}`);
  });

  it('goes on to the end: the reward rises, and there is a held-out accuracy', async () => {
    const { page } = open;
    await page.click('#train');
    await status(page, 'finished');
    await expect.poll(() => stepOf(page)).toBe(steps);
    if (steps >= LEARNED) {
      const { first, last } = await rewards(page);
      expect(first).toBeLessThan(0.15);
      expect(last).toBeGreaterThan(first + 0.1);
    }
    await expect.poll(() => page.textContent('#figures')).toMatch(/Held-out accuracy\d/);
  });

  it('evaluates, answers and exports: Node gives the answers the same log-probs within 1e-4', async () => {
    const { page } = open;
    await page.click('#evaluate');
    await drawn(page);
    await status(page, 'finished');
    const asked = await ask(page);
    expect(asked).toHaveLength(4);
    const files = await unzipped(page, '#export');
    expect(Object.keys(files).sort()).toEqual([
      'config.yaml',
      'model/README.md',
      'model/config.json',
      'model/generation_config.json',
      'model/model.safetensors',
      'model/tokenizer.json',
      'model/tokenizer_config.json',
    ]);
    const scores = await scoredInNode(files, asked);
    asked.forEach(({ logprobs }, i) => {
      expect(scores[i]).toHaveLength(logprobs.length);
      logprobs.forEach((logprob, j) => expect(Math.abs(logprob - (scores[i]?.[j] ?? Number.NaN))).toBeLessThan(1e-4));
    });
  });

  it('has put no error into the console', () => {
    expect(open.errors).toEqual([]);
  });
});

it('a device that is lost in mid-step is said, and the run goes on by itself from what was saved', async () => {
  const browser = await startChromium({ webgpu: true });
  const site = await serveSite({ isolated: true });
  try {
    const { page } = await visit(browser, `${site.url}?backend=webgpu${LINK}&steps=6`);
    await status(page, 'resting');
    await page.click('#train');
    await reach(page, 3);
    const devtools = await browser.newBrowserCDPSession();
    await devtools.send('Browser.crashGpuProcess');
    await page.waitForFunction(
      () => document.getElementById('notes')?.textContent?.includes('Going on from'),
      undefined,
      { timeout: 120_000 },
    );
    await expect.poll(() => page.textContent('#notes')).toMatch(/the device was lost/);
    await status(page, 'finished');
    await expect.poll(() => stepOf(page)).toBe(6);
  } finally {
    await browser.close();
    await site.close();
  }
});
