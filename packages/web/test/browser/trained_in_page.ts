/** Trains a run in an empty page, by what `rlvr-train/web` is made of. */
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { bundled, resultsOfScript } from './script_page.ts';

const SOURCE = fileURLToPath(new URL('../../..', import.meta.url));

export interface TrainedInPage {
  /** Metrics of each step. */
  readonly steps: readonly Readonly<Record<string, number>>[];
  readonly weightsSha256: string;
  /** completions.jsonl, whole. */
  readonly completions: string;
}

const isOfNode = (source: string): boolean => source === 'module' || source.startsWith('node:');

function script(yaml: string): Promise<string> {
  const entry = `
globalThis.PACKAGE_VERSION = 'of a test'; // which the build puts in
import { openRunHere } from ${JSON.stringify(`${SOURCE}/web/open_local_run.ts`)};
async function results() {
  const run = await openRunHere({ yaml: ${JSON.stringify(yaml)}, name: 'test', backend: { name: 'wasm', threads: 1 } });
  const steps = [];
  run.listen((event) => event.type === 'step' && steps.push(event.metrics));
  await run.train();
  const completions = new TextDecoder().decode((await run.files()).get('completions.jsonl'));
  const weightsSha256 = await run.weightsSha256();
  await run.close();
  return { steps, weightsSha256, completions };
}
globalThis.results = results().catch((error) => String(error.stack));`;
  return bundled(entry, {
    plugins: [
      {
        name: 'nothing of Node',
        resolveId: (source) => (isOfNode(source) ? source : undefined),
        load: (id) => (isOfNode(id) ? 'export default {};' : undefined),
      },
    ],
  });
}

/** @throws Error what the run refused, or failed with */
export async function trainedInPage(browser: Browser, yaml: string): Promise<TrainedInPage> {
  const results = await resultsOfScript<TrainedInPage | string>(browser, await script(yaml));
  if (typeof results === 'string') throw new Error(results);
  return results;
}
