/** Answers that search, drawn on the training page: a line a try, what is counted of the group, and access. */
import { expect, it } from 'vitest';
import { findings } from './access.ts';
import { openSite, press, status, visit } from './chromium.ts';

const LINK =
  '#preset=countdown-search&knob.max_number=3&knob.train_max_number=3&width=64&layers=2&heads=4&warmStart=250&steps=3&batch=64&evalEvery=1000';

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
  expect(await page.$eval('#group li .try', (line) => getComputedStyle(line).animationName)).toBe('none');
  expect(await findings(page)).toEqual([]);

  const [{ words = '' } = {}] = answers;
  await press(page, '#group li button.tokens');
  const table = await page.$$eval('#group .token-table tbody .token', (all) =>
    all.map((token) => token.textContent?.trim()),
  );
  expect(table.join(' ')).toBe(words);
  expect(errors).toEqual([]);
  await close();
}, 120_000);
