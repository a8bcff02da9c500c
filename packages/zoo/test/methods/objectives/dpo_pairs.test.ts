/** DPO on pairs of a group, by hand. */
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { type Completion, gradientsOf, groupBy, lossOf } from '../../support/losses.ts';

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const line = 'objective: {name: dpo-pairs, dpo_beta: 0.5}';

/** Completions of two tokens that are likelier than under the reference by so many nats, as seq-mean weighs them. */
const answers = (all: readonly (readonly [more: number, reward: number])[]): Completion[] =>
  all.map(([more, reward]) => ({
    logprobs: [-1, -2],
    oldLogprobs: [-1 - more, -2],
    reward,
    coefficient: 1 / (2 * all.length),
  }));
const pushes = (given: readonly Completion[], ...lines: readonly string[]) =>
  gradientsOf(groupBy(given), line, ...lines).map(({ dLogprobs }) => [...dLogprobs]);

describe('dpo-pairs', () => {
  it('is the cross-entropy of the one pair', () => {
    const given = answers([
      [0.5, 1],
      [-0.25, 0],
    ]);
    const apart = 0.5 * (0.5 + 0.25);
    expect(lossOf(gradientsOf(groupBy(given), line))).toBeCloseTo(-Math.log(sigmoid(apart)), 6);
    const slope = -0.5 * sigmoid(-apart);
    const [right, wrong] = pushes(given);
    for (const own of right) expect(own).toBeCloseTo(slope, 6);
    for (const own of wrong) expect(own).toBeCloseTo(-slope, 6);
  });

  it('is the mean over all pairs of a group', () => {
    const moves = [0.5, -0.25, 0, 1];
    const rewards = [1, 0, 1, 0];
    const losses = [0, 2].flatMap((w) => [1, 3].map((l) => -Math.log(sigmoid(0.5 * (moves[w] - moves[l])))));
    const given = answers(moves.map((move, i) => [move, rewards[i]] as const));
    expect(lossOf(gradientsOf(groupBy(given), line))).toBeCloseTo(losses.reduce((sum, x) => sum + x, 0) / 4, 6);
  });

  it('of siblings, compares branches of one beginning alone, and what follows it', () => {
    const [given] = [TOKEN.given];
    const tokens = [
      [1, 2],
      [1, 3],
      [1, 4],
      [5, 6],
    ]; // a trunk, two branches of it, and another completion
    const labels = [undefined, [given, 0], [given, 0], undefined];
    const moves = [0.5, -0.25, 1, 2];
    const rewards = [0, 1, 0, 0];
    const own = groupBy(answers(moves.map((move, i) => [move, rewards[i]] as const))).map((sequence, i) => {
      const label = labels[i];
      const rollout = {
        ...sequence.rollout,
        tokens: Int32Array.from(tokens[i]),
        ...(label && { labels: Uint8Array.from(label) }),
      };
      // The policy moved at the second token; a trunk also at the first, which branches inherit.
      const refLogprobs = Float32Array.of(i === 0 ? -9 : -1, -2 - moves[i]);
      const coefficients = sequence.coefficients.map((c, t) => (label?.[t] === given ? 0 : c));
      return { ...sequence, rollout, refLogprobs, coefficients };
    });
    const group = { ...own[0].group, rollouts: own.map(({ rollout }) => rollout) };
    const sequences = own.map((one) => ({ ...one, group }));
    const gradients = gradientsOf(sequences, 'objective: {name: dpo-pairs, dpo_beta: 0.5, pairs: siblings}');
    const apart = [0.5 * (-0.25 - 0.5), 0.5 * (-0.25 - 1)]; // the right branch beside the trunk, and the other branch
    const weight = 6 / 8; // tokens that carry a loss, each of 1/8
    const loss = apart.reduce((sum, x) => sum - Math.log(sigmoid(x)), 0) / 2;
    expect(lossOf(gradients)).toBeCloseTo(weight * loss, 6);
    const slopes = apart.map((x) => (weight / 2) * 0.5 * sigmoid(-x));
    expect(gradients.map(({ dLogprobs }) => dLogprobs[0])).toEqual([0, 0, 0, 0]);
    [slopes[0], -slopes[0] - slopes[1], slopes[1], 0].forEach((slope, i) => {
      expect(gradients[i].dLogprobs[1]).toBeCloseTo(slope, 6);
    });
  });

  it('is ln 2 at the reference, raises right answers and lowers wrong ones by the same', () => {
    const given = answers([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
    expect(lossOf(gradientsOf(groupBy(given), line))).toBeCloseTo(Math.LN2, 12);
    const [[right], [first], [second]] = pushes(given);
    expect([right, first, second]).toEqual([-0.25, 0.125, 0.125]);
  });

  it('fades once a pair is told apart, and stays finite', () => {
    const far = pushes(
      answers([
        [900, 1],
        [-900, 0],
      ]),
    ).flat();
    for (const slope of far) expect(Math.abs(slope)).toBeLessThan(1e-12);
    const wrongWay = answers([
      [-900, 1],
      [900, 0],
    ]);
    expect(lossOf(gradientsOf(groupBy(wrongWay), line))).toBeCloseTo(900, 6);
  });

  it('gives nothing to a group without right or without wrong answers', () => {
    for (const reward of [0, 1]) {
      const all = pushes(
        answers([
          [1, reward],
          [-1, reward],
        ]),
      );
      expect(all.flat().every((slope) => slope === 0)).toBe(true);
    }
  });

  it('asks for the reference, and refuses a scale of 0', () => {
    expect(createMethods(stageOf(line)).uses.sets).toContain('reference');
    expect(() => stageOf('objective: {name: dpo-pairs, dpo_beta: 0}')).toThrow(/dpo_beta.*0/);
  });
});
