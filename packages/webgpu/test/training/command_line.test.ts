/** The command line on a software adapter: it learns, and a killed run goes on with the same bits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { budget } from '../../../../test/support/budget.ts';
import {
  commandLine,
  type Interrupt,
  readMetrics,
  readSummary,
  temporaryFolder,
  writeConfig,
} from '../../../commands/test/e2e/command_line.ts';
import { environmentOf } from '../support/adapters.ts';

const folder = temporaryFolder();
const onLavapipe = (words: readonly string[], end?: Interrupt) =>
  commandLine(words, end, { env: environmentOf('lavapipe') });
let config: string;

beforeAll(() => {
  config = writeConfig(
    folder.path,
    `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 88, initializer_range: 0.05}
seed: 0
backend: webgpu
save_seconds: 0.05
adam_beta2: 0.95
stages:
  - {stage: grpo, max_steps: 60, num_generations: 16, generation_batch_size: 256, learning_rate: 3.0e-3, warmup_steps: 5,
     loss_type: dr_grpo, entropy_coef: 0.02, reward_funcs: [positions], num_generations_eval: 1, eval_strategy: "no"}
`,
  );
});
afterAll(() => folder.remove());

function meanReward(metrics: readonly Record<string, unknown>[]): number {
  return metrics.reduce((sum, { reward }) => sum + Number(reward), 0) / metrics.length;
}

it('sorting two digits is learned on lavapipe: the reward grows from below 0.1 to above 0.3 in 60 steps', async () => {
  const directory = join(folder.path, 'learns');
  const outcome = await onLavapipe(['--config', config, '--output', directory]);
  expect(outcome.code).toBe(0);
  expect(outcome.stdout).toMatch(/backend +webgpu.*llvmpipe/);
  const metrics = readMetrics(directory).filter(({ reward }) => reward !== undefined); // evaluations have none
  expect(metrics).toHaveLength(60);
  expect(meanReward(metrics.slice(0, 3))).toBeLessThan(0.1);
  expect(meanReward(metrics.slice(-10))).toBeGreaterThan(0.3);
}, 600_000);

/** In float16 it learns before a release; else two steps show that it is trained so. */
const IN_FLOAT16 = budget({ quick: 2, all: 2, release: 40 });

it('sorting two digits is trained with float16 storage too, and the fingerprint names it', async () => {
  const directory = join(folder.path, 'float16');
  const flags = ['--set', 'storage_dtype=float16', '--max-steps', String(IN_FLOAT16)];
  const outcome = await onLavapipe(['--config', config, '--output', directory, ...flags]);
  expect(outcome.code).toBe(0);
  const fingerprint = JSON.parse(readFileSync(join(directory, 'fingerprint.json'), 'utf8'));
  expect(fingerprint.backendFeatures).toMatchObject({ storage: 'float16', subgroups: expect.stringMatching(/lanes/) });
  const metrics = readMetrics(directory).filter(({ reward }) => reward !== undefined);
  expect(metrics).toHaveLength(IN_FLOAT16);
  if (IN_FLOAT16 < 40) return;
  expect(meanReward(metrics.slice(0, 3))).toBeLessThan(0.1);
  expect(meanReward(metrics.slice(-10))).toBeGreaterThan(0.2);
}, 600_000);

it('killed in the middle and resumed, a run on lavapipe has the weights of one that was not', async () => {
  const [whole, killed] = ['whole', 'killed'].map((name) => join(folder.path, name));
  const evaluations = ['--set', 'grpo.eval_strategy=steps', '--set', 'grpo.eval_steps=2'];
  const flags = (directory: string) => ['--config', config, '--output', directory, '--max-steps', '6', ...evaluations];
  expect((await onLavapipe(flags(whole))).code).toBe(0);
  const outcome = await onLavapipe(flags(killed), { signal: 'SIGKILL', when: /step 2 / });
  expect(outcome.signal).toBe('SIGKILL');
  const resumed = await onLavapipe([...flags(killed), '--resume']);
  expect(resumed.code).toBe(0);
  expect(readSummary(killed).weightsSha256).toBe(readSummary(whole).weightsSha256);
  expect(readFileSync(join(killed, 'completions.jsonl'), 'utf8')).toBe(
    readFileSync(join(whole, 'completions.jsonl'), 'utf8'),
  );
}, 600_000);

it('lists the adapter, and says that it runs on the processor', async () => {
  const { code, stdout, stderr } = await onLavapipe(['--list-adapters']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' }); // what its driver has to say is not for users
  expect(stdout).toMatch(/^llvmpipe.*on the processor/m);
}, 60_000);
