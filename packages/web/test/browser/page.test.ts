/** What the page promises besides training: access, weight, isolation, and a sentence for each misfortune. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findings } from './access.ts';
import {
  arrive,
  downloaded,
  openRun,
  openSite,
  press,
  reach,
  serveSite,
  status,
  stepOf,
  trainTo,
  type Visit,
  visit,
  weightsHash,
} from './chromium.ts';

const LINK = '#preset=sort-two&steps=2000&evalEvery=500';
const DIST = fileURLToPath(new URL('../../../../web/dist', import.meta.url));
const MOST_BYTES = 1_430_000;
/** Worker and page together, as they lie there, the editor apart. */
const MOST_BYTES_AT_FIRST = 900_000;

const { browser, site } = await openSite();

it('all of the page, engine included, has fewer than 1.43 MB gzipped', () => {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
});

it('what a first visit loads until it trains has fewer than 900 kB, on WebAssembly and on WebGPU', async () => {
  const before = site.requests.length;
  // Of the service worker, which would fetch the rest meanwhile, its own script alone counts.
  const { page, close } = await arrive(browser, site.url);
  await status(page, 'waiting');
  await page.click('#train');
  await status(page, 'training');
  const paths = [...site.requests.slice(before), '/service_worker.js'].map((path) =>
    path === '/' ? '/index.html' : path,
  );
  expect(new Set(paths).size).toBe(paths.length);
  await close();
  const bytes = (some: readonly string[]): number =>
    some.reduce((sum, path) => sum + statSync(join(DIST, path)).size, 0);
  const ofWebAssembly = paths.filter((path) => /engine\/engine\.js|kernels_/.test(path));
  expect(ofWebAssembly).toHaveLength(2);
  const webGpu = (ofWebAssembly[0] as string).replace('engine/engine.js', 'engine/backend.js');
  const all = bytes(paths);
  expect(all).toBeLessThan(MOST_BYTES_AT_FIRST);
  expect(all - bytes(ofWebAssembly) + bytes([webGpu])).toBeLessThan(MOST_BYTES_AT_FIRST);
});

it('axe finds nothing before a training, in the middle of one, and with all of it open', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}${LINK}`);
  await status(page, 'waiting');
  expect(await findings(page)).toEqual([]);
  await openRun(page);
  await trainTo(page, 5);
  await page.click('#group li button.tokens');
  await page.click('#try-reward');
  await page.$$eval('details', (all) => all.forEach((details) => details.setAttribute('open', '')));
  await page.waitForSelector('#methods dt', { state: 'attached' });
  await page.waitForSelector('#reward tbody tr');
  expect(await findings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

it.each([
  [1280, 800],
  [390, 844],
])('%i by %i pixels show the round, the held-out curve, what is asked and answers', async (width, height) => {
  const { page, close } = await arrive(browser, `${site.url}${LINK}`, { viewport: { width, height } });
  await status(page, 'waiting');
  await page.click('#train');
  await page.waitForSelector('#group li .advantage');
  await page.waitForSelector('#accuracy canvas');
  await page.waitForFunction(() =>
    /\d right$/.test(document.querySelector('#cycle li:nth-child(2)')?.textContent ?? ''),
  );
  const seen = ['#cycle', '#accuracy canvas', '#group .prompt', '#group li:first-child'];
  const isWhole = await page.evaluate((selectors) => {
    const boxes = selectors.map((selector) => document.querySelector(selector)?.getBoundingClientRect());
    return boxes.map(
      (box) => box !== undefined && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth,
    );
  }, seen);
  expect(isWhole).toEqual(seen.map(() => true));
  await page.focus('#cycle li:nth-child(3) button');
  await expect.poll(() => page.textContent('#cycle p')).toContain('its advantage');
  await page.locator('#reset').focus();
  await expect.poll(() => page.textContent('#cycle p')).toContain('One round of training');
  await close();
});

it('while a teacher is copied, answers to held-out problems are shown, until there is a group', async () => {
  const { page, close } = await arrive(
    browser,
    `${site.url}#preset=weak-reward&warmStart=30&steps=4&batch=64&width=32`,
  );
  await status(page, 'waiting');
  await page.click('#train');
  await page.waitForSelector('#group .prompt:has-text("held-out problems")');
  await expect.poll(() => page.locator('#group .completion :is(.right, .wrong)').count()).toBeGreaterThan(4);
  await page.waitForSelector('#group li .advantage');
  await expect.poll(() => page.textContent('#group .prompt')).not.toContain('held-out');
  await close();
});

it('is used by keyboard alone: to the controls, train, pause', async () => {
  const { page, close } = await arrive(browser, `${site.url}${LINK}`);
  await status(page, 'waiting');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter'); // skip to the controls
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('train');
  await page.keyboard.press('Enter');
  await reach(page, 3);
  await page.keyboard.press('Enter'); // the button has kept the keyboard, which it could not have while the run was opened
  await status(page, 'resting');
  await expect.poll(() => page.textContent('#train')).toBe('Continue');
  await expect.poll(() => page.textContent('#notes')).not.toContain('stopped');
  await close();
});

it('has contents that move to their place by keyboard, and leave the experiment of the address as it is', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}#preset=sort-two`);
  await status(page, 'waiting');
  await page.locator('#contents a:has-text("Settings")').press('Enter');
  await page.waitForSelector('#settings-title:focus');
  await page.waitForFunction(() => {
    const { top } = document.getElementById('settings-title')?.getBoundingClientRect() ?? { top: -1 };
    return top >= 0 && top < innerHeight;
  });
  await expect.poll(() => page.evaluate(() => location.hash)).toBe('#preset=sort-two');
  await expect.poll(() => page.isVisible('#all-runs')).toBe(false);
  expect(errors).toEqual([]);
  await close();
});

it('plays episodes: each turn is a line of its own, what it was answered on the right', async () => {
  const { page, errors, close } = await visit(browser, `${site.url}#preset=guess-number&warmStart=20&steps=40`);
  await status(page, 'resting');
  await page.click('#train');
  // An episode is played turn by turn: its first guess is there while the answer to its last is not.
  await page.waitForFunction(() => {
    const [first, ...rest] = document.querySelectorAll('.completion .said');
    const isVisible = (part?: Element | null) => part?.checkVisibility({ visibilityProperty: true }) === true;
    return isVisible(first) && !isVisible(rest.at(-1)) && !isVisible(document.querySelector('.completion .scores'));
  });
  await page.waitForSelector('.completions .said.others .token.given');
  await page.click('#train');
  await status(page, 'resting');
  const said = await page.locator('.completions .said').allInnerTexts();
  expect(said.length).toBeGreaterThan(16);
  await expect.poll(() => page.locator('.completions .said:not(.others) .token.given').count()).toBe(0);
  await expect.poll(() => page.textContent('#figures')).toMatch(/Time\d+ (s|min) left/);
  expect(await findings(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

it('on a host without headers a service worker isolates the page, and it has threads', async () => {
  const plain = await serveSite({ isolated: false });
  const { page, errors, close } = await visit(browser, `${plain.url}?threads=2${LINK}`, { serviceWorkers: 'allow' });
  await page.waitForFunction(() => crossOriginIsolated && document.body.dataset.status === 'resting', undefined, {
    timeout: 60_000,
  });
  await expect.poll(() => page.textContent('#backend')).toMatch(/^WebAssembly on 2 threads/);
  expect(errors).toEqual([]);
  await close();
  await plain.close();
});

it('without isolation and without a service worker it trains on one thread, and says so', async () => {
  const plain = await serveSite({ isolated: false });
  const { page, close } = await visit(browser, `${plain.url}${LINK}`);
  await trainTo(page, 3);
  await expect
    .poll(() => page.textContent('#backend'))
    .toMatch(/^WebAssembly on one thread.*not cross-origin isolated/);
  await close();
  await plain.close();
});

it('the same run in a second tab is in memory only there, and says so; the first one is untouched', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 3);
  const [step, hash] = [await stepOf(page), await weightsHash(page)];
  const second = await page.context().newPage();
  await second.goto(`${site.url}${LINK}`);
  await openRun(second);
  await status(second, 'resting');
  await expect.poll(() => second.textContent('#storage')).toMatch(/Another tab has this run open/);
  await trainTo(second, 2);
  await second.close();
  await page.reload();
  await status(page, 'resting');
  expect([await stepOf(page), await weightsHash(page)]).toEqual([step, hash]);
  await close();
});

/** Overwrites a file in every saved state but the oldest, or in all of them. */
function damage(page: Page, which: 'newest' | 'all'): Promise<void> {
  return page.evaluate(async (wanted) => {
    type Folder = FileSystemDirectoryHandle & { entries(): AsyncIterableIterator<[string, FileSystemHandle]> };
    const site = (await navigator.storage.getDirectory()) as Folder;
    const runs = (await site.getDirectoryHandle('rlvr-train')) as Folder;
    for await (const [, run] of runs.entries()) {
      const states = (await (run as Folder).getDirectoryHandle('checkpoints')) as Folder;
      const names: string[] = [];
      for await (const [name] of states.entries()) names.push(name);
      names.sort((a, b) => Number(a.split('-').at(-1)) - Number(b.split('-').at(-1)));
      for (const name of wanted === 'all' ? names : names.slice(-1)) {
        const file = await (await states.getDirectoryHandle(name)).getFileHandle('weights.safetensors');
        const writable = await file.createWritable();
        await writable.write('nothing');
        await writable.close();
      }
    }
  }, which);
}

it('a damaged state is passed over for the one before it; where all are damaged, a reset starts over', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 3);
  const before = await stepOf(page);
  await page.click('#step');
  await page.waitForFunction(
    (step) => document.getElementById('progress')?.textContent?.startsWith(`step ${step} `),
    before + 1,
  );
  await status(page, 'resting');
  await damage(page, 'newest');
  await page.reload();
  await status(page, 'resting');
  await expect.poll(() => stepOf(page)).toBe(before);
  await expect.poll(() => page.textContent('#notes')).toMatch(/is damaged .*the one before it is used/);
  await damage(page, 'all');
  await page.reload();
  await status(page, 'failed');
  await expect
    .poll(() => page.textContent('#notes'))
    .toMatch(/every checkpoint of this run is damaged[\s\S]*Reset starts over/);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.click('#reset');
  await status(page, 'resting');
  await expect.poll(() => stepOf(page)).toBe(0);
  await close();
});

it('a run that was saved to a file goes on in another browser; a file that holds none is refused, and nothing changes', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 3);
  const [step, hash] = [await stepOf(page), await weightsHash(page)];
  const buffer = await downloaded(page, '#save');
  await close();

  const other = await visit(browser, `${site.url}#preset=countdown`);
  await status(other.page, 'resting');
  await other.page.setInputFiles('#load', { name: 'run.zip', mimeType: 'application/zip', buffer });
  await reach(other.page, step);
  await status(other.page, 'resting');
  expect([await stepOf(other.page), await weightsHash(other.page)]).toEqual([step, hash]);

  const cut = { name: 'cut.zip', mimeType: 'application/zip', buffer: buffer.subarray(0, 1000) };
  await other.page.setInputFiles('#load', cut);
  await other.page.waitForFunction(() => document.getElementById('notes')?.textContent?.includes('cannot be loaded'));
  await expect.poll(() => other.page.textContent('#notes')).toMatch(/cut\.zip cannot be loaded: .*Nothing was changed/);
  expect([await stepOf(other.page), await weightsHash(other.page)]).toEqual([step, hash]);
  await trainTo(other.page, step + 2);
  expect(other.errors).toEqual([]);
  await other.close();
});

describe('a reward that a visitor writes', () => {
  let shared: Visit;
  beforeAll(async () => {
    shared = await visit(browser, `${site.url}${LINK}`);
    await status(shared.page, 'resting');
  });
  afterAll(() => shared?.close());

  it.each([
    ['loops for ever', 'function reward() { for (;;); }', /gave nothing within 5 s/],
    ['throws', 'function reward() { return missing; }', /ReferenceError: missing is not defined/],
    ['is no reward', 'const x = 1;', /declares no function reward/],
    ['gives no number', 'function reward() { return "much"; }', /gave "much".*give a finite number/],
    ['asks for the network', 'function reward() { fetch("/x"); return 0; }', /ReferenceError: fetch is not defined/],
  ])('that %s is a sentence, and the run goes on', async (_, code, message) => {
    const { page, errors } = shared;
    await page.fill('#reward-code', code);
    await page.click('#try-reward');
    await page.waitForSelector(`#reward .problem >> text=${message}`, { timeout: 30_000 });
    await trainTo(page, (await stepOf(page)) + 2);
    expect(errors).toEqual([]);
  });

  it.each([
    ['with an error', 'throw undefined'],
    ['without a word', ''],
  ])('is started again where the browser loses its worker %s', async (_, program) => {
    const { page, close } = await visit(browser, `${site.url}${LINK}`);
    await status(page, 'resting');
    // Only the frames that are made from now on, which are those of the reward, hear of it.
    await page.addInitScript((lost) => {
      const Plain = globalThis.Worker;
      const isFirst = window.parent.document.querySelectorAll('iframe').length === 1;
      if (window === window.top || !isFirst) return;
      globalThis.Worker = function broken() {
        return new Plain(`data:text/javascript,${lost}`);
      } as unknown as typeof Worker;
    }, program);
    await page.fill('#reward-code', 'function reward() { return 0.25; }');
    await page.click('#try-reward');
    await page.waitForSelector('#reward tbody tr, #reward .problem');
    await expect.poll(() => page.textContent('#reward tbody td:nth-child(3)')).toBe('0.25');
    await expect.poll(() => page.locator('iframe').count()).toBeGreaterThan(1); // a slow machine may need a third
    await close();
  });

  it('is tried on twenty completions and trained against', async () => {
    const { page, close } = await visit(browser, `${site.url}${LINK}`);
    await status(page, 'resting');
    await page.fill('#reward-code', 'function reward({ completion }) { return completion[0] === "7" ? 1 : 0; }');
    await page.click('#use-reward');
    await page.waitForSelector('#reward tbody tr, #reward .problem');
    await expect
      .poll(() => page.$$eval('#reward .problem', (problems) => problems.map((problem) => problem.textContent)))
      .toEqual([]);
    await expect.poll(() => page.$$('#reward tbody tr')).toHaveLength(20);
    await page.waitForFunction(() => location.hash.includes('reward=yours'));
    // The page still rests from the run before, until it is drawn anew.
    await page.waitForSelector('.yaml >> text=/reward_funcs: .*yours/', { state: 'attached' });
    await trainTo(page, 40);
    expect(Number(await page.textContent('#figures div:nth-child(3) .figure'))).toBeGreaterThan(0.3);
    await close();
  });
});

it('each answer shows what a reward that is edited would pay it, as it trains too', async () => {
  const { page, errors, close } = await visit(browser, `${site.url}${LINK}`);
  await status(page, 'resting');
  await page.click('#train');
  await page.waitForSelector('#group li .would', { state: 'attached' });
  await page.fill('#reward-code', 'function reward({ verdict }) { return verdict.score + 2; }');
  await page.waitForSelector('#group .would.other');
  await page.click('#train');
  await status(page, 'resting');
  const read = (selector: string): Promise<string[]> => page.locator(`#group ${selector}`).allTextContents();
  await page.waitForSelector('#group li:last-child .would.other');
  const isRight = (await read('.scores > span:nth-child(1)')).map((text) => text.startsWith('✓'));
  expect(await read('.would')).toEqual(isRight.map((right) => `would pay ${right ? '3.00' : '2.00'}`));
  await page.fill('#reward-code', 'function reward(');
  await page.waitForFunction(() => document.querySelector('#group .would')?.textContent === '');
  expect(errors).toEqual([]);
  await close();
});

it('a click on Train while the page opens another run trains that one', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 3);
  await page.fill('#set-seed', '7');
  await page.evaluate(() => {
    document.getElementById('set-seed')?.dispatchEvent(new Event('change'));
    document.getElementById('train')?.click(); // which is drawn disabled a moment later
  });
  await page.waitForFunction(() => location.hash.includes('seed=7'));
  await status(page, 'training');
  await page.click('#train');
  await status(page, 'resting');
  await page.waitForSelector('.yaml >> text=/seed: 7/', { state: 'attached' });
  await close();
});

it('a Pause that is clicked after the last step, which was not drawn yet, takes no further ones', async () => {
  const { page, close } = await visit(browser, `${site.url}#preset=sort-two&evalEvery=100&batch=128&steps=30`);
  await status(page, 'resting');
  while ((await page.textContent('#train')) !== '300 more steps') {
    await page.click('#train');
    await page.evaluate(async () => {
      const { requestAnimationFrame } = globalThis;
      const held: FrameRequestCallback[] = [];
      const button = document.getElementById('train');
      while (button?.textContent !== 'Pause') await new Promise(requestAnimationFrame);
      globalThis.requestAnimationFrame = (draw) => held.push(draw);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      button.click(); // of a run that is under way all the same, it is a pause: then another try
      globalThis.requestAnimationFrame = requestAnimationFrame;
      held.forEach(requestAnimationFrame);
    });
    await page.waitForTimeout(500);
    await status(page, 'resting', 'finished');
  }
  await expect.poll(() => page.textContent('#progress')).toBe('step 30 of 30');
  await close();
});

it('settings that are moved within a run take effect, and a reload still has them', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 3);
  await page.focus('#set-rate');
  await page.keyboard.press('ArrowLeft');
  await page.waitForSelector('#notes >> text=/learning_rate 0.002/');
  await trainTo(page, (await stepOf(page)) + 2);
  await page.reload();
  await status(page, 'resting');
  await expect.poll(() => page.inputValue('#set-rate')).toBe('7');
  await close();
});

it('what is moved within a run is in its address, and whoever opens that trains to the same weights', async () => {
  const { page, close } = await visit(browser, `${site.url}#preset=sort-two&steps=12&evalEvery=6&batch=64`);
  await press(page, '#step');
  await reach(page, 1);
  await status(page, 'resting');
  await page.focus('#set-rate');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => location.hash.endsWith('&at.1.learning_rate=0.002'));
  await page.click('#train');
  await status(page, 'finished');
  const [address, hash] = [page.url(), await weightsHash(page)];
  await close();
  const other = await visit(browser, address);
  await other.page.click('#train');
  await status(other.page, 'finished');
  expect(await weightsHash(other.page)).toBe(hash);
  expect(other.page.url()).toBe(address);
  await expect.poll(() => other.page.inputValue('#set-rate')).toBe('7');
  await other.close();
});

it('the knobs of the task are those that it declares; a change of one opens a run with it', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await page.waitForSelector('#knob-digits', { state: 'attached' });
  const bounds = await page.$eval('#knob-digits', (input) => [input.getAttribute('min'), input.getAttribute('max')]);
  expect([...bounds, await page.inputValue('#knob-digits')]).toEqual(['2', '9', '2']);
  await page.$eval('#knob-digits', (input) => {
    (input as HTMLInputElement).value = '3';
    input.dispatchEvent(new Event('change'));
  });
  await page.waitForFunction(() => location.hash.includes('knob.digits=3'));
  // The page still rests from the run before, until it is drawn anew.
  await page.waitForSelector('.yaml >> text=/digits: 3/', { state: 'attached' });
  await status(page, 'resting');
  await expect.poll(() => page.textContent('.yaml')).toContain('task: {name: sort_digits, digits: 3}');
  await close();
});

it('methods and their options are listed as they declare themselves, and explain the settings that they are', async () => {
  const { page, errors, close } = await visit(browser, `${site.url}${LINK}`);
  await status(page, 'resting');
  await page.$eval('#methods', (details) => {
    (details as HTMLDetailsElement).open = true;
  });
  await page.waitForSelector('#methods dt', { state: 'attached' });
  const text = await page.textContent('#methods');
  for (const words of ['credit_steps', 'length-mask', 'credit_steps: [{name: length-mask, max_tokens: 24}]', 'cispo']) {
    expect(text).toContain(words);
  }
  await expect
    .poll(() => page.getAttribute('#set-entropy', 'title'))
    .toBe(
      'Weight of the entropy bonus, per nat; a batch without a live group takes no step for it. ' +
        '(number of 0 or more, or a schedule; default 0)',
    );
  await expect.poll(() => page.getAttribute('#set-beta', 'title')).toContain('Weight of the KL');
  expect(errors).toEqual([]);
  await close();
});
