/** Members and groups that were not sampled as they are trained: corrections, what is remembered, what is replayed, what had no problem. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest, RolloutStrategy, RolloutTools } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { collect, credit, scoresOf, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

const chain = (line: string): string => `rollout_strategies: [${line}]`;
const made = (line: string): RolloutStrategy => createMethods(stageOf(chain(line))).rolloutStrategies[0].part;

/** One round of a strategy over a group of these rewards; what further requests get. */
async function rolled(
  part: RolloutStrategy,
  rewards: readonly number[],
  again: readonly number[],
  known: Partial<RolloutTools> = {},
) {
  const asked: GroupRequest[] = [];
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    const isFurther = asked.length > 0;
    asked.push(...requests);
    return requests.map(({ prompt, prefixes }) =>
      groupOf(
        (isFurther ? again : rewards).map((reward, i) => ({
          ...rolloutOf(2, reward),
          tokens: Int32Array.of(i + 1, 0),
          verdict: { score: reward === 1 ? 1 : 0, status: 'incorrect', reason: '', feedback: '89' },
          text: `${prompt || prefixes ? 'again' : 'first'}${i}`,
          ...(prompt && { prompt }),
        })),
      ),
    );
  };
  const stage = stageOf();
  const tools = rolloutTools(stage, { solution: () => Int32Array.of(5, 6, 7, 8), ...known });
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: rewards.length }], next, tools);
  return { asked, group, texts: group.rollouts.map(({ text }) => text).join(' ') };
}

describe('refine-inject', () => {
  it('shows the best failure and what was wrong, and takes what is then right', async () => {
    const { asked, group, texts } = await rolled(made('refine-inject'), [0.1, 0.4, 0], [0, 1]);
    expect([...(asked[1].prompt ?? [])]).toEqual([2, 8, 9, 0]); // the second one without its end, and 89
    expect(texts).toBe('first0 first1 again1');
    expect(group.rollouts[2]).toMatchObject({ isOffPolicy: true, sampledUnder: asked[1].prompt });
    expect(group.rollouts[2].prompt).toBeUndefined();
    expect((await rolled(made('refine-inject'), [0, 1], [1])).asked).toHaveLength(1);
    expect((await rolled(made('refine-inject'), [0, 0], [0])).texts).toBe('first0 first1');
  });
});

describe('reroll-cache', () => {
  it('asks with a hint for what nobody remembers, and remembers it', async () => {
    const part = made('reroll-cache');
    const first = await rolled(part, [0, 0], [0, 1]);
    expect(first.asked[1].prefixes?.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    expect(first.texts).toBe('first0 again1');
    const second = await rolled(part, [0, 0], [0, 0]);
    expect(second.asked).toHaveLength(1);
    expect(second.texts).toBe('first0 again1');
    expect(second.group.rollouts[1]).toMatchObject({ origin: 'replay', isOffPolicy: true });
    const resumed = made('reroll-cache');
    resumed.restore?.(JSON.parse(JSON.stringify(part.state?.())));
    expect(await rolled(resumed, [0, 0], [0, 0])).toEqual(second);
    expect(() => resumed.restore?.([['a', 1, {}]])).toThrow(TypeError);
  });

  it('forgets what is too old, and prefers a success of its own', async () => {
    const part = made('{name: reroll-cache, max_age: 5}');
    await rolled(part, [0, 0], [0, 1], { step: 1 });
    await rolled(part, [1, 0], [], { step: 2 });
    expect((await rolled(part, [0, 0], [], { step: 7 })).texts).toBe('first0 first0');
    expect((await rolled(part, [0, 0], [0, 0], { step: 8 })).texts).toBe('first0 first1');
  });
});

describe('replay-buffer', () => {
  it('samples the fewer problems the more groups it has, none that is too old, and marks what it replays', async () => {
    await withTossedRun(chain('{name: replay-buffer, replay_share: 0.5, max_staleness: 1}'), async (run) => {
      const { metrics, batches } = await goOn(run);
      expect(metrics[0]['replay-buffer/replayed']).toBe(0);
      for (const step of metrics.slice(1)) {
        expect(step['replay-buffer/replayed']).toBeGreaterThan(0);
        expect(step['replay-buffer/age']).toBe(1);
        expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      }
      const replayed = batches[1].groups.filter(({ rollouts }) => rollouts.every(({ origin }) => origin === 'replay'));
      expect(batches[1].groups).toHaveLength(4);
      for (const { item, rollouts } of replayed) {
        const before = batches[0].groups.find((group) => group.item.id === item.id);
        expect(rollouts.map(({ logprobs }) => logprobs)).toEqual(before?.rollouts.map(({ logprobs }) => logprobs));
      }
    });
  });
});

describe('prerl', () => {
  const LINES = `${chain('{name: prerl, prompt_free_steps: 2}')}\ncredit_steps: [{name: sample-sign, kept_sign: negative}]`;

  it('has ratios of exactly 1 at first, behind an end of text alone', async () => {
    await withTossedRun(LINES, async (run) => {
      const { groups } = await collect(run);
      for (const { prompt, rollouts } of groups) {
        for (const { tokens, logprobs, prompt: end = new Int32Array(), sampledUnder } of rollouts) {
          expect([...end]).toEqual([run.engine.tasks.codec.eosTokenId]);
          expect(sampledUnder).toEqual(prompt);
          const [scores] = await scoresOf(run, { prompt: end, completions: [tokens] });
          expect([...logprobs]).toEqual([...scores.logprobs]);
        }
      }
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
    });
  });

  it('is plain sampling behind its last step', async () => {
    await withTossedRun(LINES, async (run) => {
      const { batches } = await goOn(run);
      const isFree = batches.map(({ groups }) =>
        groups.every(({ rollouts }) => rollouts.every(({ prompt }) => prompt)),
      );
      expect(isFree.slice(0, 2)).toEqual([true, true]);
      expect(isFree.slice(-1)).toEqual([false]);
    });
  });
});

it.each(['refine-inject', 'reroll-cache', 'replay-buffer', '{name: prerl, prompt_free_steps: 3}'])(
  '%s gives the same weights and metrics after a kill',
  async (name) => {
    const { whole, killed } = await wholeAndKilled(`${chain(name)}\nnum_iterations: 2`, { verify: tossed(7) });
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  },
);
