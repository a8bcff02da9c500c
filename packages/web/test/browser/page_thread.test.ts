/** The page's thread stays free while the engine trains: for scrolling, typing and the next click. */
import { expect, it } from 'vitest';
import { LONG_MS, summarizeTasks, traceThread } from '../../../../bench/page_thread.mjs';
import { arrive, openRun, openSite, status, trainTo, visit } from './chromium.ts';

const { browser, site } = await openSite();

// By processor time: by wall-clock a task is long, too, when other programs have the cores. Again where one is long: a
// hypervisor's pause of 100 ms may be counted as the time of whoever was running, but not five times in a row.
it.each([
  ['the first visit, on two threads', '?threads=2#preset=sort-digits', 30],
  ['many short steps, on one thread', '?threads=1#preset=sort-two&steps=2000&evalEvery=20', 200],
] as const)('no task of the page takes long while it trains: %s', { retry: 4 }, async (_, link, steps) => {
  const { page, close } = await visit(browser, `${site.url}${link}`);
  await status(page, 'resting');
  const stop = await traceThread(browser, page);
  await trainTo(page, steps);
  const { cpu, count, longest } = summarizeTasks(await stop());
  expect(count).toBeGreaterThan(100);
  expect(cpu.longestMs, JSON.stringify(longest)).toBeLessThan(LONG_MS);
  await close();
});

it('rollouts come to the page a few times per second, however fast the steps are', async () => {
  const { page, close } = await arrive(browser, site.url);
  await page.addInitScript(() => {
    const heard: Record<string, number> = {};
    Object.assign(globalThis, { heard });
    globalThis.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        this.addEventListener('message', ({ data }: MessageEvent<{ event?: { type: string } }>) => {
          if (data.event !== undefined) heard[data.event.type] = (heard[data.event.type] ?? 0) + 1;
        });
      }
    };
  });
  await page.goto(`${site.url}?threads=1#preset=sort-two&steps=2000&evalEvery=500`);
  await page.reload(); // another experiment alone is the same document
  await openRun(page);
  await status(page, 'resting');
  const begin = Date.now();
  await trainTo(page, 100);
  const seconds = (Date.now() - begin) / 1000;
  const heard = await page.evaluate(() => (globalThis as unknown as { heard: Record<string, number> }).heard);
  expect(heard.step).toBeGreaterThanOrEqual(100);
  expect(heard.rollouts).toBeLessThanOrEqual(seconds / 0.15 + 1);
  await close();
});
