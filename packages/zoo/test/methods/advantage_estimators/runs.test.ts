/** Each estimator through whole steps of a tiny run: finite, and resumed to the same weights. */
import { describe, expect, it } from 'vitest';
import type { RewardFunction } from '../../../../../src/rewards/reward_function.ts';
import { METHODS } from '../../../../../test/support/everything.ts';
import { killedAndResumed } from '../../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../../test/support/small_runs.ts';
import { needsTurns, playedTask } from '../../support/played_methods.ts';

/** Of 0 to 1, and not there for some. */
const byFirstToken: RewardFunction = {
  name: 'byFirstToken',
  score: ({ completionTokens }) =>
    completionTokens.map(([first]) => (first % 7 === 0 ? null : first % 5 === 0 ? 1 : (first % 5) / 8)),
};

const run = (estimator: string, task = '{name: countdown, numbers: 2}'): SmallRun => ({
  yaml: `
task: ${task}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 3
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
reward_funcs: [byFirstToken]
eval_strategy: "no"
advantage_estimator: ${estimator}
`,
  rewards: { byFirstToken },
});

/** What the defaults ask more of than so small a run has: solved problems, larger groups. */
const OPTIONS: Readonly<Record<string, string>> = {
  'passk-analytic': 'k: 2, solved_reward: 0.5',
  pkpo: 'k: 3',
  'segment-tree': 'solved_reward: 0.5',
};

describe.each(METHODS.advantageEstimator)('a run with $id', (method) => {
  const { id } = method;

  it('takes its steps with finite numbers, and moves the weights', async () => {
    const { metrics } = await finishSmallRun(
      await plainWasm(),
      run(id in OPTIONS ? `{name: ${id}, ${OPTIONS[id]}}` : id, needsTurns(method) ? playedTask(method) : undefined),
    );
    expect(metrics).toHaveLength(3);
    for (const step of metrics) {
      const numbers = Object.values(step).filter((value) => typeof value === 'number');
      expect(numbers.every(Number.isFinite)).toBe(true);
      expect(step.grad_norm).toBeGreaterThan(0);
    }
  });
});

describe('a run with reinforce-pp', () => {
  it('has the log-probs of the reference where the KL is in its reward', async () => {
    const kl = run('{name: reinforce-pp, kl_reward_coef: 0.5}');
    const [plain, charged] = [
      await finishSmallRun(await plainWasm(), run('reinforce-pp')),
      await finishSmallRun(await plainWasm(), kl),
    ];
    expect(charged.metrics[0].grad_norm).toBeCloseTo(Number(plain.metrics[0].grad_norm), 4); // the policy is the reference
    expect(charged.sha256).not.toBe(plain.sha256);
  });
});

describe('a run with process-centred', () => {
  it('can be resumed between two passes over steps', async () => {
    const small = run('process-centred');
    const twice = { ...small, yaml: `${small.yaml}num_iterations: 2\n` };
    const { killed, resumed } = await killedAndResumed(twice);
    expect(resumed.journal.state.buffer).toEqual(killed.journal.state.buffer);
    const rollouts = resumed.journal.state.buffer?.groups.flatMap((group) => group.rollouts) ?? [];
    expect(rollouts.some(({ steps = [] }) => steps.length > 0)).toBe(true);
    await resumed.engine.policy.close();
  });
});

describe('a run with riskpo', () => {
  it('goes on from a checkpoint to the same weights', async () => {
    const small = run('{name: riskpo, prompts_per_bundle: 2}');
    const { sha256 } = await finishSmallRun(await plainWasm(), small);
    const { resumed } = await killedAndResumed(small);
    expect((await finishRun(resumed)).sha256).toBe(sha256);
  });
});
