/** What keeps a visitor on the page: intervals, values under the pointer, more steps, answers token by token. One run, shared. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findings, unreached } from './access.ts';
import { arrive, downloaded, openSite, press, status, stepOf, through, type Visit, visit } from './chromium.ts';

const STEPS = 12;

const { browser, site } = await openSite();
let open: Visit;

beforeAll(async () => {
  const link = `${site.url}#preset=sort-two&steps=${STEPS}&evalEvery=4&batch=64`;
  open = await visit(browser, link, { serviceWorkers: 'allow' });
  await status(open.page, 'resting');
  await open.page.click('#train');
  await status(open.page, 'finished');
});
afterAll(() => expect(open.errors).toEqual([]));

it('an accuracy never stands without its interval, and the tab shows where the run is', async () => {
  const { page } = open;
  await expect.poll(() => page.textContent('#figures > div:first-child')).toMatch(/\d+\.\d %95 % interval \d+–\d+ %/);
  await expect.poll(() => page.textContent('[data-curve=accuracy] .now')).toMatch(/^\d+\.\d % \[\d+\.\d–\d+\.\d\]$/);
  await expect.poll(() => page.title()).toMatch(/^\d+ % \(\d+–\d+\) solved · done · Sort two digits · /);
});

it('a curve is read under the pointer and with arrow keys, in all charts at the same step', async () => {
  const { page } = open;
  const value = (curve: string) => page.textContent(`[data-curve=${curve}] .now`);
  await expect.poll(() => page.textContent('[data-curve=accuracy] small')).toMatch(/greedy its 95 % interval sampled/);
  await page.hover('[data-curve=reward] .u-over', { position: { x: 60, y: 40 } });
  await expect.poll(() => value('reward')).toMatch(/^step \d+: .*, smoothed /);
  await expect.poll(() => value('entropy')).toMatch(/^step \d+: /);
  await page.mouse.move(0, 0);
  await expect.poll(() => value('reward')).not.toMatch(/^step/);
  await page.focus('[data-curve=reward] .plot');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => value('reward')).toMatch(/^step 2: /);
  await expect.poll(() => page.getAttribute('[data-curve=reward] .plot', 'aria-valuetext')).toBe(await value('reward'));
  await expect.poll(() => page.isHidden('[data-curve=kl]')).toBe(true);
});

it('the group that is shown at the end is that of the last step', async () => {
  await expect.poll(() => open.page.textContent('#group .prompt')).toMatch(`step ${STEPS},`);
});

it('an answer is read token by token: its log-probs are those of the table, by keyboard too', async () => {
  const { page } = open;
  await page.focus('#group li:nth-child(2) button.tokens');
  const logprobs = await page.$$eval('#group li:nth-child(2) .token', (tokens) =>
    tokens.map((token) => Number((token as HTMLElement).dataset.logprob)),
  );
  await page.keyboard.press('Enter');
  const numbers = await page.$$eval('#group .token-table td:nth-child(4)', (cells) =>
    cells.map((cell) => Number(cell.textContent?.replace('\u2212', '-'))),
  );
  const sum = logprobs.reduce((total, logprob) => total + logprob, 0);
  expect(numbers).toHaveLength(logprobs.length + 1);
  for (const [i, logprob] of [...logprobs, sum].entries()) expect(numbers[i]).toBeCloseTo(logprob, 3);
  for (const row of [1, 2]) {
    await press(page, `#group .token-table tbody tr:nth-child(${row}) .next button`);
    await page.waitForSelector(`#group .token-table tr:nth-child(${row}) .next .token`);
  }
  const shares = await page.$$eval('#group .token-table tr:nth-child(2) .next span', (all) =>
    all.map((one) => Number(/ ([\d.]+) %$/.exec(one.textContent ?? '')?.[1])),
  );
  expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  const all = shares.reduce((total, share) => total + share, 0);
  expect(all).toBeGreaterThan(30);
  expect(all).toBeLessThan(100.5);
  await page.waitForSelector('.look .moments');
  const heads = page.locator('.look .heads input');
  await expect.poll(() => heads.count()).toBe(2); // sort-two: one layer of two heads
  const said = (): Promise<string[]> => page.locator('.look .moments p.quiet').allTextContents();
  await page.waitForFunction(() =>
    /writes (\S+), head 1 of layer 1/.test(document.querySelector('.look h3')?.textContent ?? ''),
  );
  const first = await said();
  expect(first).toHaveLength(2);
  for (const words of first) expect(words).toMatch(/^mostly at \S+ \([\d.]+ %\) and \S+ \([\d.]+ %\)$/);
  expect(first[0]).not.toBe(first[1]); // before is not now
  await heads.first().focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.textContent('.look h3')).toContain('head 2 of layer 1');
  await expect.poll(() => said()).not.toEqual(first);
  expect(await findings(page)).toEqual([]);
  await page.focus('#group .token-table .scroll');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.isHidden('#group .token-table')).toBe(true);
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toBe('tokens');
});

it('a run that has ended takes more steps, and a reload has them', async () => {
  const { page } = open;
  await expect.poll(() => page.textContent('#train')).toBe('300 more steps');
  await press(page, '#train');
  await page.waitForFunction((steps) => Number(document.getElementById('bar')?.ariaValueNow) > steps + 2, STEPS);
  await press(page, '#train', 'Space');
  await status(page, 'resting');
  const step = await stepOf(page);
  await expect.poll(() => page.textContent('#progress')).toBe(`step ${step} of ${STEPS + 300}`);
  await page.reload();
  await status(page, 'resting');
  await page.waitForFunction(
    (text) => document.getElementById('progress')?.textContent === text,
    `step ${step} of ${STEPS + 300}`,
  );
  await expect.poll(() => page.textContent('#train')).toBe('Continue');
});

it('a reward is written in an editor that is fetched when it is opened; Escape, then Tab leaves it', async () => {
  const { page } = open;
  const editors = () =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('code_editor')).length,
    );
  await expect.poll(() => editors()).toBe(0);
  const before = await page.inputValue('#reward-code');
  await page.press('#reward-code', 'ArrowDown');
  await page.waitForSelector('.editor .cm-lineNumbers');
  await expect.poll(() => editors()).toBe(1);
  const text = () => page.$$eval('.editor .cm-line', (lines) => lines.map((line) => line.textContent).join('\n'));
  await expect.poll(() => text()).toBe(before);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('function reward({ verdict }) { return verd');
  await page.waitForSelector('.cm-tooltip-autocomplete >> text=verdict.score');
  await page.keyboard.press('Escape'); // the list
  await page.keyboard.type('ict.score / 2;');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('try-reward');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#reward tbody tr');
  await expect.poll(() => page.$$('#reward tbody tr')).toHaveLength(20);
});

it('every control is reached with Tab and shows it; all of them do their work by keyboard', async () => {
  const { page } = open;
  await page.press('#methods > summary', 'Enter');
  await page.waitForSelector('#methods dt');
  expect(await unreached(page)).toEqual([]);
  await page.press('#methods > summary', 'Enter');
  await through(page, 'busy', () => press(page, '#evaluate'));
  await status(page, 'resting');
  await page.fill('#prompt', '71>');
  await page.press('#prompt', 'Enter');
  await page.waitForSelector('#ask [aria-busy=false] .answer.now li'); // not those of an earlier prompt
  await expect
    .poll(() => page.textContent('#ask [role=status]'))
    .toMatch(/^71> .*\d of 4 right before, \d of 4 right now/);
  await expect.poll(() => page.locator('#ask .answer.before li').count()).toBe(4);
  await press(page, '#ask .answer button.tokens');
  await page.waitForSelector('#ask .token-table table');
  await page.keyboard.press('Escape');
  expect((await downloaded(page, '#export')).subarray(0, 2).toString()).toBe('PK');
  await press(page, '#check-task');
  await page.waitForSelector('#own-task tbody tr');
  const step = await stepOf(page);
  await press(page, '#step');
  await page.waitForFunction((wanted) => Number(document.getElementById('bar')?.ariaValueNow) === wanted, step + 1);
  await status(page, 'resting');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await press(page, '#reset');
  await expect.poll(() => stepOf(page)).toBe(step + 1);
  await page.press('#preset', 'ArrowUp');
  await page.waitForFunction(() => location.hash.startsWith('#preset=sort-digits'));
  await page.waitForSelector('.overlays input');
  await press(page, '.overlays input', 'Space');
  await expect.poll(() => page.isChecked('.overlays input')).toBe(true);
  await page.press('#preset', 'ArrowDown');
  await page.waitForFunction(() => location.hash.startsWith('#preset=sort-two'));
  await status(page, 'resting');
});

it('without a network a reload finds page and run again, and trains on; the page can be installed', async () => {
  const { page } = open;
  await page.waitForSelector('body[data-offline=kept]');
  const devtools = await page.context().newCDPSession(page);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
  await page.context().setOffline(true);
  const before = site.requests.length;
  await page.reload();
  await status(page, 'resting');
  const step = await stepOf(page);
  await page.click('#step');
  await page.waitForFunction((wanted) => Number(document.getElementById('bar')?.ariaValueNow) === wanted, step + 1);
  await expect.poll(() => page.evaluate(() => crossOriginIsolated)).toBe(true);
  // The browser itself looks for a newer service worker.
  expect(site.requests.slice(before).filter((path) => path !== '/service_worker.js')).toEqual([]);
  await page.context().setOffline(false);
});

it('embedded, it is the controls, figures and curves of the preset, without navigation', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}?embed=1&preset=sort-two&steps=5`, {
    viewport: { width: 360, height: 500 },
  });
  await status(page, 'waiting');
  const seen = (selector: string) => page.isVisible(selector);
  await expect
    .poll(() => Promise.all(['header', '#presets', '#settings', '#keep', '#ask'].map(seen)))
    .not.toContain(true);
  await expect
    .poll(() => Promise.all(['#train', '#figures', '[data-curve=accuracy]', '#full'].map(seen)))
    .not.toContain(false);
  await expect.poll(() => page.textContent('.yaml')).toContain('max_steps: 5');
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  await page.focus('#full');
  await expect.poll(() => page.getAttribute('#full', 'href')).toBe('/#preset=sort-two&steps=5');
  expect(errors).toEqual([]);
  await close();
});
