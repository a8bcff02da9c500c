import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { RewardFunction, RewardValues } from '../../src/rewards/reward_function.ts';
import { collect, reinforced } from './step_parts.ts';

/** Rewards by the round of sampling (0, 1, …) and the completion's place in the round. */
function byRound(rewardOf: (round: number, place: number) => number | null): RewardFunction {
  let round = 0;
  return {
    name: 'own',
    score({ completions }): RewardValues {
      const values = completions.map((_, place) => rewardOf(round, place));
      round++;
      return values;
    },
  };
}

const OWN = { reward_funcs: ['own'] };
const REFILL = { ...OWN, dynamic_sampling: { name: 'refill', max_rounds: 3 } };

function drawsOf({
  journal: {
    state: { itemsDrawn, rolloutsDrawn },
  },
}: TrainingRun): object {
  return { itemsDrawn, rolloutsDrawn };
}

describe('collecting', () => {
  it('samples G completions of each of the next problems of the stream', async () => {
    const run = await reinforced();
    const first = await collect(run);
    expect(first.rounds).toBe(1);
    expect(first.groups.map(({ rollouts }) => rollouts.length)).toEqual([4, 4, 4]);
    const items = [0, 1, 2].map((index) => run.engine.tasks.trainItem(run.config.seed, index));
    expect(first.groups.map(({ item }) => item)).toEqual(items);
    expect(drawsOf(run)).toEqual({ itemsDrawn: 3, rolloutsDrawn: 12 });

    const second = await collect(run);
    expect(second.groups[0].item).toEqual(run.engine.tasks.trainItem(run.config.seed, 3));
    expect(drawsOf(run)).toEqual({ itemsDrawn: 6, rolloutsDrawn: 24 });
  });

  it('gives a rollout its text without the EOS, its verdict, and a score of each token', async () => {
    const run = await reinforced();
    const { codec: tokenizer } = run.engine.tasks;
    for (const { item, rollouts } of (await collect(run)).groups) {
      for (const { tokens, text, finishReason, verdict, logprobs, entropies } of rollouts) {
        expect(tokens.at(-1) === tokenizer.eosTokenId).toBe(finishReason === 'eos');
        expect(text).toBe(tokenizer.decode(finishReason === 'eos' ? tokens.slice(0, -1) : tokens));
        expect(verdict).toEqual(run.engine.tasks.verify(item, text, { finishReason }));
        expect([logprobs.length, entropies.length]).toEqual([tokens.length, tokens.length]);
        expect(Math.max(...logprobs)).toBeLessThanOrEqual(0);
        expect(Math.min(...entropies)).toBeGreaterThan(0);
      }
    }
  });

  it('keeps what the rewards log: a column with its rollout, and a metric as its mean over the rounds', async () => {
    let round = 0;
    const logging: RewardFunction = {
      name: 'own',
      score({ completions, logExtra, logMetric }): RewardValues {
        logExtra?.('text', completions);
        logMetric?.('round', round++);
        return completions.map((_, i) => (round === 1 && i < 4 ? 0 : i));
      },
    };
    const run = await reinforced(REFILL, { rewards: { own: logging } });
    const { groups, rounds, logged } = await collect(run);
    expect(rounds).toBe(2);
    expect(logged).toEqual({ round: 0.5 });
    for (const { text, extra } of groups.flatMap(({ rollouts }) => rollouts)) expect(extra).toEqual({ text });
  });

  it('refuses a metric that a method of the stage would log', async () => {
    const logging: RewardFunction = {
      name: 'own',
      score({ completions, logMetric }): RewardValues {
        logMetric?.('refill/rate', 1);
        return completions.map(() => 1);
      },
    };
    const run = await reinforced(REFILL, { rewards: { own: logging } });
    await expect(collect(run)).rejects.toThrow(
      'a reward logs the metric "refill/rate", and refill/… is what the method',
    );
  });

  it('adds up the weighted rewards, and leaves out those that do not apply', async () => {
    const rewards: Record<string, RewardFunction> = {
      a: { name: 'a', score: ({ completions }) => completions.map((_, i) => (i % 2 === 0 ? i : null)) },
      b: { name: 'b', score: ({ completions }) => completions.map((_, i) => (i % 3 === 0 ? 10 : null)) },
    };
    const run = await reinforced({ reward_funcs: ['a', { name: 'b', weight: 0.5 }] }, { rewards });
    const rollouts = (await collect(run)).groups.flatMap((group) => group.rollouts);
    expect(rollouts.map(({ reward }) => reward)).toEqual([5, null, 2, 5, 4, null, 11, null, 8, 5, 10, null]);
    expect(rollouts[0].rewardParts).toEqual([0, 10]);
    expect(rollouts[1].rewardParts).toEqual([null, null]);
  });

  it('calls a group dead where all of its rewards are equal, nulls left out', async () => {
    const rewards = [1, 1, 1, 1, 1, null, 1, null, 0, null, 1, null];
    const run = await reinforced(OWN, { rewards: { own: byRound((_, place) => rewards[place]) } });
    expect((await collect(run)).groups.map(({ dead }) => dead)).toEqual([true, true, false]);
  });

  it('keeps dead groups where there is no refill', async () => {
    const run = await reinforced(OWN, { rewards: { own: byRound(() => 1) } });
    const { groups, rounds } = await collect(run);
    expect([groups.length, rounds]).toEqual([3, 1]);
  });
});

describe('refill', () => {
  it('replaces dead groups until there are enough live ones, and returns all that were drawn', async () => {
    // One group lives in the first round, one of two in the second, the last one in the third.
    const lives = (round: number, place: number): number => (place < 4 || round === 2 ? place % 4 : 1);
    const run = await reinforced(REFILL, { rewards: { own: byRound(lives) } });
    const { groups, rounds } = await collect(run);
    expect(rounds).toBe(3);
    expect(groups.map(({ dead }) => dead)).toEqual([false, true, true, false, true, false]);
    expect(drawsOf(run)).toEqual({ itemsDrawn: 6, rolloutsDrawn: 24 });
    expect(new Set(groups.map(({ item }) => item.id)).size).toBe(6);
  });

  it('stops after max_rounds further rounds', async () => {
    const run = await reinforced(REFILL, { rewards: { own: byRound(() => 1) } });
    const { groups, rounds } = await collect(run);
    expect(rounds).toBe(4);
    expect(groups).toHaveLength(4 * 3);
  });

  it('draws nothing further where every group lives', async () => {
    const run = await reinforced(REFILL, { rewards: { own: byRound((_, place) => place) } });
    expect((await collect(run)).rounds).toBe(1);
    expect(drawsOf(run)).toEqual({ itemsDrawn: 3, rolloutsDrawn: 12 });
  });
});

describe('a reward that fails', () => {
  it('takes the draws back, so that the same batch is drawn again', async () => {
    let broken = true;
    const own: RewardFunction = {
      name: 'own',
      score({ completions }) {
        if (broken) throw new Error('out of order');
        return completions.map(() => 1);
      },
    };
    const run = await reinforced(OWN, { rewards: { own } });
    broken = false;
    await collect(run);
    const draws = drawsOf(run);
    broken = true;
    await expect(collect(run)).rejects.toMatchObject({ code: 'reward-failed' });
    expect(drawsOf(run)).toEqual(draws);

    broken = false;
    const again = await collect(run);
    const untroubled = await reinforced(OWN, { rewards: { own } });
    await collect(untroubled);
    expect(again).toEqual(await collect(untroubled));
  });

  it('in a later round of refill takes back the rounds before it too', async () => {
    const own = byRound((round) => (round === 1 ? Number.NaN : 1));
    const run = await reinforced(REFILL, { rewards: { own } });
    await expect(collect(run)).rejects.toMatchObject({ code: 'reward-failed' });
    expect(drawsOf(run)).toEqual({ itemsDrawn: 0, rolloutsDrawn: 0 });
  });
});

describe('a reward that fails on single completions, with reward_on_error: exclude', () => {
  const EXCLUDE = { ...OWN, reward_on_error: 'exclude', num_generations: 8, generation_batch_size: 64 };
  /** Pays by place, and gives no number for these. */
  const failingAt = (...places: readonly number[]): RewardFunction => ({
    name: 'own',
    range: [0, 1],
    score: ({ completions }) =>
      completions.map((_, i) => (places.includes(i) ? (i % 2 === 0 ? Number.NaN : 7) : (i % 3) / 2)),
  });

  it('leaves them out of baseline and loss, and tells of them', async () => {
    const run = await reinforced(EXCLUDE, { rewards: { own: failingAt(3, 10) } });
    const { groups, excluded } = await collect(run);
    const rollouts = groups.flatMap((group) => group.rollouts);
    expect(rollouts).toHaveLength(64);
    const out = rollouts.flatMap(({ reward, inLoss }, i) => (reward === null && inLoss === false ? [i] : []));
    expect(out).toEqual([3, 10]);
    expect(rollouts.every(({ inLoss }, i) => out.includes(i) === (inLoss === false))).toBe(true);
    expect(excluded?.count).toBe(2);
    expect(excluded?.reasons.join()).toMatch(/^reward "own" gave 7 for completion 4 of 64 in step 1 .* 2 such in all/);
  });

  it('stops above 5 % of the completions of a step, and takes the batch back', async () => {
    const run = await reinforced(EXCLUDE, { rewards: { own: failingAt(0, 1, 2, 3) } });
    await expect(collect(run)).rejects.toMatchObject({
      code: 'reward-failed',
      message: expect.stringMatching(
        /\n4 of 64 completions would be left out of the step by reward_on_error: exclude, more than 5\.0 %\.$/,
      ),
    });
    expect(drawsOf(run)).toEqual({ itemsDrawn: 0, rolloutsDrawn: 0 });
    const three = await reinforced(EXCLUDE, { rewards: { own: failingAt(0, 1, 2) } });
    expect((await collect(three)).excluded?.count).toBe(3);
  });

  it('stops where the whole function throws', async () => {
    const own: RewardFunction = {
      name: 'own',
      score() {
        throw new Error('out of order');
      },
    };
    await expect(collect(await reinforced(EXCLUDE, { rewards: { own } }))).rejects.toThrow(
      'reward "own" failed in step 1: Error: out of order',
    );
  });
});
