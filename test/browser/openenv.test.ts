/** An environment on an OpenEnv server is trained on in a page, by the browser's own WebSocket. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { GUESS, startedServer } from '../support/guess_run.ts';
import { startChromium } from './chromium.ts';
import { resultsOfScript } from './script_page.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** A script that trains a run and leaves the rewards of its steps. */
async function training(yaml: string): Promise<string> {
  const entry = `
globalThis.PACKAGE_VERSION = 'of a test'; // which the build puts in
import { openRunHere } from ${JSON.stringify(`${SOURCE}/web/open_local_run.ts`)};
async function results() {
  const run = await openRunHere({ yaml: ${JSON.stringify(yaml)}, name: 'guess', backend: { name: 'wasm', threads: 1 } });
  const steps = [];
  run.listen((event) => event.type === 'step' && steps.push(event.metrics));
  await run.train();
  await run.close();
  return steps;
}
globalThis.results = results().catch((error) => String(error.stack));`;
  const bundle = await rolldown({
    input: 'entry',
    platform: 'browser',
    plugins: [
      {
        name: 'the script',
        resolveId: (source) => (source === 'entry' || source.startsWith('node:') ? source : undefined),
        load: (id) => (id === 'entry' ? entry : id.startsWith('node:') ? 'export default {};' : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

it('trains on recorded messages of the real server, and ends its sessions', async () => {
  const server = await startedServer();
  const script = await training(`
task: ${JSON.stringify({ ...GUESS, url: server.url })}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 3
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 64
reward_funcs: [accuracy, {name: soft_overlong, max_tokens: 8, cache: 8}]
eval_strategy: "no"
num_generations_eval: 2
`);
  const browser = await startChromium({ webgpu: false });
  try {
    const steps = await resultsOfScript<readonly Record<string, number>[] | string>(browser, script);
    if (typeof steps === 'string') throw new Error(steps);
    expect(steps).toHaveLength(3);
    expect(steps.every(({ loss, grad_norm: norm }) => Number.isFinite(loss) && Number.isFinite(norm))).toBe(true);
    expect(Math.max(...steps.map(({ grad_norm: norm }) => norm))).toBeGreaterThan(0);
    expect(server.asked.filter(({ type }) => type === 'step').length).toBeGreaterThan(10);
    await expect.poll(() => server.openSessions).toBe(0);
  } finally {
    await browser.close();
  }
}, 60_000);
