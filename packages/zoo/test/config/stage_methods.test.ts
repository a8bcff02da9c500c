/** Methods in a config: by TRL's keys, by the keys of their points, and back; and what is said of mistakes. */
import { describe, expect, it } from 'vitest';
import { resolvedTree } from '../../../../src/config/dump.ts';
import { METHODS, parseConfig } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';

const ESTIMATORS = METHODS.advantageEstimator.map(({ id }) => id).join(', ');

function written(...lines: readonly string[]): Record<string, unknown> {
  const text = ['task: sort_digits', 'max_steps: 10', ...lines].join('\n');
  const [stage] = resolvedTree(parseConfig(text, { file: 'a.yaml' }).config).stages as Record<string, unknown>[];
  return stage;
}

describe('methods of a stage', () => {
  it("are those of TRL's keys, and of the points behind them, in order", () => {
    const { methods } = stageOf(
      'beta: 0.1',
      'entropy_coef: 0.2',
      'mask_truncated_completions: true',
      'loss_type: grpo',
    );
    expect(methods.lossTerms).toEqual([
      { name: 'kl-loss', beta: 0.1, use_bias_correction_kl: true },
      { name: 'entropy-bonus', entropy_coef: 0.2 },
    ]);
    expect(methods.creditSteps).toEqual([{ name: 'truncation-mask' }]);
    expect(methods.aggregation).toEqual([{ name: 'seq-mean' }]);
    const { creditSteps } = stageOf(
      'mask_truncated_completions: true',
      'credit_steps: [{name: length-mask, max_tokens: 9}]',
    ).methods;
    expect(creditSteps.map(({ name }) => name)).toEqual(['truncation-mask', 'length-mask']);
  });

  it.each([
    ['loss_type: cispo', { loss_type: 'cispo', epsilon_high: 5 }],
    ['loss_type: bnpo', { loss_type: 'bnpo', epsilon: 0.2, epsilon_high: 0.2, delta: null }],
    ['aggregation: const-norm', { loss_type: 'dr_grpo' }],
    ['objective: {name: cispo, epsilon_high: 3}', { loss_type: 'cispo', epsilon_high: 3 }],
    ['advantage_estimator: rloo', { advantage_estimator: { name: 'rloo' } }],
    ['advantage_estimator: {name: group, scale_rewards: none}', { scale_rewards: 'none' }],
    ['rollout_strategies: [{name: refill, max_rounds: 4}]', { dynamic_sampling: { name: 'refill', max_rounds: 4 } }],
    ['loss_terms: [{name: kl-loss, beta: 0.3}]', { beta: 0.3, entropy_coef: 0 }],
    ['credit_steps: [{name: length-mask, max_tokens: 9}]', { credit_steps: [{ name: 'length-mask', max_tokens: 9 }] }],
  ])('are written back by the shortest of their keys: %s', (line, expected) => {
    expect(written(line)).toMatchObject(expected);
    expect(written('beta: 0')).not.toHaveProperty('advantage_estimator');
  });

  it.each([
    ['advantage_estimator: roo', `roo — no such method (${ESTIMATORS}); the nearest is rloo.`],
    ['credit_steps: [rloo]', 'rloo — not a method of this point; move it to advantage_estimator.'],
    ['credit_steps: [{name: length-mask}]', 'missing'],
    ['credit_steps: [{name: length-mask, max_token: 3}]', 'no such option of length-mask (it takes max_tokens)'],
    ['beta: 0.1\nloss_terms: [kl-loss]', 'is in this stage twice; keep one'],
    ['loss_type: grpo\naggregation: token-mean', 'loss_type already names the aggregation; keep one of the two'],
    ['loss_type: cispo\nepsilon: 0.1', 'an option of ppo-clip, which this stage does not use'],
    ['advantage_estimator: rloo\nscale_rewards: none', 'an option of group, which this stage does not use'],
    ['epsilon_high: 0.3\ndelta: 1.1', 'must exceed 1 + epsilon_high (1.3), or it undoes the clip'],
    ['evaluation_figures: pass-hat-k', 'must be a list of names'],
  ])('are refused with what is wrong: %s', (lines, message) => {
    expect(() => stageOf(...lines.split('\n'))).toThrow(message);
  });

  it('take a value of another method where it asks for nothing', () => {
    expect(stageOf('loss_type: cispo', 'epsilon: 0.2', 'delta: null').methods.objective).toEqual([
      { name: 'cispo', epsilon_high: 5 },
    ]);
  });
});
