/**
 * Every WebGPU kernel against the float64 specification, and ten training steps against wasm, inside Chromium: the
 * suites of test/conformance and test/webgpu, bundled and run in a page.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChromium } from './chromium.ts';
import { scriptOf } from './kernels/script.ts';
import type { PageResult } from './kernels/vitest.ts';
import { resultsOfScript } from './script_page.ts';

const TESTS = fileURLToPath(new URL('../../../../test', import.meta.url));
/** About the threads of wasm, and the specification itself. */
const NOT_WEBGPU = ['threads.test.ts', 'reference_engine.test.ts'];

const suites = readdirSync(join(TESTS, 'conformance')).filter((name) => !NOT_WEBGPU.includes(name));

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium({ webgpu: true });
});
afterAll(() => browser?.close());

/** Runs the tests in a page of their own. */
async function inPage(files: readonly string[]): Promise<readonly PageResult[]> {
  return resultsOfScript(browser, await scriptOf(files, 'backends.ts'));
}

it('Chromium computes what the specification says, with every kernel', async () => {
  const results = await inPage(suites.map((suite) => `test/conformance/${suite}`));
  expect(results.length).toBeGreaterThan(5 * suites.length);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
});

it('ten steps in Chromium have the losses and gradient norms of wasm, and the same bits when they are done twice', async () => {
  const results = await inPage(['packages/webgpu/test/training/training.test.ts']);
  expect(results.length).toBeGreaterThan(3);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
});
