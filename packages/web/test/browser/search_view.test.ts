/** Answers that search, drawn on the training page: a line a try, what is counted of the group, and access. */
import { expect, it } from 'vitest';
import { findings } from './access.ts';
import { arrive, openSite, press, status, visit } from './chromium.ts';

const LINK =
  '#preset=countdown&knob.max_number=3&knob.train_max_number=3&width=64&layers=2&heads=4&warmStart=250&steps=3&batch=64&evalEvery=1000';

const { browser, site } = await openSite();

it('each try has a line, what was written is whole, and axe finds nothing', async () => {
  const { page, errors, close } = await visit(browser, `${site.url}${LINK}`, { reducedMotion: 'reduce' });
  await page.click('#train');
  await status(page, 'finished');
  await page.waitForSelector('#group li .try');
  const counts = await page.$$eval('#group .counts div', (all) => all.map(({ textContent }) => textContent));
  expect(counts.map((text) => text?.replace(/[\d.]+$/, ''))).toEqual(['tries', 'repeats', 'hits', 'tokens']);
  const tries = Number(counts[0]?.slice('tries'.length));
  const answers = await page.$$eval('#group li button.tokens', (all) =>
    all.map((answer) => ({
      tries: answer.querySelectorAll('.try:not(.solution)').length,
      words: [...answer.querySelectorAll('.token')].map(({ textContent }) => textContent?.trim()).join(' '),
      closed: [...answer.querySelectorAll('.try.closed')].map(({ textContent }) => textContent),
    })),
  );
  const mean = answers.reduce((sum, answer) => sum + answer.tries, 0) / answers.length;
  expect(mean.toFixed(1)).toBe(tries.toFixed(1));
  expect(answers.every(({ closed }) => closed.every((text) => text?.includes('n')))).toBe(true);
  await expect.poll(() => page.$eval('#group li .try', (line) => getComputedStyle(line).animationName)).toBe('none');
  expect(await findings(page)).toEqual([]);

  const [{ words = '' } = {}] = answers;
  await press(page, '#group li button.tokens');
  const table = await page.$$eval('#group .token-table tbody .token', (all) =>
    all.map((token) => token.textContent?.trim()),
  );
  expect(table.join(' ')).toBe(words);
  expect(errors).toEqual([]);
  await close();
});

const RECORDED = '#preset=countdown';

it('a link to a recorded experiment replays it at once, and opens no engine; of another one the page says that there is none', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}${RECORDED}`);
  await page.waitForSelector('#replay .completion .try');
  await expect.poll(() => page.textContent('#replay')).toContain('Nothing is trained now.');
  await status(page, 'waiting');
  await page.goto(`${site.url}${RECORDED}&seed=3`);
  await page.waitForSelector('#watch-offer:has-text("Nobody has recorded this experiment: Train learns it again")');
  await expect.poll(() => page.textContent('#replay')).toBe('');
  expect(errors).toEqual([]);
  await close();
});

it('what a run learned that the browser keeps is watched again', async () => {
  const { page, errors, close } = await visit(browser, `${site.url}#preset=sort-two&steps=40&evalEvery=20`);
  await page.click('#train');
  await status(page, 'finished');
  await page.reload();
  await press(page, '#watch:has-text("Watch what it learned")');
  await page.waitForSelector('#replay .completion');
  await expect.poll(() => page.getAttribute('#replay input', 'max')).toBe('2'); // evaluated at steps 0, 20 and 40
  await expect.poll(() => page.locator('#replay .completion').count()).toBe(8);
  await expect
    .poll(() => page.textContent('#replay'))
    .toMatch(/A recording of a run of this task, seed 0, .* in this browser/);
  expect(errors).toEqual([]);
  await close();
});

it('a recorded run is replayed: its curve, the same problems at each moment, and a pause', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}${RECORDED}`);
  await status(page, 'waiting');
  await press(page, '#replay button:has-text("Close")');
  await press(page, '#watch');
  const moment = (): Promise<string | null> => page.textContent('#replay .replay-moment');
  await page.waitForSelector('#replay .completion .try');
  const first = await moment();
  await page.waitForFunction((said) => document.querySelector('.replay-moment')?.textContent !== said, first);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Pause');
  await page.keyboard.press('Enter');
  const paused = await moment();
  const asked = await page.locator('#replay .prompt').allTextContents();
  await press(page, '#replay button:has-text("Step")');
  await expect.poll(() => moment()).not.toBe(paused);
  await expect.poll(() => page.locator('#replay .prompt').allTextContents()).toEqual(asked);
  await expect.poll(() => page.textContent('#replay')).toContain('Nothing is trained now.');
  expect(await findings(page)).toEqual([]);
  await press(page, '#replay button:has-text("Close")');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('watch');
  await expect.poll(() => page.textContent('#replay')).toBe('');
  expect(errors).toEqual([]);
  await close();
});

it('where less motion is asked for, a recording is stepped by hand', async () => {
  const { page, close } = await arrive(browser, `${site.url}${RECORDED}`, { reducedMotion: 'reduce' });
  await status(page, 'waiting');
  await page.waitForSelector('#replay .completion');
  await expect.poll(() => page.locator('#replay .buttons button').allTextContents()).toEqual(['Step', 'Close']);
  const slider = page.locator('#replay input');
  await slider.press('End');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(await page.textContent('#replay .replay-moment'));
  await expect.poll(() => page.$eval('#replay .try', (line) => getComputedStyle(line).animationName)).toBe('none');
  await close();
});
