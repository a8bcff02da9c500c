/** Log-probs of the tokens of a reference that the reasoning decides, as a reward. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

const MARK = 9;
const REFERENCE = [5, 6];

/** @param logprobsOf  of the two tokens of the reference, behind a completion's first token */
async function groupFor(
  completions: readonly (readonly number[])[],
  logprobsOf: (first: number) => readonly [number, number],
  options = '',
  known: readonly number[] = [MARK, ...REFERENCE],
) {
  const stage = stageOf(`rollout_strategies: [{name: r3, mark: "9"${options}}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const tools = rolloutTools(stage, {
    solution: () => Int32Array.from(known),
    logprobs: async (_, scored) =>
      scored.map((tokens) =>
        Float32Array.from([...new Array<number>(tokens.length - 2).fill(-7), ...logprobsOf(tokens[0])]),
      ),
  });
  const rollouts = completions.map((tokens) => ({ ...rolloutOf(tokens.length, 0), tokens: Int32Array.from(tokens) }));
  const next = async (requests: readonly GroupRequest[]) => requests.map(() => groupOf(rollouts));
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: completions.length }], next, tools);
  return group;
}

async function rewardsOf(...asked: Parameters<typeof groupFor>) {
  return (await groupFor(...asked)).rollouts.map(({ reward }) => reward);
}

describe('r3', () => {
  it('weighs each token by how much it differs within the group', async () => {
    // Deviations 1 and 3: weights 1/4 and 3/4; without reasoning −4 and −8.
    const logprobsOf = (first: number) => ({ 1: [-1, -2], 2: [-3, -8] })[first] ?? [-4, -8];
    const rewards = await rewardsOf(
      [
        [1, MARK, 5, 6],
        [2, MARK, 7, 7],
      ],
      logprobsOf as never,
    );
    expect(rewards[0]).toBeCloseTo((1 / 4) * 3 + (3 / 4) * 6, 6);
    expect(rewards[1]).toBeCloseTo((1 / 4) * 1 + (3 / 4) * 0, 6);
  });

  it('compares with the mark alone, also where the reference has reasoning of its own', async () => {
    const asked: number[] = [];
    const logprobsOf = (first: number): readonly [number, number] => {
      asked.push(first);
      return [-1, -1];
    };
    await rewardsOf([[1, MARK, 5, 6]], logprobsOf, '', [3, 4, MARK, ...REFERENCE]);
    expect(asked).toEqual([MARK, 1]);
  });

  it('is 0 for an empty chain, and the worst of the group without the mark', async () => {
    const logprobsOf = (first: number) => (first === 1 ? [-6, -6] : [-4, -4]) as [number, number];
    expect(
      await rewardsOf(
        [
          [MARK, 5, 6],
          [MARK, 7],
        ],
        logprobsOf,
      ),
    ).toEqual([0, 0]);
    const [worse, none] = await rewardsOf(
      [
        [1, MARK, 5],
        [2, 3],
      ],
      logprobsOf,
    );
    expect([worse, none]).toEqual([-2, -2]);
  });

  it('leaves out a group whose reference no reasoning decides', async () => {
    const two = [
      [1, MARK, 5, 6],
      [2, MARK, 7, 7],
    ];
    const logprobsOf = (first: number): [number, number] => (first === 1 ? [-1, -1] : [-1.2, -1]); // σ 0.1 and 0
    const isDead = async (least: string) => (await groupFor(two, logprobsOf, `, least_deviation: ${least}`)).dead;
    expect([await isDead('0.09'), await isDead('0.11')]).toEqual([false, true]);
  });

  it('charges an answer of another length than the reference', async () => {
    const rewards = await rewardsOf(
      [
        [MARK, 5, 6],
        [MARK, 5, 6, 7, 8],
      ],
      () => [-1, -1],
      ', length_penalty: 0.5',
    );
    expect(rewards).toEqual([0, -0.5]);
  });
});
