/** An environment on an OpenEnv server is trained on in a page, by the browser's own WebSocket. */
import { expect, it } from 'vitest';
import { GUESS, startedServer } from '../../../http/test/support/guess_run.ts';
import { startChromium } from './chromium.ts';
import { trainedInPage } from './trained_in_page.ts';

it('trains on recorded messages of the real server, and ends its sessions', async () => {
  const server = await startedServer();
  const yaml = `
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
`;
  const browser = await startChromium({ webgpu: false });
  try {
    const { steps } = await trainedInPage(browser, yaml);
    expect(steps).toHaveLength(3);
    expect(steps.every(({ loss, grad_norm: norm }) => Number.isFinite(loss) && Number.isFinite(norm))).toBe(true);
    expect(Math.max(...steps.map(({ grad_norm: norm }) => norm))).toBeGreaterThan(0);
    expect(server.asked.filter(({ type }) => type === 'step').length).toBeGreaterThan(10);
    await expect.poll(() => server.openSessions).toBe(0);
  } finally {
    await browser.close();
  }
});
