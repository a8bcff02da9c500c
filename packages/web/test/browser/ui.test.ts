/** The pages of `rlvr-train ui` in Chromium: each control by keyboard, what a log adds while one looks, and access. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { folderOfFile } from '../../../../test/support/folders.ts';
import { RunControls } from '../../../commands/process/controls.ts';
import { RequestListener } from '../../../commands/process/run_requests.ts';
import { startUi, type UiServer } from '../../../commands/ui/server.ts';
import { completion, evaluation, step } from '../../../report/test/run_directory.ts';
import { findings, unreached } from './access.ts';
import { arrive, downloaded, press, startChromium, status, weightsHash } from './chromium.ts';

const COMMAND = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url));

let browser: Browser;
const folder = folderOfFile();
let server: UiServer;

/** Frames in which parts of the page may differ: a chart is drawn in the frames after its figures. */
const MOST_FRAMES = 60;
const jsonl = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const line = (number: number, seed: number): object =>
  step('grpo', number, { reward: number / 100 + seed / 50, entropy: 1 / number, kl: 0.001 * number });

function makeRun(name: string, { seed = 0, rate = '1e-3', steps = 40, isFinished = false } = {}): string {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  const stage = `stages:\n  - {stage: grpo, max_steps: 60, learning_rate: ${rate}, generation_batch_size: 64}\n`;
  writeFileSync(join(directory, 'config.yaml'), `task: {name: sort_digits, digits: 2}\nseed: ${seed}\n${stage}`);
  const steps_ = Array.from({ length: steps }, (_, i) => line(i + 1, seed));
  const evaluations = [evaluation('grpo', 0, 'baseline', 0.1), evaluation('grpo', steps, 'periodic', 0.5 + seed / 10)];
  writeFileSync(join(directory, 'metrics.jsonl'), jsonl([evaluations[0], ...steps_, evaluations[1]]));
  writeFileSync(
    join(directory, 'completions.jsonl'),
    jsonl([1, 40].map((at) => completion(at, 0, { prompt: `${at}>`, completion: `answer ${at}` }))),
  );
  if (isFinished) writeFileSync(join(directory, 'summary.json'), '{}');
  return directory;
}

beforeAll(async () => {
  for (const rate of ['1e-3', '1e-2'])
    for (const seed of [0, 1, 2]) makeRun(`rate${rate}/seed${seed}`, { seed, rate, isFinished: true });
  browser = await startChromium({ webgpu: false });
  server = await startUi({ folder });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Goes on with Tab until something is reached. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  throw new Error(`Tab never comes to ${selector}`);
}

const hash = (page: Page): Promise<string> => page.evaluate(() => decodeURIComponent(location.hash));

it('runs are listed, chosen and laid over each other by keyboard; seeds are a curve with a band', async () => {
  const { page, errors, close } = await arrive(browser, server.url);
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 6);
  expect([...(await findings(page)), ...(await unreached(page))]).toEqual([]);
  for (let i = 0; i < 6; i++) {
    await tabTo(page, 'tbody input');
    await page.keyboard.press('Space');
  }
  await page.keyboard.press('Shift+Tab');
  await page.focus('button:has-text("Compare")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.legend:has-text("rate1e-2")');
  const rows = await page.locator('#groups tbody tr').allInnerTexts();
  expect(rows.map((row) => row.replace(/\s+/g, ' ')).sort()).toEqual([
    'rate1e-2 0, 1, 2 40 60.0 % (35.2–84.8) 30.0 % (17.6–42.4) 0.01',
    'rate1e-3 0, 1, 2 40 60.0 % (35.2–84.8) 30.0 % (17.6–42.4) 0.001',
  ]);
  const plot = page.locator('.plot[aria-label="Held-out accuracy, greedy"]');
  await expect.poll(() => plot.getAttribute('aria-valuetext')).toMatch(/^step 40 .*rate1e-2 60\.0 %, rate1e-3 60\.0 %/);
  expect([...(await findings(page)), ...(await unreached(page))]).toEqual([]);
  await page.locator('.legend').first().focus();
  await page.keyboard.press('Enter');
  expect(await hash(page)).toContain('off=rate1e-2');
  await expect.poll(() => page.locator('.legend[aria-pressed="false"]').count()).toBeGreaterThan(3);
  expect(errors).toEqual([]);
  await close();
});

it('a run is found, sorted, named and deleted by keyboard; the address keeps search and order', async () => {
  makeRun('zz-last', { seed: 7 });
  const { page, errors, close } = await arrive(browser, server.url);
  const names = (): Promise<string[]> => page.locator('tbody th a').allInnerTexts();
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 6);
  await tabTo(page, '[data-sort="run"]');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await names())[0]).toBe('rate1e-2/seed0');
  await expect.poll(() => page.getAttribute('th[aria-sort]', 'aria-sort')).toBe('ascending');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await names())[0]).toBe('zz-last');
  await tabTo(page, 'tbody button.small');
  await page.keyboard.press('Enter');
  expect([...(await findings(page))]).toEqual([]);
  await page.focus('#run-name');
  await page.keyboard.type('The best so far');
  await page.keyboard.press('Tab');
  await page.keyboard.type('with entropy');
  await tabTo(page, 'dialog button[type=submit]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('tbody small:has-text("with entropy")');
  await page.fill('input[type=search]', 'best entropy');
  await expect.poll(() => names()).toEqual(['The best so far']);
  expect(await hash(page)).toBe('#sort=-run&find=best+entropy');
  await page.reload();
  await page.waitForSelector('tbody th a:has-text("The best so far")');
  await expect.poll(() => names()).toEqual(['The best so far']);

  await page.locator('tbody button.small').press('Enter');
  await page.locator('dialog button:has-text("Delete this run")').press('Enter');
  await page.waitForSelector('dialog button:has-text("Keep it"):focus');
  expect([...(await findings(page))]).toEqual([]);
  await page.keyboard.press('Enter');
  expect(existsSync(join(folder, 'zz-last/metrics.jsonl'))).toBe(true);
  await page.locator('tbody button.small').press('Enter');
  await page.locator('dialog button:has-text("Delete this run")').press('Enter');
  await page.locator('dialog button:has-text("Delete for good")').press('Enter');
  await page.waitForSelector('[role=status]:has-text("None of")');
  expect(existsSync(join(folder, 'zz-last'))).toBe(false);
  expect(errors).toEqual([]);
  await close();
});

it('a run under way is redrawn as its log grows, asked by keyboard, and looked at from all sides', async () => {
  const directory = makeRun('live');
  const claim = await fileStore(directory).claim();
  const controls = new RunControls();
  const listener = new RequestListener(directory, controls);
  const { page, errors, close } = await arrive(browser, `${server.url}run?run=live`);
  await page.waitForFunction(() => document.querySelector('.status')?.textContent === 'under way, grpo step 40 of 60');
  const reward = page.locator('.plot[aria-label="Reward"]');
  appendFileSync(join(directory, 'metrics.jsonl'), jsonl([line(41, 0), line(42, 0)]));
  await page.waitForFunction(() => document.title.startsWith('42 of 60'));
  await page.waitForSelector('.plot[aria-label="Reward"][aria-valuetext$="reward 0.42"]');
  await page.waitForSelector('.completion');
  expect([...(await findings(page)), ...(await unreached(page))]).toEqual([]);

  await tabTo(page, '#pause');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#pause:has-text("Continue")');
  expect(controls.asked).toBe('pause');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#pause:has-text("Pause")');
  await tabTo(page, '#evaluate');
  await page.keyboard.press('Space');
  await page.waitForSelector('#evaluate:disabled');
  expect(controls.asked).toBe('evaluation');

  await reward.focus();
  await page.keyboard.press('Home');
  await expect.poll(() => reward.getAttribute('aria-valuetext')).toMatch(/^step 1 /);
  await page.keyboard.press('+');
  await page.keyboard.press('+');
  expect(await hash(page)).toContain('part=0.75~11.25');
  await page.keyboard.press('0');
  expect(await hash(page)).not.toContain('part=');
  const box = (await reward.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + (3 * box.width) / 4, box.y + 60, { steps: 3 });
  await page.mouse.up();
  await press(page, '.choices input[value="log"]', 'Space');
  await press(page, '.choices input[value="tokens"]', 'Space');
  await press(page, '.choices input[value="step"]', 'Space');
  await reward.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('-');
  await page.locator('button.legend:has-text("kl")').press('Enter');
  await page.locator('button[aria-label="Previous step"]').press('Enter');
  const before = await hash(page);
  for (const part of ['over=step', 'scale=log', 'off=KL/kl', 'step=0-1']) expect(before).toContain(part);

  const csv = String(await downloaded(page, 'button[aria-label="Save Reward as CSV"]'));
  expect(csv.split('\n').slice(0, 2)).toEqual(['stage,step,seconds,tokens,reward', 'grpo,1,0.5,100,0.01']);
  const png = await downloaded(page, 'button[aria-label="Save Reward as PNG"]');
  expect(png.subarray(1, 4).toString()).toBe('PNG');

  await page.reload();
  await page.waitForSelector('.legend[aria-pressed="false"]:has-text("kl")');
  await page.waitForSelector('.completion:has-text("answer 1")');
  expect(await hash(page)).toBe(before);
  await expect.poll(() => page.isChecked('.choices input[value="log"]')).toBe(true);

  await page.locator('#stop').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector<HTMLButtonElement>('#pause')?.disabled);
  expect(controls.signal.aborted).toBe(true);
  await listener.close();
  await claim.release();
  await page.waitForSelector('#commands:has-text("No process works on this run")');
  await page.goto(`${server.url}report?run=live`);
  expect([...(await findings(page)), ...(await unreached(page))]).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

it('figures, curves, badge and title of a run under way are renewed together', async () => {
  const directory = makeRun('agreeing');
  const claim = await fileStore(directory).claim();
  const { page, close } = await arrive(browser, `${server.url}run?run=agreeing`);
  await page.waitForSelector('.legend:has-text("greedy")');
  // Steps of the figure and of the badge, accuracies of the figure and of the curve's legend, and for how many frames they differ.
  await page.evaluate(() => {
    const text = (selector: string): string => document.querySelector(selector)?.textContent ?? '';
    const figure = (title: string): string =>
      [...document.querySelectorAll('.figures > div')]
        .map(({ textContent }) => textContent ?? '')
        .find((own) => own.startsWith(title)) ?? '';
    const apart = { longest: 0, looks: 0 };
    let since = 0;
    const look = (): void => {
      const steps = [/^Optimizer steps(\d+)/.exec(figure('Optimizer steps')), /step (\d+)/.exec(text('.status'))];
      const greedy = [/→ (\S+ %)/.exec(figure('Greedy accuracy')), /greedy (\S+ %)/.exec(text('.legends'))];
      const isSame = [steps, greedy].every(([a, b]) => a !== null && a?.[1] === b?.[1]);
      apart.looks++;
      if (isSame) since = apart.looks;
      apart.longest = Math.max(apart.longest, apart.looks - since);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(globalThis, { apart });
  });
  for (const [number, accuracy] of [
    [41, 0.6],
    [42, 0.7],
  ] as const) {
    const lines = [line(number, 0), { ...evaluation('grpo', number, 'requested', accuracy), eval_runtime: 2 }];
    appendFileSync(join(directory, 'metrics.jsonl'), jsonl(lines));
    await page.waitForFunction((step) => document.title.startsWith(`${step} of 60`), number);
  }
  type Apart = { readonly longest: number; readonly looks: number };
  const apart = () => page.evaluate(() => (globalThis as unknown as { apart: Apart }).apart);
  const { looks } = await apart();
  await expect.poll(async () => (await apart()).looks).toBeGreaterThan(looks + MOST_FRAMES);
  expect((await apart()).longest).toBeLessThan(MOST_FRAMES);
  const figures = (await page.locator('.figures > div').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  expect(figures[0]).toContain('70.0 %');
  // 18 steps of half a second, and the evaluation after the last of them.
  expect(figures).toContain('Time left 11s at the pace of the last steps');
  await expect.poll(() => page.locator('#said').textContent()).toContain('Diagnostics: none so far.');
  await claim.release();
  await close();
});

it('a run goes from the command line to the training page and back, with the weights of one that stayed', async () => {
  const config = join(folder, 'page.yaml');
  writeFileSync(config, PAGE_YAML);
  const trained = join(folder, 'trained');
  command('--config', config, '--output', trained);
  const whole = weightsOf(trained);
  const address = `${server.url}run?run=trained`;
  const { page, errors, close } = await arrive(browser, address, { serviceWorkers: 'allow' });
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url())) foreign.push(request.url());
  });
  await tabTo(page, 'a[href^="train/"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#open-served');
  await tabTo(page, '#open-served');
  await page.keyboard.press('Enter');
  await status(page, 'finished');
  expect(await weightsHash(page)).toBe(whole);
  expect(await findings(page)).toEqual([]);
  const link = await page.evaluate(() => location.hash);

  // Without the server: a reload, and a start as an installed page starts.
  await page.waitForSelector('body[data-offline=kept]');
  await page.context().setOffline(true);
  await page.reload();
  await status(page, 'finished');
  expect(await weightsHash(page)).toBe(whole);
  const installed = await page.context().newPage();
  await installed.goto(`${server.url}train/`);
  await status(installed, 'waiting');
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
  await close();

  const begun = await arrive(browser, `${server.url}train/${link}`);
  await status(begun.page, 'waiting');
  await begun.page.click('#step');
  await begun.page.waitForFunction(() => document.getElementById('progress')?.textContent === 'step 1 of 4');
  await status(begun.page, 'resting');
  const files = unzipSync(await downloaded(begun.page, '#save'));
  await begun.close();
  const back = join(folder, 'back');
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(back, path)), { recursive: true });
    writeFileSync(join(back, path), bytes);
  }
  command('--resume', '--output', back);
  expect(weightsOf(back)).toBe(whole);
});

function command(...words: readonly string[]): void {
  execFileSync(process.execPath, [COMMAND, ...words, '--quiet', '--threads', '1'], { stdio: 'pipe' });
}

function weightsOf(directory: string): string {
  const summary = JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')) as { weightsSha256: string };
  return summary.weightsSha256;
}

/** As the training page writes its smallest job, of 4 steps. */
const PAGE_YAML = `task: {name: sort_digits, digits: 2}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 80, initializer_range: 0.05}
seed: 0
adam_beta2: 0.95
stages:
  - stage: grpo
    max_steps: 4
    num_generations: 16
    generation_batch_size: 256
    learning_rate: 3.0e-3
    lr_scheduler_type: linear
    lr_scheduler_kwargs: {min_lr_rate: 0.05}
    warmup_steps: 4
    loss_type: dr_grpo
    scale_rewards: group
    temperature: 1
    epsilon: 0.2
    entropy_coef: 0.02
    reward_funcs: [positions]
    num_generations_eval: 1
    eval_steps: 30
`;
