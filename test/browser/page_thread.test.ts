/** The page's thread stays free while the engine trains: for scrolling, typing and the next click. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LONG_MS, summarizeTasks, traceThread } from '../../bench/page_thread.mjs';
import { reach, type Site, serveSite, startChromium, status, visit } from './chromium.ts';

let browser: Browser;
let site: Site;

beforeAll(async () => {
  browser = await startChromium({ webgpu: false });
  site = await serveSite({ isolated: true });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

// By processor time: by wall-clock a task is long, too, when other programs have the cores.
it.each([
  ['the first visit, on two threads', '?threads=2#preset=sort-digits', 30],
  ['many short steps, on one thread', '?threads=1#preset=sort-two&steps=2000&evalEvery=20', 200],
] as const)('no task of the page takes long while it trains: %s', async (_, link, steps) => {
  const { page, close } = await visit(browser, `${site.url}${link}`);
  await status(page, 'resting');
  const stop = await traceThread(browser, page);
  await page.click('#train');
  await reach(page, steps);
  await page.click('#train');
  await status(page, 'resting');
  const { cpu, count, longest } = summarizeTasks(await stop());
  expect(count).toBeGreaterThan(100);
  expect(cpu.longestMs, JSON.stringify(longest)).toBeLessThan(LONG_MS);
  await close();
});
