/** What keeps a visitor on the page: intervals, values under the pointer, more steps, answers token by token. One run, shared. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { drawn, type Site, serveSite, startChromium, status, stepOf, type Visit, visit } from './chromium.ts';

const STEPS = 12;

let browser: Browser;
let site: Site;
let open: Visit;

beforeAll(async () => {
  browser = await startChromium({ webgpu: false });
  site = await serveSite({ isolated: true });
  open = await visit(browser, `${site.url}#preset=sort-two&steps=${STEPS}&evalEvery=4&batch=64`);
  await status(open.page, 'resting');
  await open.page.click('#train');
  await status(open.page, 'finished');
});
afterAll(async () => {
  expect(open.errors).toEqual([]);
  await browser?.close();
  await site?.close();
});

it('an accuracy never stands without its interval, and the tab shows where the run is', async () => {
  const { page } = open;
  expect(await page.textContent('#figures > div:first-child')).toMatch(/\d+\.\d %95 % interval \d+–\d+ %/);
  expect(await page.textContent('[data-curve=accuracy] .now')).toMatch(/^\d+\.\d % \[\d+\.\d–\d+\.\d\]$/);
  expect(await page.title()).toMatch(/^\d+ % \(\d+–\d+\) solved · done · Sort two digits · /);
});

it('a curve is read under the pointer and with arrow keys, in all charts at the same step', async () => {
  const { page } = open;
  const value = (curve: string) => page.textContent(`[data-curve=${curve}] .now`);
  expect(await page.textContent('[data-curve=accuracy] small')).toMatch(/greedy its 95 % interval sampled/);
  await page.hover('[data-curve=reward] .u-over', { position: { x: 60, y: 40 } });
  await expect.poll(() => value('reward')).toMatch(/^step \d+: .*, smoothed /);
  expect(await value('entropy')).toMatch(/^step \d+: /);
  await page.mouse.move(0, 0);
  await expect.poll(() => value('reward')).not.toMatch(/^step/);
  await page.focus('[data-curve=reward] .plot');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  expect(await value('reward')).toMatch(/^step 2: /);
  expect(await page.getAttribute('[data-curve=reward] .plot', 'aria-valuetext')).toBe(await value('reward'));
  expect(await page.isHidden('[data-curve=kl]')).toBe(true);
});

it('the group that is shown at the end is that of the last step', async () => {
  expect(await open.page.textContent('#group .prompt')).toMatch(`step ${STEPS},`);
});

it('a run that has ended takes more steps, and a reload has them', async () => {
  const { page } = open;
  expect(await page.textContent('#train')).toBe('300 more steps');
  await page.click('#train');
  await page.waitForFunction((steps) => Number(document.getElementById('bar')?.ariaValueNow) > steps + 2, STEPS);
  await page.click('#train');
  await status(page, 'resting');
  const step = await stepOf(page);
  expect(await page.textContent('#progress')).toBe(`step ${step} of ${STEPS + 300}`);
  await page.reload();
  await status(page, 'resting');
  await drawn(page);
  expect(await page.textContent('#progress')).toBe(`step ${step} of ${STEPS + 300}`);
  expect(await page.textContent('#train')).toBe('Go on');
});
