/**
 * Does a pretrained model learn in a browser's tab as it does in Node?
 *
 *   npm run bench -- model-page [--model PATH] [--threads 2] [--steps 2] [--completions 20] [--picture FILE] [--json FILE]
 *
 * Chromium without a GPU opens web/dist/model.html (`npm run build` first) in a fresh profile. The model comes from a server
 * of this machine into the tab's own file system, the connection is cut twice on the way; after a reload, with the network
 * gone, the preset's job takes `--steps` LoRA steps on WebAssembly. Base and adapter are asked the same, and the adapter is
 * compared byte for byte with the one that this package writes in Node for the same YAML.
 */
import { readFileSync, statSync } from 'node:fs';
import {
  createTasks,
  openPretrained,
  openRun,
  parseConfig,
  train,
  wasmBackend,
} from '../build/packages/rlvr-train/index.js';
import { findModel } from '../build/packages/rlvr-train/node.js';
import { exportModel, lastOrigin } from '../build/src/run/model/model_export.js';
import { memoryStore } from '../build/src/run/store/store.js';
import { startChromium } from './chromium.mjs';
import { fail, openBench } from './command.mjs';
import { modelGiven, SMOLLM2 } from './lora_workload.mjs';
import { serveModelSite } from './model_site.mjs';

const CUTS = 2;
const ADAPTER = 'adapter_model.safetensors';

const { flags, threads, show, write } = openBench('model-page', {
  threads: '2',
  model: { type: 'string', default: SMOLLM2 },
  steps: { type: 'string', default: '2' },
  completions: { type: 'string', default: '20' },
  picture: { type: 'string' },
});
const model = modelGiven(flags.model);

const seconds = {};
const timed = async (name, work) => {
  const start = performance.now();
  const result = await work();
  seconds[name] = (performance.now() - start) / 1000;
  return result;
};

const site = await serveModelSite(model);
site.cuts = CUTS;
const browser = await startChromium({ webgpu: false });
try {
  await measure();
} finally {
  await browser.close();
  site.close();
}

async function measure() {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, acceptDownloads: true });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  const address = `${site.pageUrl}?backend=wasm&threads=${threads}`;
  await page.goto(address);
  await page.fill('#model-url', site.modelUrl);
  await timed('brought', async () => {
    await page.click('#bring');
    await page.waitForSelector('[data-model="SmolLM2.gguf"][data-chosen]', { timeout: 180_000 });
  });
  await page.waitForSelector('#plan strong', { state: 'attached', timeout: 180_000 });
  await page.waitForFunction(() => document.body.dataset.offline === 'kept', undefined, { timeout: 180_000 });
  site.isOffline = true;
  await page.reload();
  await page.waitForSelector('#plan strong', { state: 'attached', timeout: 180_000 });
  const plan = await page.textContent('#plan');
  const ofPreset = await page.inputValue('#yaml');
  const yaml = ofPreset
    .replace(/max_steps: .*/, `max_steps: ${flags.steps}`)
    .replace(/generation_batch_size: .*/, `generation_batch_size: ${flags.completions}`)
    .replace(/warmup_steps: .*/, 'warmup_steps: 0')
    .replace(/per_device_train_batch_size: .*/, `per_device_train_batch_size: ${flags.completions}`)
    .replace(/eval_samples: .*/, 'eval_samples: 8');
  await page.click('#steps [data-step="job"]');
  await page.click('summary');
  await page.fill('#yaml', yaml);
  await page.dispatchEvent('#yaml', 'change');
  await page.click('#steps [data-step="training"]');
  await timed('opened', async () => {
    await page.click('#open');
    await reached(page, 'resting');
  });
  await timed('trained', async () => {
    await page.click('#train');
    await reached(page, 'finished');
  });
  await timed('asked', async () => {
    await page.click('#steps [data-step="chat"]');
    await page.waitForSelector('#ask:enabled');
    await page.click('#ask');
    await page.waitForSelector('[data-by="adapter"] span:not(.quiet)', { timeout: 180_000 });
  });
  const answers = await page.$$eval('.beside > div', (all) => all.map((each) => each.textContent));
  await page.click('#steps [data-step="give"]');
  await page.waitForSelector('[data-form="peft-f32"]:enabled');
  const file = await timed('exported', async () => {
    await page.click('[data-form="peft-f32"]');
    const link = page.locator(`#files a[download="${ADAPTER}"]`);
    await link.waitFor({ timeout: 180_000 });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return readFileSync(await download.path());
  });
  await page.click('#steps [data-step="training"]');
  if (flags.picture !== undefined) await page.screenshot({ path: flags.picture });
  const progress = await page.textContent('#progress');
  await page.close();
  const own = await timed('inNode', () => adapterOfNode(yaml));
  const rows = [
    ['plan', plan],
    ['cuts on the way', String(CUTS - site.cuts)],
    ['brought here', `${seconds.brought.toFixed(1)} s, ${(statSync(model).size / 1e6).toFixed(0)} MB`],
    ['opened, offline', `${seconds.opened.toFixed(1)} s`],
    [
      `${flags.steps} steps and evaluations`,
      `${seconds.trained.toFixed(1)} s; Node with opening ${seconds.inNode.toFixed(1)} s`,
    ],
    ['base and adapter', answers.join(' | ')],
    ['adapter', `${file.length} bytes, ${own.equals(file) ? 'those of Node' : 'NOT those of Node'}`],
    ['said', progress],
  ];
  show(['', ''], rows);
  if (errors.length > 0) fail(`the page threw: ${errors.join('; ')}`);
  if (!own.equals(file)) fail('the adapter of the tab is another than that of Node.');
  write({ yaml }, { seconds, plan, answers });
}

/** @throws Error with what the page says, where it stops on the way */
async function reached(page, status) {
  const isThere = (wanted) => {
    const said = document.querySelector('#notes .stop')?.textContent;
    return document.body.dataset.status === wanted || (said ?? false);
  };
  const found = await (await page.waitForFunction(isThere, status, { timeout: 590_000 })).jsonValue();
  if (found !== true) fail(`the page says: ${found}`);
}

async function adapterOfNode(yaml) {
  const { config } = parseConfig(yaml, { file: 'config' });
  const pretrained = await openPretrained(findModel(model));
  const tasks = await createTasks(config, { codec: pretrained.codec });
  const run = await openRun(config, tasks, await wasmBackend({ threads }), { pretrained });
  for await (const _ of train(run));
  const store = memoryStore();
  await exportModel(store, 'model', run, lastOrigin(run));
  await run.engine.policy.close();
  return Buffer.from(await store.read(`model/${ADAPTER}`));
}
