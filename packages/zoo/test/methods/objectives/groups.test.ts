/** Objectives in which the completions of a group depend on each other: pacs and drpo, by the numbers of their papers. */
import { describe, expect, it } from 'vitest';
import { type Completion, gradientsOf, groupBy, lossOf, slopesOf } from '../../support/losses.ts';

const REWARDS = [1, 0, 0, 1, 0];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

describe('pacs', () => {
  const line = 'objective: {name: pacs, pacs_balance: false}';
  /** As seq-mean weighs them. */
  const answers = (moves: readonly number[], rewards: readonly number[] = REWARDS): Completion[] =>
    rewards.map((reward, i) => ({
      logprobs: [-1, -2].slice(0, 1 + (i % 2)),
      oldLogprobs: [-1 - moves[i], -2].slice(0, 1 + (i % 2)),
      reward,
      coefficient: 1 / (rewards.length * (1 + (i % 2))),
    }));
  const still = REWARDS.map(() => 0);

  it('has the gradient of RLOO over the size of the group where nothing has moved', () => {
    const slopes = gradientsOf(groupBy(answers(still)), line).map(({ dLogprobs }) => dLogprobs);
    REWARDS.forEach((reward, i) => {
      const others = (2 - reward) / 4;
      for (const slope of slopes[i]) expect(slope).toBeCloseTo(-(reward - others) / REWARDS.length, 12);
    });
  });

  it('is the cross-entropy of the predictions, averaged', () => {
    const moves = [0.5, -0.25, 0, 1, -0.5];
    const expected = REWARDS.map((reward, i) => {
      const others = (moves.reduce((sum, move) => sum + move, 0) - moves[i]) / 4;
      const right = sigmoid(moves[i] - others);
      return -Math.log(reward === 1 ? right : 1 - right) / 5;
    });
    const given = groupBy(answers(moves));
    expect(lossOf(gradientsOf(given, line))).toBeCloseTo(
      expected.reduce((sum, loss) => sum + loss, 0),
      6,
    );
  });

  it('weighs right and wrong alike, however many there are, unless told not to', () => {
    const slopes = slopesOf(gradientsOf(groupBy(answers([0, 0, 0, 0], [1, 0, 0, 0])), 'objective: pacs'));
    const plain = slopesOf(gradientsOf(groupBy(answers([0, 0, 0, 0], [1, 0, 0, 0])), line));
    // The one right answer weighs 4/(2·1), each wrong one 4/(2·3): the right one is raised by twice, and by a third of that.
    const own = (weights: readonly number[]): number => -(weights[0] * 0.5 + (weights[1] * 0.5 * 3) / 3) / 4;
    expect(slopes[0]).toBeCloseTo(own([2, 2 / 3]), 12);
    expect(plain[0]).toBeCloseTo(own([1, 1]), 12);
  });

  it('fades once right and wrong stand apart', () => {
    const size = (apart: number): number =>
      Math.max(
        ...slopesOf(gradientsOf(groupBy(answers(REWARDS.map((r) => (r === 1 ? apart : -apart)))), line)).map(Math.abs),
      );
    expect(size(0)).toBeGreaterThan(0.1);
    expect(size(3)).toBeLessThan(0.1 * size(0));
    expect(size(9)).toBeLessThan(1e-3 * size(0));
  });

  it('leaves out completions without a reward', () => {
    const [first, second, third] = groupBy(answers([0.1, 0.2, 0.3], [1, 0, 1]));
    const unscored = { ...third, rollout: { ...third.rollout, reward: null } };
    const slopes = gradientsOf([first, second, unscored], line);
    const alone = gradientsOf([first, second], line);
    expect(slopes.slice(0, 2)).toEqual(alone);
    expect([...slopes[2].dLogprobs]).toEqual([0]);
  });

  it('refuses rewards that are no labels', () => {
    expect(() => gradientsOf(groupBy(answers([0, 0], [1.5, 0])), line)).toThrow(/takes rewards as labels .* got 1\.5/);
  });
});

describe('drpo', () => {
  /** Completions of these lengths, whose tokens have this log-prob on average; as seq-mean weighs them. */
  const answers = (all: readonly (readonly [length: number, mean: number, reward: number])[]) =>
    groupBy(
      all.map(([length, mean, reward]) => ({
        logprobs: Array<number>(length).fill(mean),
        reward,
        coefficient: 1 / (all.length * length),
      })),
    );
  const pushes = (given: ReturnType<typeof answers>, line: string): number[] =>
    gradientsOf(given, line).map(({ dLogprobs }) => -dLogprobs.reduce((sum, slope) => sum + slope, 0));
  const lengths = [100, 400, 900].map((length) => [length, -1, 1] as const);

  it.each([
    [0.1, [0.95227, 0.04741, 0.00032]],
    [1, [0.457, 0.338, 0.205]],
  ])('raises right answers by how short they are, temperature %s', (temperature, expected) => {
    const given = answers([...lengths, [10, -1, 0]]);
    const raised = pushes(given, `objective: {name: drpo, drpo_lambda: ${temperature}}`);
    expected.forEach((share, i) => expect(raised[i]).toBeCloseTo(share, temperature === 1 ? 3 : 5));
    expect(raised.slice(0, 3).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(raised[3]).toBeCloseTo(-1, 9);
  });

  it('lowers wrong answers by how likely they are', () => {
    const given = answers([
      [3, -1, 1],
      [4, -0.5, 0],
      [2, -1, 0],
      [3, -2, 0],
    ]);
    const [right, ...wrong] = pushes(given, 'objective: drpo');
    expect(right).toBeCloseTo(1, 9);
    [-0.35563, -0.33828, -0.30609].forEach((share, i) => expect(wrong[i]).toBeCloseTo(share, 5));
  });

  it('never lowers a right answer, however long', () => {
    const given = answers([...lengths, [10, -1, 0]]);
    for (const push of pushes(given, 'objective: drpo').slice(0, 3)) expect(push).toBeGreaterThan(0);
  });

  it('takes what is right from rewards, where the config says so', () => {
    const given = answers([
      [3, -1, 0.6],
      [4, -0.5, 0.4],
    ]);
    expect(pushes(given, 'objective: drpo').map(Math.abs)).toEqual([0, 0]);
    const [right, wrong] = pushes(given, 'objective: {name: drpo, solved_reward: 0.5}');
    expect([right, wrong]).toEqual([expect.closeTo(1, 9), expect.closeTo(-1, 9)]);
  });

  it('gives nothing to a group without right or without wrong answers', () => {
    for (const reward of [0, 1]) {
      const given = answers([
        [2, -1, reward],
        [3, -2, reward],
      ]);
      expect(slopesOf(gradientsOf(given, 'objective: drpo')).every((slope) => slope === 0)).toBe(true);
    }
  });
});
