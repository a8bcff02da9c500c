/**
 * Truncated importance sampling: where top-k, top-p or min-p cut what may be sampled, each token is weighed by what its
 * probability really was, so that the gradient is that of the whole policy. By token or by completion; a weight out of
 * bounds is cut, or leaves its token or completion out. The probability mass that was kept is known from sampling.
 */
import { choice, flag, key, number } from '../../options/keys.ts';
import { isTruncated } from '../chosen.ts';
import { method } from '../method.ts';
import type { LossSequence, TokenWeight } from '../points.ts';

const MODES = ['token_truncate', 'token_mask', 'sequence_truncate', 'sequence_mask'] as const;

export const tis = method({
  id: 'tis',
  about: {
    does: 'Weighs what was sampled from a part of the policy by what that part held.',
    names: ['truncated importance sampling'],
    formula: 'weight min(π_old/π_sampled, clip_max), of a token or of a completion',
    source: 'own',
    certainty: 'own',
  },
  optionsAreStageKeys: true,
  options: {
    importanceMode: key(
      'vllm_importance_sampling_mode',
      choice(MODES, 'not a mode of importance sampling')
        .default('sequence_mask')
        .describe(
          'Whose weight it is, and whether one out of bounds is cut (truncate) or becomes 0 (mask). Default sequence_mask.',
        ),
    ),
    importanceMost: key(
      'vllm_importance_sampling_clip_max',
      number({ above: 0, example: 3 })
        .nullable()
        .default(3)
        .describe('Upper bound of the weight; null is none. Default 3.'),
    ),
    importanceLeast: key(
      'vllm_importance_sampling_clip_min',
      number({ min: 0, example: 0.1 })
        .nullable()
        .default(null)
        .describe('Lower bound of the weight; null is none. Default null.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'vllm_importance_sampling_correction',
      flag()
        .default(false)
        .describe(
          'Weigh tokens by the probability mass that top_k, top_p and min_p kept, which corrects the gradient. ' +
            'Default false (TRL: true, where vLLM samples).',
        ),
    ),
    on: (value) => (value === true ? {} : undefined),
    written: () => true,
  },
  conflict: ({ vllm_importance_sampling_mode: mode }, { objective: [{ name }] }) =>
    name === 'vespo' && String(mode).startsWith('sequence')
      ? 'vespo takes weights by token into its ratio; use vllm_importance_sampling_mode: token_truncate'
      : undefined,
  note: (_, __, stage) =>
    isTruncated(stage)
      ? undefined
      : 'completions come from the whole policy, so there is nothing to correct; leave it out',
  tells: ['truncation'],
  create: ({ importanceMode: mode, importanceMost, importanceLeast }, { sampling }): TokenWeight => {
    const [least, most] = [importanceLeast ?? 0, importanceMost ?? Number.POSITIVE_INFINITY];
    const isWhole = sampling.topK === 0 && sampling.topP === 1 && sampling.minP === null;
    const isPerSequence = mode === 'sequence_truncate' || mode === 'sequence_mask';
    const isMask = mode === 'token_mask' || mode === 'sequence_mask';
    const bounded = (weight: number): number => {
      if (isMask) return weight < least || weight > most ? 0 : weight;
      return Math.min(Math.max(weight, least), most);
    };
    const weightAt = ({ rollout, coefficients }: LossSequence): ((t: number) => number) => {
      const { keptLogMass } = rollout;
      if (!isPerSequence) return (t) => bounded(Math.exp(keptLogMass[t]));
      const whole = keptLogMass.reduce((sum, mass, t) => (coefficients[t] === 0 ? sum : sum + mass), 0);
      const weight = bounded(Math.exp(whole));
      return () => weight;
    };
    return {
      coupling: isPerSequence ? 'sequence' : 'token',
      ...(isWhole && { isIdle: true }),
      weigh(sequences, all) {
        sequences.forEach((sequence, i) => {
          const weight = weightAt(sequence);
          const { importance } = all[i];
          for (let t = 0; t < importance.length; t++) importance[t] *= weight(t);
        });
      },
      measures: {
        add(sequence, meter) {
          const weight = weightAt(sequence);
          const name = 'sampling/importance_sampling_ratio';
          for (let t = 0; t < sequence.coefficients.length; t++) {
            if (sequence.coefficients[t] === 0) continue;
            const value = weight(t);
            meter.least(`${name}/min`, value);
            meter.mean(`${name}/mean`, value, 1);
            meter.most(`${name}/max`, value);
            if (isPerSequence) break;
          }
        },
      },
    };
  },
});
