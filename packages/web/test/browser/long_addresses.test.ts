/**
 * Kernels over memory with 64-bit addresses, in Chromium: what the specification says. All suites run on Node 24; here some,
 * or those that RLVR_TEST_SUITES names.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChromium } from './chromium.ts';
import { scriptOf } from './kernels/script.ts';
import type { PageResult } from './kernels/vitest.ts';
import { resultsOfScript } from './script_page.ts';

const SUITES = ['linear', 'attention', 'sample'];

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium({ webgpu: false });
});
afterAll(() => browser?.close());

it('Chromium computes over 64-bit addresses what the specification says', async () => {
  const suites = (process.env.RLVR_TEST_SUITES ?? SUITES.join()).split(',');
  const files = suites.map((suite) => `test/conformance/${suite}.test.ts`);
  const script = await scriptOf(files, 'long_backends.ts');
  const results = await resultsOfScript<readonly PageResult[]>(browser, script, { isolated: true });
  expect(results.length).toBeGreaterThan(5 * suites.length);
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
});
