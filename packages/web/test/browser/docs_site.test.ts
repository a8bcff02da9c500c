/** The documentation as a site, with the training page in it: search, menu, colours, and access. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderOfFile } from '../../../../test/support/folders.ts';
import { findings, unreached } from './access.ts';
import { arrive, type Site, serveSite, startChromium } from './chromium.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = folderOfFile();
let browser: Browser;
let site: Site;

beforeAll(async () => {
  const jiti = join(dirname(createRequire(import.meta.url).resolve('jiti/package.json')), 'lib/jiti-cli.mjs');
  execFileSync(process.execPath, [jiti, 'site/build.ts', folder], { cwd: ROOT });
  browser = await startChromium({ webgpu: false });
  site = await serveSite({ isolated: false, folder });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Where the first hits lead. */
async function hitsOf(page: Page, query: string): Promise<string[]> {
  await page.fill('input[type=search]', query);
  await page.waitForFunction((asked) => document.querySelector('.hits')?.getAttribute('data-query') === asked, query);
  return page.$$eval('.hits a', (links) => links.slice(0, 3).map((link) => link.getAttribute('href') ?? ''));
}

it('the search finds names, parts of them and plain questions, and is used by keyboard', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}docs/command.html`);
  const found: [query: string, place: string][] = [
    ['learning_rate', 'docs/reference/keys.html#learning_rate'],
    ['learning rate', 'docs/reference/keys.html#learning_rate'],
    ['reward_funcs', 'docs/reference/keys.html#reward_funcs'],
    ['m-search', 'docs/reference/methods/m-search.html'],
    ['GRPO', 'docs/glossary.html#grpo'],
    ['RiskPO', 'docs/systems.html#riskpo'],
    ['questions from a CSV', 'docs/datasets.html'],
  ];
  for (const [query, place] of found) expect(await hitsOf(page, query), query).toContain(`../${place}`);
  await page.fill('input[type=search]', 'xyzzy');
  await page.waitForFunction(() => document.querySelector('.told')?.textContent === 'Nothing has “xyzzy”.');
  await hitsOf(page, 'RiskPO');
  await page.press('input[type=search]', 'Enter');
  await page.waitForURL(/\/docs\/(systems\.html#riskpo|reference\/methods\/riskpo\.html)$/);
  expect(errors).toEqual([]);
  await close();
});

/** What a new user asks, and the page that answers it. */
const QUESTIONS: readonly (readonly [question: string, page: string])[] = [
  ['how do I train on my own data?', 'datasets'],
  ['why does it not learn?', 'diagnostics'],
  ['how do I use CUDA?', 'gpu'],
  ['what does kl mean here?', 'glossary'],
  ['how do I export to GGUF?', 'pretrained'],
  ['how do I write my own reward?', 'rewards'],
  ['can I resume?', 'run_directory'],
  ['how do I use my model in Ollama?', 'pretrained'],
  ['can I use it in my own web page?', 'browser'],
  ['can my reward be in Python?', 'rewards'],
  ['how much memory does a model need?', 'choosing'],
  ['which method should I choose?', 'choosing'],
  ['does it work with wandb?', 'trackers'],
  ['how do I set a system prompt?', 'datasets'],
  ['how do I stop at an accuracy?', 'stages'],
  ['how many epochs of my rows?', 'datasets'],
  ['can I train on several machines?', 'fleet'],
  ['how do I compare two runs?', 'ui'],
  ['does it speak the openai API?', 'serve'],
  ['how do I make the answers shorter?', 'index'],
  ['can I train in the browser?', 'browser'],
  ['what is a dead group?', 'glossary'],
  ['is it deterministic?', 'index'],
  ['how do I use tools?', 'environments'],
  ['how do I import a TRL config?', 'trl'],
];

it('the answer to what a new user asks is among the first three hits', async () => {
  const { page, close } = await arrive(browser, `${site.url}index.html`);
  for (const [question, answer] of QUESTIONS) {
    const pages = (await hitsOf(page, question)).map((hit) => /([\w-]+)\.html/.exec(hit)?.[1]);
    expect(pages, question).toContain(answer);
  }
  await close();
});

it('axe finds nothing, nothing is wider than the window, and a keyboard comes to all of it', async () => {
  const { page, errors, close } = await arrive(browser, `${site.url}index.html`);
  await hitsOf(page, 'reward_funcs');
  expect(await findings(page)).toEqual([]);
  for (const path of ['docs/command', 'docs/reference/keys', 'docs/measurements', 'examples/questions.yaml']) {
    await page.goto(`${site.url}${path}.html`);
    expect(await findings(page), path).toEqual([]);
  }
  await page.goto(`${site.url}docs/gpu.html`);
  expect(await unreached(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

it('the choice of colours is kept, the menu opens on a phone, and the training page is a link away', async () => {
  const { page, close } = await arrive(browser, `${site.url}index.html`, { viewport: { width: 390, height: 844 } });
  const colour = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colour();
  await page.click('#theme button');
  await page.goto(`${site.url}docs/gpu.html`);
  await expect.poll(() => colour()).not.toBe(light);
  await page.click('.menu-link');
  await page.click('#menu summary:text-is("Train")');
  await page.click('#menu a:text-is("Why does it not learn?")');
  await expect.poll(() => page.textContent('h1')).toContain('Diagnostics');
  await page.click('header nav a:text-is("Try it")');
  await page.waitForSelector('#train');
  await close();
});
