/** Completions that are sampled as trees: where they branch, what is pruned and kept, and that all of it is on-policy to the bit. */
import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { goOn, longRun, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { rolloutOf } from '../../../../../test/support/rollouts.ts';
import { editDistance } from '../../../methods/support/rollouts/edit_distance.ts';
import { askedOf } from '../../support/asked_strategies.ts';

const latr = (options = ''): string => `rollout_strategies: [{name: latr${options}}]`;
const mcts = (options = ''): string => `rollout_strategies: [{name: mcts${options}}]`;
/** A policy of random weights hesitates everywhere, between any two of many tokens. */
const LATR = latr(', least_probability: 0, most_gap: 1, lookahead: 2, least_distance: 0.1');
const MCTS = mcts(', segment_tokens: 1, width: 2, expansions: 3');

const written = (tokens: readonly number[], more: Partial<Rollout> = {}): Rollout => ({
  ...rolloutOf(tokens.length, 0),
  tokens: Int32Array.from(tokens),
  ...more,
});

/** What a run has sampled is what its scorer says of it, to the bit, whoever sampled it. */
async function isScored(lines: string): Promise<void> {
  await withTossedRun(lines, async (run) => {
    const groups = (await collect(run)).groups;
    for (const { prompt, rollouts } of groups) {
      const scores = await scoresOf(run, { prompt, completions: rollouts.map(({ tokens }) => tokens) }, {});
      rollouts.forEach(({ logprobs, labels }, i) => {
        const given = [...logprobs.keys()].filter((t) => labels?.[t] === TOKEN.given);
        const expected = scores[i].logprobs.map((logprob, t) => (given.includes(t) ? logprobs[t] : logprob));
        expect([...logprobs]).toEqual([...expected]);
      });
    }
  });
}

async function trainsTenThousand(line: string): Promise<readonly Rollout[]> {
  const rollouts: Rollout[] = [];
  await withTossedRun(
    '',
    async (run) => {
      const { metrics, batches } = await goOn(run);
      rollouts.push(...batches.flatMap(({ groups }) => groups.flatMap((group) => group.rollouts)));
      for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
    },
    { yaml: longRun(line) },
  );
  expect(rollouts.reduce((sum, { tokens }) => sum + tokens.length, 0)).toBeGreaterThan(10_000);
  return rollouts;
}

describe('latr', () => {
  it('branches at the other of two likely tokens, and prunes what comes out alike', async () => {
    const sure = [
      { token: 5, probability: 0.9 },
      { token: 6, probability: 0.05 },
    ];
    const torn = [
      { token: 5, probability: 0.5 },
      { token: 6, probability: 0.4 },
    ];
    const { rounds, groups, logged } = await askedOf(
      latr(', lookahead: 3'),
      3,
      ({ prefixes = [], samples }, round) => {
        if (round === 0) return [written([5, 5, 5, 5, 0])];
        if (round > 1) return Array.from({ length: samples }, () => written([9, 0]));
        const labels = (length: number) => Uint8Array.from({ length }, (_, t) => (t < length - 3 ? 1 : 0));
        return prefixes.map((prefix, i) => {
          const tokens = [...prefix, ...(i === 0 ? [5, 5, 5] : [7, 8, 0])];
          return written(tokens, { labels: labels(tokens.length), origin: 'branch' });
        });
      },
      {
        step: 0,
        likeliest: async (_, completions) =>
          completions.map((tokens) =>
            [...tokens.keys()].map((t) => (tokens.length === 5 && t % 2 === 1 ? torn : sure)),
          ),
      },
    );
    expect(rounds.map((asked) => asked.map(({ samples, turnTokens }) => [samples, turnTokens]))).toEqual([
      [[1, undefined]],
      [[2, 3]],
    ]);
    expect(rounds[1][0].prefixes?.map((prefix) => [...prefix])).toEqual([
      [5, 6],
      [5, 5, 5, 6],
    ]);
    expect(editDistance(Int32Array.of(6, 5, 5, 5), Int32Array.of(5, 5, 5, 0))).toBe(2); // of four: far enough
    expect(groups[0].rollouts).toHaveLength(3);
    expect(logged.pruned).toBe(0);
  });

  it('has fewer and fewer trees, and without is plain sampling, to the bit', async () => {
    const treesAt = async (step: number) =>
      (
        await askedOf(latr(', tree_steps: 100'), 2, ({ samples }) => Array(samples).fill(written([5])), {
          step,
          likeliest: async () => [[[{ token: 5, probability: 1 }]]],
        })
      ).logged;
    expect((await treesAt(0)).trees).toBe(1);
    expect((await treesAt(100)).trees).toBeUndefined();
    expect(await weightsAfter(latr(', tree_steps: 0'))).toBe(await weightsAfter(latr(', most_gap: 0')));
    expect(await weightsAfter(LATR)).not.toBe(await weightsAfter(''));
  });

  it('trains ten thousand tokens of trees on-policy to the bit, and none that a branch inherits', async () => {
    const rollouts = await trainsTenThousand(LATR);
    const branches = rollouts.filter(({ origin }) => origin === 'branch');
    expect(branches.length).toBeGreaterThan(rollouts.length / 2);
    expect(branches.every(({ labels }) => labels?.includes(TOKEN.given))).toBe(true);
    await isScored(LATR);
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${LATR}\ntoken_controls: [repetition-stop]`);
    expect(killed).toEqual(whole);
  });
});

describe('mcts', () => {
  it('expands the node of the highest score, ends what is missing, and keeps right and wrong leaves', async () => {
    const { rounds, groups, logged } = await askedOf(
      mcts(', segment_tokens: 2, width: 2, expansions: 1, value_weight: 0, depth_weight: 0, entropy_weight: 1'),
      3,
      ({ prefixes, samples }, round) =>
        Array.from({ length: samples }, (_, i) => {
          const tokens = [...(prefixes?.[i] ?? []), 10 * round + i, 10 * round + i];
          const isLeaf = round === 2;
          const entropies = new Float32Array(tokens.length).fill(i === 1 ? 2 : 1);
          return written(tokens, { entropies, finishReason: isLeaf ? 'eos' : 'length' });
        }),
    );
    expect(
      rounds.map(([{ samples, turnTokens, prefixes }]) => [samples, turnTokens, prefixes?.map((p) => [...p])]),
    ).toEqual([
      [2, 2, undefined],
      [
        2,
        2,
        [
          [1, 1],
          [1, 1],
        ],
      ], // the less certain of two
      [
        3,
        undefined,
        [
          [1, 1, 10, 10],
          [1, 1, 11, 11],
          [0, 0],
        ],
      ],
    ]);
    expect(groups[0].rollouts).toHaveLength(3);
    expect(groups[0].rollouts.every(({ labels }) => labels === undefined)).toBe(true);
    expect(logged).toMatchObject({ searched: 1, leaves: 3, solved: 0 });
  });

  it('without an expansion samples plainly, to the bit', async () => {
    expect(await weightsAfter(mcts(', expansions: 0'))).toBe(await weightsAfter(''));
    expect(await weightsAfter(MCTS)).not.toBe(await weightsAfter(''));
  });

  it('trains ten thousand tokens of leaves on-policy to the bit, all of them', async () => {
    const rollouts = await trainsTenThousand(mcts(', segment_tokens: 6, width: 2, expansions: 4'));
    expect(rollouts.every(({ labels, origin }) => labels === undefined && origin === 'searched')).toBe(true);
    await isScored(MCTS);
  });

  it('gives the same weights and metrics after a kill, with credit by segments', async () => {
    const { whole, killed } = await wholeAndKilled(
      `${MCTS}\nadvantage_estimator: {name: segment-tree, segment_tokens: 1}`,
    );
    expect(killed).toEqual(whole);
  });
});
