/** The greedy completion as baseline: what it is, what it costs, and that nothing is trained on it. */
import { describe, expect, it } from 'vitest';
import { collect, credit, reinforced, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

const LINE = 'advantage_estimator: greedy';

describe('greedy', () => {
  it('subtracts what the greedy completion was paid', () => {
    const stage = stageOf(LINE);
    const { part } = createMethods(stage).advantageEstimator;
    const group = { ...groupOfRewards([1, 1, 1], [1, 0.25, null]), greedyReward: 0.5 };
    const [{ advantages }] = part.estimate([group], stepContext(stage));
    expect([...advantages]).toEqual([0.5, -0.25, 0]);
    expect(part.isDead?.(groupOfRewards([1], [1]))).toBe(true); // no baseline
    expect(part.isDead?.({ ...groupOfRewards([1, 1], [1, 1]), greedyReward: 1 })).toBe(true);
    expect(part.isDead?.({ ...groupOfRewards([1, 1], [1, 1]), greedyReward: 0 })).toBe(false);
  });

  it('samples one greedy completion of each problem, and pays it as the others', async () => {
    const run = await reinforced({ advantage_estimator: 'greedy', reward_funcs: ['accuracy'] }, { verify: tossed(2) });
    const { groups } = await collect(run);
    for (const group of groups) {
      const tokens: number[] = [];
      const { eosTokenId, vocabSize } = run.engine.tasks.codec;
      // The likeliest token, one behind the other, by the scorer.
      while (tokens.length < run.engine.tasks.maxCompletionTokens && tokens.at(-1) !== eosTokenId) {
        const nexts = Array.from({ length: vocabSize }, (_, id) => Int32Array.from([...tokens, id]));
        const scores = await scoresOf(run, { prompt: group.prompt, completions: nexts });
        const last = scores.map(({ logprobs }) => logprobs.at(-1) as number);
        tokens.push(last.indexOf(Math.max(...last)));
      }
      const answer = run.engine.tasks.codec.decode(tokens.at(-1) === eosTokenId ? tokens.slice(0, -1) : tokens);
      expect(group.greedyReward).toBe(run.engine.tasks.verify(group.item, answer, { finishReason: 'eos' }).score);
      expect(group.rollouts).toHaveLength(4);
    }
    const credited = await credit(run, groups);
    credited.forEach(({ advantages, rollouts, greedyReward }) => {
      const due = rollouts.map(({ reward }) => Math.fround(Number(reward)) - Math.fround(Number(greedyReward)));
      expect([...advantages]).toEqual([...Float32Array.from(due)]);
    });
    await run.engine.policy.close();
  });

  it('counts its tokens, and gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${LINE}\nrollout_strategies: [{name: prefix-branch, branches: 1}]`);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
    await withTossedRun(LINE, async (run) => {
      const { metrics } = await goOn(run);
      for (const step of metrics) expect(step.sampled_per_trained_token).toBeGreaterThan(1);
    });
  });
});
