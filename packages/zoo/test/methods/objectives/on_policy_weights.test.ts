/** On-policy, objectives that differ in how they bound a ratio move the weights alike, on the engine that trains. */
import { describe, expect, it } from 'vitest';
import { train } from '../../../../../src/grpo/trainer.ts';
import type { Method } from '../../../../../src/methods/method.ts';
import type { OwnMethods } from '../../../../../src/methods/method_list.ts';
import { ppoClip } from '../../../../../src/methods/objectives/ppo_clip.ts';
import type { Surrogate } from '../../../../../src/methods/points.ts';
import { openSmallRun, plainWasm } from '../../../../../test/support/small_runs.ts';

const SMALL = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
seed: 3
max_steps: 3
learning_rate: 1.0e-3
num_generations: 4
generation_batch_size: 32
reward_funcs: [lcs]
eval_strategy: "no"
`;

interface Moved {
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** All weights before and after three steps, each on fresh rollouts. */
async function movedBy(methods: OwnMethods, lines: readonly string[]): Promise<Moved> {
  const backend = await plainWasm();
  const run = await openSmallRun(backend, { yaml: SMALL + lines.join('\n'), methods });
  const weights = async (): Promise<Float64Array> =>
    Float64Array.from(await run.engine.policy.engine.read(run.engine.policy.slots.weights.trainable));
  const before = await weights();
  for await (const event of train(run)) if (event.type === 'end') break;
  const after = await weights();
  await run.engine.policy.close();
  return { before, after };
}

const moved = (...lines: readonly string[]): Promise<Moved> => movedBy({}, lines);

const largest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

/** Each completion weighs the same in a step of any of these. */
const AVERAGE = 'aggregation: seq-mean';
const clipped = moved('objective: ppo-clip', AVERAGE);

describe('three on-policy steps', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['cispo', 'token'], ['sapo', 'token'], ['ppo-clip', 'sequence_token'], ['ppo-clip', 'sequence'],
      ['reinforce', 'token'], ['topr', 'token'], ['vespo', 'token'], ['dual-clip', 'token'], ['gmpo', 'token'],
      ['dcpo-clip', 'token'], ['dppo-tv', 'token'], ['sq-log-ratio', 'token'],
    ],
  )('by %s, ratio %s, end at the weights of PPO', async (objective, ratio) => {
    const { before, after } = await clipped;
    const other = await moved(`objective: ${objective}`, `importance_sampling_level: ${ratio}`, AVERAGE);
    expect(other.before).toEqual(before);
    expect(largest(after, before)).toBeGreaterThan(1e-3);
    expect(largest(other.after, after)).toBeLessThanOrEqual(1e-6);
  });

  it('by another average do not', async () => {
    const { after } = await clipped;
    expect(largest((await moved('aggregation: seq-sum')).after, after)).toBeGreaterThan(1e-5);
  });
});

it('off-policy, the host ends at the weights of the engine: clips, KL and entropy bonus', async () => {
  const onHost: Method<unknown> = {
    ...ppoClip,
    create: (options, stage) => {
      const { device: _, ...surrogate } = ppoClip.create(options, stage) as Surrogate;
      return surrogate;
    },
  };
  const terms = ['num_iterations: 3', 'beta: 0.1', 'use_bias_correction_kl: false', 'entropy_coef: 0.02'];
  const options = 'epsilon: 0.001, epsilon_high: 0.002, delta: 1.003';
  const { before, after } = await moved(`objective: {name: ppo-clip, ${options}}`, AVERAGE, ...terms);
  const host = await movedBy({ './host.ts': onHost }, [`objective: {name: ./host.ts, ${options}}`, AVERAGE, ...terms]);
  expect(largest(after, before)).toBeGreaterThan(1e-3);
  expect(largest(host.after, after)).toBeLessThanOrEqual(1e-6);
});
