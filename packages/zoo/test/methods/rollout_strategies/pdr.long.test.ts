/** Rounds of drafts: what the next round is shown, which is trained, and that no round is plain sampling. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, longRun, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';
import { mostVoted } from '../../../methods/rollout_strategies/pdr.ts';

const LINE = 'rollout_strategies: [{name: pdr, draft_samples: 3, draft_rounds: 2, workspace: 2}]';

const draft = (mark: number, reward = 0) => ({
  ...rolloutOf(2, reward),
  tokens: Int32Array.of(mark, 1),
  text: String(mark),
});

describe('pdr', () => {
  it('shows the answers with most votes, the earlier of two with as many, right or wrong', () => {
    const answers = [5, 7, 8, 8, 7, 9].map((mark) => draft(mark, mark === 5 ? 1 : 0));
    expect(mostVoted({ rollouts: answers }, 2).map(({ text }) => text)).toEqual(['7', '8']);
    expect(mostVoted({ rollouts: answers.slice(0, 1) }, 3)).toHaveLength(1);
  });

  it('samples each round behind the round before, and trains the last', async () => {
    const stage = stageOf(LINE);
    const [{ part }] = createMethods(stage).rolloutStrategies;
    const rounds: GroupRequest[] = [];
    const given = [
      [4, 5, 5],
      [6, 6, 6],
      [7, 7],
    ];
    const next = async (own: readonly GroupRequest[]) => {
      rounds.push(...own);
      return [groupOf((given[rounds.length - 1] ?? []).map((mark) => draft(mark, mark === 7 ? 1 : 0)))];
    };
    const logged: Record<string, number> = {};
    const metric = metricsInto(logged);
    const tools = rolloutTools(stage, { metric });
    const groups = await part.rollOut([{ item: groupOf([]).item, samples: 2 }], next, tools);
    expect(rounds.map(({ samples, prompt }) => [samples, prompt && [...prompt]])).toEqual([
      [3, undefined],
      [3, [5, 0, 4, 0]],
      [2, [6, 0]],
    ]);
    expect(groups[0].rollouts.map(({ text }) => text)).toEqual(['7', '7']);
    expect(logged).toEqual({ draft_solved: 0, gain: 1, sequential_tokens: 6 });
  });

  it('without a round samples plainly, to the bit', async () => {
    const none = (more: string) => weightsAfter(`rollout_strategies: [{name: pdr, draft_rounds: 0${more}}]`);
    expect(await none('')).toBe(await none(', draft_samples: 1'));
    expect(await none('')).not.toBe(await weightsAfter(LINE));
  });

  it('trains ten thousand tokens of the last round on-policy to the bit', async () => {
    const yaml = longRun(LINE);
    await withTossedRun(
      '',
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const last = batches.flatMap(({ groups }) => groups.flatMap(({ rollouts }) => rollouts));
        expect(last.every(({ origin, prompt }) => origin === 'refined' && prompt !== undefined)).toBe(true);
        expect(last.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeGreaterThan(10_000);
        for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      },
      { yaml },
    );
  });

  it('trains on-policy to the bit, and gives the same after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(LINE);
    expect(killed).toEqual(whole);
    await withTossedRun(LINE, async (run) => {
      for (const step of (await goOn(run)).metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
    });
  });
});
