/** Earlier successes in the place of a member of groups that have none. */
import { describe, expect, it } from 'vitest';
import { validateGroups } from '../../../../../src/grpo/rollout/validate_groups.ts';
import type { RolloutStrategy } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { collect, credit, update, weightsOf } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const STAGE = stageOf('rollout_strategies: [{name: success-replay, max_age: 10}]');

const newStrategy = (): RolloutStrategy => createMethods(STAGE).rolloutStrategies[0].part;

/** A group of these rewards, whose completions are told apart by their log-probs. */
function groupFrom(rewards: readonly number[], mark = 0): RolloutGroup {
  return groupOf(rewards.map((reward, i) => ({ ...rolloutOf(2, reward), logprobs: Float32Array.of(-0.1 * mark, -i) })));
}

async function rolled(part: RolloutStrategy, group: RolloutGroup, step: number) {
  const logged: Record<string, number> = {};
  const tools = rolloutTools(STAGE, {
    step,
    metric: metricsInto(logged),
  });
  const [given] = await part.rollOut([{ item: group.item, samples: 3 }], async () => [group], tools);
  return { given, logged };
}

describe('success-replay', () => {
  const solved = groupFrom([0, 1, 0], 1);
  const failed = groupFrom([0, 0, 0], 2);

  it('replaces the last member of a group without a success by the latest one, until that is too old', async () => {
    const part = newStrategy();
    expect((await rolled(part, failed, 0)).given).toBe(failed);
    expect((await rolled(part, solved, 1)).given).toBe(solved);
    const { given, logged } = await rolled(part, failed, 11);
    expect(given.rollouts.slice(0, 2)).toEqual(failed.rollouts.slice(0, 2));
    expect(given.rollouts[2]).toMatchObject({ origin: 'replay', isOffPolicy: true, reward: 1 });
    expect(given.rollouts[2].logprobs).toEqual(solved.rollouts[1].logprobs);
    expect(logged).toEqual({ hits: 1, age: 10 });
    expect((await rolled(part, failed, 12)).given).toBe(failed);
  });

  it('knows the successes again behind a checkpoint, and refuses what is none', async () => {
    const part = newStrategy();
    await rolled(part, solved, 1);
    const resumed = newStrategy();
    const state = JSON.parse(JSON.stringify(part.state?.()));
    resumed.restore?.(state);
    expect(await rolled(resumed, failed, 3)).toEqual(await rolled(part, failed, 3));
    for (const forged of [[['a', 1, {}]], [['a', 1, { ...state[0][2], logprobs: [1] }]], [[1]], 7]) {
      expect(() => newStrategy().restore?.(forged as never)).toThrow(TypeError);
    }
  });

  it('changes nothing but membership where the success is one of the policy as it is', async () => {
    const weightsAfter = (isReplayed: boolean) =>
      withTossedRun('', async (run) => {
        const groups = (await credit(run, (await collect(run)).groups)).map((group) => ({
          ...group,
          rollouts: group.rollouts.map((one, i) =>
            isReplayed && i === 3 ? { ...one, isOffPolicy: true as const } : one,
          ),
        }));
        await update(run, groups, { onPolicy: true });
        return weightsOf(run);
      });
    expect(await weightsAfter(true)).toEqual(await weightsAfter(false));
  });

  const LINES = 'prompt_source: {name: few-shot-data, limit: 4}\nrollout_strategies: [success-replay]';
  const small = { verify: tossed(7) };

  it('replays where problems come again, and leaves the check of the others alone', async () => {
    await withTossedRun(
      LINES,
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const replayed = batches.flatMap(({ groups }) =>
          groups.filter(({ rollouts }) => rollouts.some(({ origin }) => origin === 'replay')),
        );
        expect(replayed.length).toBeGreaterThan(0);
        for (const { rollouts } of replayed) {
          expect(rollouts).toHaveLength(4);
          expect(rollouts.map(({ verdict }) => verdict.score)).toEqual([0, 0, 0, 1]);
        }
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      },
      small,
    );
  });

  it('brings a group to life that was dead for want of a success', async () => {
    const paidForSuccess = { ...small, overrides: ['reward_funcs=[accuracy]'] };
    const { batches } = await withTossedRun(LINES, goOn, paidForSuccess);
    const groups = batches.flatMap((batch) => batch.groups);
    const replayed = groups.filter(({ rollouts }) => rollouts.some(({ origin }) => origin === 'replay'));
    expect(replayed.length).toBeGreaterThan(0);
    expect(replayed.every(({ dead }) => !dead)).toBe(true);
  });

  it.each(['', '\nnum_iterations: 2', '\ndynamic_sampling: refill'])(
    'gives the same weights and metrics after a kill%s',
    async (more) => {
      const { whole, killed } = await wholeAndKilled(LINES + more, small);
      expect(whole.metrics).toHaveLength(4);
      expect(killed).toEqual(whole);
    },
  );
});

describe('what a strategy gives back', () => {
  const batch = { rows: 10, lossRows: 10, groups: 2, completions: 4 };
  const own = groupOf([]).prompt;
  const select = (groups: readonly RolloutGroup[]) => groups;
  const limits = { vocabSize: 5, samples: 3, context: 4, batch, completions: 3, select, promptTokens: () => own };
  const said = (group: RolloutGroup) => () => validateGroups([group], ['mine'], limits);

  it('is refused in words where it cannot be trained on', () => {
    const [one, ...others] = groupFrom([0, 1, 0]).rollouts;
    expect(said(groupOf([one, ...others]))).not.toThrow();
    expect(said(groupOf([]))).toThrow(/^rollout strategies mine gave no completions for problem a — /);
    expect(said(groupOf([one, one, ...others]))).toThrow(/gave 4 completions where num_generations is 3/);
    expect(said(groupOf([{ ...one, tokens: Int32Array.of(1, 5) }]))).toThrow(/gave token 5 of a vocabulary of 5/);
    expect(said(groupOf([{ ...one, entropies: new Float32Array(1) }]))).toThrow(/2 tokens with other counts/);
  });
});
