/**
 * Does a pretrained model learn in a browser's tab?
 *
 *   npm run bench -- model-learns --profile FOLDER [--seconds 500] [--completions 40] [--steps 60] [--threads 1]
 *     [--model PATH] [--picture FILE] [--json FILE]
 *
 * Chromium without a GPU opens web/dist/model.html (`npm run build` first), takes the model into its own file system, and
 * trains the first preset with as many completions a step and as many steps. After `--seconds` it pauses, and the tab is
 * closed; the next call with the same profile continues there. The picture is of the page's training.
 */
import { resolve } from 'node:path';
import { startKeptChromium } from './chromium.mjs';
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { modelGiven, SMOLLM2 } from './lora_workload.mjs';
import { serveModelSite } from './model_site.mjs';

/** What a browser keeps belongs to an address. */
const PORTS = [47_613, 47_614];

const flags = readFlags({
  further: {
    threads: { ...THREADS_FLAG.threads, default: '1' },
    model: { type: 'string', default: SMOLLM2 },
    profile: { type: 'string' },
    seconds: { type: 'string', default: '500' },
    completions: { type: 'string', default: '40' },
    steps: { type: 'string', default: '60' },
    picture: { type: 'string' },
  },
});
const threads = readThreads(flags);
const model = modelGiven(flags.model);
const profile = resolve(flags.profile ?? fail('--profile is missing.'));
const machine = describeMachine();
const site = await serveModelSite(model, PORTS);
const browser = await startKeptChromium(profile, { viewport: { width: 1100, height: 900 }, acceptDownloads: true });
try {
  await goOn();
} finally {
  await browser.close();
  site.close();
}

async function goOn() {
  const page = await browser.newPage();
  page.setDefaultTimeout(180_000);
  page.on('pageerror', (error) => fail(`the page threw: ${error}`));
  await page.goto(`${site.pageUrl}?backend=wasm&threads=${threads}`);
  await page.waitForSelector('#model-url');
  await page.waitForTimeout(2_000);
  if ((await page.$('[data-model="SmolLM2.gguf"]')) === null) {
    await page.fill('#model-url', site.modelUrl);
    await page.click('#bring');
  }
  await page.waitForSelector('[data-model="SmolLM2.gguf"][data-chosen]');
  await page.click('#steps [data-step="job"]');
  await page.waitForSelector('#plan strong');
  const yaml = (await page.inputValue('#yaml'))
    .replace(/max_steps: .*/, `max_steps: ${flags.steps}`)
    .replace(/generation_batch_size: .*/, `generation_batch_size: ${flags.completions}`)
    .replace(/eval_steps: .*/, 'eval_steps: 10');
  await page.click('summary');
  await page.fill('#yaml', yaml);
  await page.dispatchEvent('#yaml', 'change');
  await page.click('#steps [data-step="training"]');
  await page.click('#open');
  await reached(page, ['resting', 'finished'], 180);
  const said = () => page.textContent('#progress');
  process.stdout.write(`${await said()}\n`);
  if ((await page.getAttribute('body', 'data-status')) === 'resting') {
    await page.click('#train');
    await reached(page, ['finished'], Number(flags.seconds)).catch(async (error) => {
      if (error.name !== 'TimeoutError') throw error;
      await page.click('#train');
      await reached(page, ['resting', 'finished'], 180);
    });
  }
  process.stdout.write(`${machineLine(machine)}\n${await said()}\n`);
  if (flags.picture !== undefined) await page.locator('#training').screenshot({ path: flags.picture });
  if ((await page.getAttribute('body', 'data-status')) !== 'finished') return;
  await page.click('#steps [data-step="chat"]');
  await page.waitForSelector('#ask:enabled');
  await page.click('#ask');
  await page.waitForSelector('[data-by="adapter"] span:not(.quiet)');
  const answers = await page.$$eval('.beside > div', (all) => all.map((each) => each.textContent));
  if (flags.json !== undefined) {
    writeJson(flags.json, 'model-learns', {
      machine,
      settings: { threads, yaml },
      results: { said: await said(), answers },
    });
  }
}

/** @throws Error with what the page says, where it stops on the way; TimeoutError */
async function reached(page, wanted, seconds) {
  const isThere = (statuses) => {
    const said = document.querySelector('#notes .stop')?.textContent;
    return statuses.includes(document.body.dataset.status) || (said ?? false);
  };
  const found = await (await page.waitForFunction(isThere, wanted, { timeout: seconds * 1000 })).jsonValue();
  if (found !== true) fail(`the page says: ${found}`);
}
