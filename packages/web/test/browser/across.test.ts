/** A run goes from the page to the command line's session and back, without force, and with the same bits. */
import { unzipSync, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { allFiles } from '../../store/refuge_store.ts';
import { downloaded, openSite, status, stepOf, trainTo, visit, weightsHash } from './chromium.ts';

const LINK = '#preset=sort-two&evalEvery=20&batch=128&rate=0.005&steps=60';

const { browser, site } = await openSite();
async function saved(page: Page): Promise<Store> {
  const store = memoryStore();
  const files = unzipSync(await downloaded(page, '#save'));
  for (const [path, bytes] of Object.entries(files)) await store.writeAtomic(path, bytes);
  return store;
}

/** Goes on with a saved run as `--resume` does. @param steps  taken at most */
async function resumed(store: Store, steps = Number.POSITIVE_INFINITY): Promise<{ sha256: string; notes: string[] }> {
  const text = new TextDecoder().decode(await store.read('config.yaml'));
  const { config } = parseConfig(text, { file: 'config.yaml' });
  const run = await openRun(config, await createTasks(config), await wasmBackend({ threads: 2 }));
  try {
    let taken = 0;
    const options = { run, store, fingerprint: await fingerprintOf(run), resume: true, force: false };
    const notes: string[] = [];
    for await (const event of session({ ...options, shouldStop: () => taken >= steps })) {
      if (event.type === 'step') taken++;
      if (event.type === 'note') notes.push(event.message);
    }
    return { sha256: await weightsSha256(run.engine.policy), notes };
  } finally {
    await run.engine.policy.close();
  }
}

it('from the page to Node and back: the weights are those of the page alone', async () => {
  const { page, close } = await visit(browser, `${site.url}${LINK}`);
  await trainTo(page, 5);
  const [here, there] = [await saved(page), await saved(page)];
  const step = await stepOf(page);
  await page.click('#train');
  await status(page, 'finished');
  const whole = await weightsHash(page);
  await close();

  const completions = new TextDecoder()
    .decode(await here.read('completions.jsonl'))
    .trimEnd()
    .split('\n');
  expect(JSON.parse(completions.at(-1) ?? '{}')).toMatchObject({ step });
  const { sha256, notes } = await resumed(here);
  expect(sha256).toBe(whole);
  expect(notes.join('\n')).toMatch(/engine: chrome \d+ → v8 /);

  await resumed(there, 7);
  const file = Buffer.from(zipSync(Object.fromEntries(await allFiles(there))));
  const other = await visit(browser, site.url);
  await status(other.page, 'resting');
  await other.page.setInputFiles('#load', { name: 'run.zip', mimeType: 'application/zip', buffer: file });
  await other.page.waitForFunction((at) => document.body.textContent?.includes(`step ${at}`), step + 7);
  await status(other.page, 'resting');
  await other.page.click('#train');
  await status(other.page, 'finished');
  expect(await weightsHash(other.page)).toBe(whole);
  expect(other.errors).toEqual([]);
  await other.close();
});
