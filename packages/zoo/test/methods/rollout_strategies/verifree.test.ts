/** A reference answer behind the reasoning of a completion: its probability as a reward, and its part of the loss. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest, LossSequence, RolloutTools } from '../../../../../src/methods/points.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, scoresOf, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods, remarksOn } from '../../../../../test/support/everything.ts';
import { wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, randomSequences, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

const MARK = 9;
const WHOLE = ['objective: verifree-loss', 'advantage_estimator: rloo', 'aggregation: seq-sum'];

/** Rollouts of completions, where the policy finds each token of the reference as likely as `likely` says of the reasoning. */
async function rolledOut(
  completions: readonly (readonly number[])[],
  likely: (chain: readonly number[]) => number,
  known: Partial<RolloutTools> = {},
) {
  const stage = stageOf('rollout_strategies: [{name: verifree, mark: "9"}]');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const tools = rolloutTools(stage, {
    solution: () => Int32Array.of(MARK, 5, 6),
    logprobs: async (_, scored) =>
      scored.map((tokens) => {
        const chain = [...tokens].slice(0, -3);
        return Float32Array.from(tokens, (_token, t) => (t < chain.length ? -50 : Math.log(likely(chain))));
      }),
    ...known,
  });
  const rollouts = completions.map((tokens) => ({ ...rolloutOf(tokens.length, 0), tokens: Int32Array.from(tokens) }));
  const next = async (requests: readonly GroupRequest[]) => requests.map(() => groupOf(rollouts));
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: completions.length }], next, tools);
  return group.rollouts;
}

describe('verifree', () => {
  it('is paid what an exact match is where the answer follows for certain', async () => {
    const rollouts = await rolledOut(
      [
        [1, MARK, 5, 6, 0],
        [2, MARK, 7, 0],
      ],
      (chain) => (chain[0] === 1 ? 1 : 1e-30),
    );
    expect(rollouts.map(({ reward }) => Math.round(reward ?? -1))).toEqual([1, 0]);
    expect(rollouts[0].reward).toBe(1);
    expect(rollouts[1].reward).toBeLessThan(1e-60);
  });

  it('puts the reference with its end in the place of the answer, and its probability is that of all its tokens', async () => {
    const [rollout] = await rolledOut([[1, 2, MARK, 7, 7, 7, 0]], () => 0.5);
    expect([...rollout.tokens]).toEqual([1, 2, MARK, 5, 6, 0]);
    expect([...(rollout.labels ?? [])]).toEqual([0, 0, 0, ...new Array(3).fill(TOKEN.reference)]);
    expect(rollout.reward).toBeCloseTo(0.125, 6);
    expect([...rollout.logprobs.subarray(3)]).toEqual(new Array(3).fill(Math.fround(Math.log(0.5))));
  });

  it('leaves a completion as it is, and pays it nothing, without the mark or without room', async () => {
    for (const [tokens, known] of [
      [[1, 2, 3], {}],
      [[1, 2, MARK, 4], { mostTokens: 5 }],
    ] as const) {
      const [rollout] = await rolledOut([tokens], () => 1, known);
      expect([...rollout.tokens]).toEqual(tokens);
      expect([rollout.reward, rollout.labels]).toEqual([0, undefined]);
    }
    const [unknown] = await rolledOut([[1, MARK]], () => 1, { solution: () => Int32Array.of(MARK) });
    expect(unknown.reward).toBeNull();
  });

  it('says what of the paper a stage has not', () => {
    const said = (...lines: readonly string[]) =>
      remarksOn(stageOf('rollout_strategies: [verifree]', ...lines))
        .filter(({ at }) => 'point' in at && at.point === 'rolloutStrategies')
        .map(({ text }) => text);
    expect(said()).toEqual([
      expect.stringMatching(/^ppo-clip trains the reference answer by the advantage/),
      expect.stringMatching(/rloo$/),
      expect.stringMatching(/seq-sum$/),
    ]);
    expect(said(...WHOLE)).toEqual([]);
  });
});

describe('verifree-loss', () => {
  /** Of the random sequences the last tokens that carry a loss are a reference. */
  const given = randomSequences(61, 8).map((sequence): LossSequence => {
    const labels = Uint8Array.from(sequence.coefficients, (_, t) => (t === 0 ? TOKEN.sampled : TOKEN.reference));
    return { ...sequence, rollout: { ...sequence.rollout, labels, logprobs: sequence.oldLogprobs } };
  });
  const p = ({ rollout: { logprobs } }: LossSequence): number => Math.exp(logprobs.slice(1).reduce((a, b) => a + b, 0));

  it('is the policy gradient of the reasoning, and the likelihood of the reference times its probability', () => {
    gradientsOf(given, 'objective: verifree-loss').forEach(({ losses }, i) => {
      const { coefficients, weights, advantages, logprobs } = given[i];
      losses.forEach((loss, t) => {
        const factor = t === 0 ? advantages[t] : p(given[i]);
        expect(loss).toBeCloseTo(-coefficients[t] * weights[t] * factor * logprobs[t], 6);
      });
    });
  });

  it('has the derivatives that it gives, by finite differences', () => {
    const gradients = gradientsOf(given, 'objective: verifree-loss');
    const step = 2 ** -10;
    given.forEach(({ logprobs }, s) => {
      logprobs.forEach((_, t) => {
        const at = (by: number): number => {
          const moved = given.map((one, i) =>
            i === s ? { ...one, logprobs: one.logprobs.map((x, j) => (j === t ? x + by : x)) } : one,
          );
          return lossOf(gradientsOf(moved, 'objective: verifree-loss'));
        };
        expect((at(step) - at(-step)) / (2 * step)).toBeCloseTo(gradients[s].dLogprobs[t], 3);
      });
    });
  });

  it('is reinforce to the bit where no completion has a reference', () => {
    const plain = randomSequences(62, 8);
    const [own, reinforce] = ['verifree-loss', 'reinforce'].map((name) => gradientsOf(plain, `objective: ${name}`));
    own.forEach(({ dLogprobs }, i) => {
      dLogprobs.forEach((slope, t) => expect(slope).toBeCloseTo(reinforce[i].dLogprobs[t], 12));
    });
  });
});

describe('a run with verifree', () => {
  const lines = ['max_completion_length: 24', 'rollout_strategies: [{name: verifree, mark: a}]', ...WHOLE].join('\n');

  it('is on-policy to the bit, reference included, and pays what the policy says of it', async () => {
    await withTossedRun(lines, async (run) => {
      const { groups } = await collect(run);
      const members = groups.flatMap(({ prompt, rollouts }) => rollouts.map((rollout) => ({ prompt, rollout })));
      const referred = members.filter(({ rollout: { labels } }) => labels?.includes(TOKEN.reference));
      expect(referred.length).toBeGreaterThan(2);
      for (const { prompt, rollout } of referred) {
        const { tokens, labels = new Uint8Array(), reward, logprobs } = rollout;
        const [scores] = await scoresOf(run, { prompt, completions: [tokens] });
        expect([...logprobs]).toEqual([...scores.logprobs]);
        const sum = scores.logprobs.reduce((all, x, t) => (labels[t] === TOKEN.reference ? all + x : all), 0);
        expect(reward).toBeCloseTo(Math.exp(sum), 12);
      }
      const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
      expect(totals.logprobDifferenceMax).toBe(0);
    });
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(lines);
    expect(killed).toEqual(whole);
  });
});
