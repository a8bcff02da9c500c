/** Methods of episodes in one stage: every estimator with everything that pays turns, over a kill, in micro-batches, with threads. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../../src/rewards/reward_function.ts';
import { METHODS } from '../../../../../test/support/everything.ts';
import { killedAndResumed } from '../../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../../test/support/small_runs.ts';
import { playedRun } from '../../support/played_run.ts';

/** Of the first token: a policy of random weights wins nothing. */
const byFirstToken: RewardFunction = {
  name: 'byFirstToken',
  score: ({ completionTokens }) => completionTokens.map(([first]) => (first % 4) / 3),
};

/** A stage that pays for everything, by an estimator. */
const stageBy = (estimator: string, more = ''): SmallRun =>
  playedRun({
    task: '{name: form_state, fields: 2, values: 3, changes: 1}',
    seed: 4,
    reward: byFirstToken,
    lines: `reward_funcs: [byFirstToken, {name: accuracy, weight: 0.5}]
group_steps: [{name: state-match, reward: accuracy}, feedback-retry, potential-shaping, milestones, {name: tag-rules, plan: a, explore: b, reflect: "!", untagged: 0.1}]
advantage_estimator: ${estimator}
evaluation_figures: [m-env, {name: m-env, show: repeated}, {name: m-turn, turn: 2}]
num_generations_eval: 2
${more}`,
  });

const BY_TURN = METHODS.advantageEstimator.flatMap(({ id, tells }) =>
  Array.isArray(tells) && tells.includes('turns') ? [id] : [],
);

describe.each([...BY_TURN, 'group', 'rloo'])('%s, with all that is paid', (estimator) => {
  it('learns, to the same bits on two threads, and the same first loss in micro-batches', async () => {
    const whole = await finishSmallRun(await plainWasm(), stageBy(estimator));
    expect(whole.metrics).toHaveLength(3);
    for (const step of whole.metrics) {
      expect(Object.values(step).every((value) => typeof value === 'string' || Number.isFinite(value))).toBe(true);
      expect(step.grad_norm).toBeGreaterThan(0);
      expect(step).toMatchObject({ 'milestones/reached': expect.any(Number), 'tag-rules/tagged': expect.any(Number) });
    }
    expect(whole.evaluations.at(-1)?.figures).toMatchObject({
      invalid_actions: {},
      repeated_actions: {},
      'acc@turn_2': {},
    });
    const threaded = await finishSmallRun(await wasmBackend({ threads: 2, fma: false }), stageBy(estimator));
    expect(threaded.sha256).toBe(whole.sha256);
    const cut = await finishSmallRun(await plainWasm(), stageBy(estimator, 'per_device_train_batch_size: 8'));
    expect(cut.metrics[0].loss).toBeCloseTo(Number(whole.metrics[0].loss), 5);
  });

  it('goes on after a kill between two passes over a batch as if there had been none', async () => {
    const twice = stageBy(estimator, 'num_iterations: 2');
    const whole = await finishSmallRun(await plainWasm(), twice);
    const { killed, resumed } = await killedAndResumed(twice);
    expect(resumed.journal.state.buffer).toEqual(killed.journal.state.buffer);
    const kept = resumed.journal.state.buffer?.groups.flatMap(({ rollouts }) => rollouts) ?? [];
    expect(kept.some(({ turns = [] }) => turns.some(({ illegal }) => illegal))).toBe(true);
    expect(
      kept.every(({ turns = [] }) => turns.every(({ before, after }) => before === undefined && after === undefined)),
    ).toBe(true);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
  });
});
