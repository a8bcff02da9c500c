/** Values of segments: backed up from leaves, shared by those below them, and compared with the leaves of the group. */
import { expect, it } from 'vitest';
import { createMethods } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

const stage = stageOf('advantage_estimator: {name: segment-tree, segment_tokens: 2}');

function creditOf(paths: readonly (readonly [tokens: readonly number[], reward: number])[]) {
  const group = groupOf(
    paths.map(([tokens, reward]) => ({ ...rolloutOf(tokens.length, reward), tokens: Int32Array.from(tokens) })),
  );
  const [{ tokenAdvantages = [] }] = createMethods(stage).advantageEstimator.part.estimate([group], stepContext(stage));
  return tokenAdvantages.map((own) => [...own]);
}

it('backs up by depth, lets right override wrong, and credits what is shared alike', () => {
  const credit = creditOf([
    [[1, 1, 2, 2], 0],
    [[1, 1, 3, 3], 1],
    [[4, 4, 5, 5], 0],
  ]);
  const [mean, deviation] = [-1 / 3, Math.sqrt(((2 / 3) ** 2 * 2 + (4 / 3) ** 2) / 2)];
  const of = (value: number) => (Math.tanh(value) - mean) / (deviation + 1e-4);
  const expected = [
    [0.5, 0.5, -1, -1],
    [0.5, 0.5, 1, 1],
    [-0.5, -0.5, -1, -1],
  ].map((values) => values.map((value) => Math.fround(of(value))));
  credit.forEach((own, i) => {
    own.forEach((value, t) => {
      expect(value).toBeCloseTo(expected[i][t], 5);
    });
  });
});

it('takes nothing from what has led to something right, whatever comes later', () => {
  const [[shared]] = creditOf([
    [[1, 1, 3, 3], 1],
    [[1, 1, 2, 2], 0],
    [[1, 1, 2, 3], 0],
  ]);
  const [[alone]] = creditOf([
    [[1, 1, 3, 3], 1],
    [[6, 6, 2, 2], 0],
    [[7, 7, 2, 3], 0],
  ]);
  expect(shared).toBe(alone);
});
