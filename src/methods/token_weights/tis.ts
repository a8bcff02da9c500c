/**
 * Truncated importance sampling: where top-k, top-p or min-p cut what may be sampled, each token is weighed by what its
 * probability really was, so that the gradient is that of the whole policy. By token or by completion; a weight out of
 * bounds is cut, or leaves its token or completion out. The probability mass that was kept is known from sampling.
 *
 * Where batches wait (`staleness`), or come from a copy of the weights (`quantised_rollout`), π_old is the policy before the
 * first step on a batch, which is scored then; a weight also says how far it is from what sampled, and the ratio is to π_old.
 */
import { choice, flag, key, number } from '../../options/keys.ts';
import { isTruncated, tells } from '../chosen.ts';
import { method } from '../method.ts';
import type { LossSequence, TokenWeight } from '../points.ts';
import type { Rollout } from '../records.ts';
import { isSampledByOther } from '../sampling_modes/modes.ts';
import { movedLogWeights } from '../support/loss/moved_log_weights.ts';
import { proximalLogprobs } from '../uses/proximal_logprobs.ts';

const MODES = ['token_truncate', 'token_mask', 'sequence_truncate', 'sequence_mask'] as const;

export const tis = method({
  id: 'tis',
  about: {
    does: 'Weighs what was sampled from a part of the policy, by an earlier one or by its copy, by how probable it really is.',
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
        .describe('Whose weight it is, and whether one out of bounds is cut (truncate) or becomes 0 (mask).'),
    ),
    importanceMost: key(
      'vllm_importance_sampling_clip_max',
      number({ above: 0, example: 3 }).nullable().default(3).describe('Upper bound of the weight; null is none.'),
    ),
    importanceLeast: key(
      'vllm_importance_sampling_clip_min',
      number({ min: 0, example: 0.1 }).nullable().default(null).describe('Lower bound of the weight; null is none.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'vllm_importance_sampling_correction',
      flag()
        .default(false)
        .describe(
          'Weigh tokens by the probability mass that top_k, top_p and min_p kept, which corrects the gradient. ' +
            'Default {default} (TRL: true, where vLLM samples).',
        ),
    ),
    on: (value) => (value === true ? {} : undefined),
    written: () => true,
  },
  conflict({ vllm_importance_sampling_mode: mode }, methods, stage, members) {
    if (methods.objective[0].name === 'vespo' && String(mode).startsWith('sequence')) {
      return 'vespo takes weights by token into its ratio; use vllm_importance_sampling_mode: token_truncate';
    }
    return isSampledByOther(stage) && members.filter((member) => tells([member], 'weighs-stale')).length > 1
      ? 'another method too weighs by how far the policy is from what sampled, which would count twice; leave one out'
      : undefined;
  },
  note: (_, __, stage) =>
    isTruncated(stage) || isSampledByOther(stage)
      ? undefined
      : 'completions come from the whole policy, so there is nothing to correct; leave it out',
  tells: ['truncation', 'weighs-stale'],
  uses: (_, stage) => (isSampledByOther(stage) ? [proximalLogprobs] : []),
  create: ({ importanceMode: mode, importanceMost, importanceLeast }, stage): TokenWeight => {
    const [least, most] = [importanceLeast ?? 0, importanceMost ?? Number.POSITIVE_INFINITY];
    const isWhole = !isTruncated(stage) && !isSampledByOther(stage);
    const logWeightsOf = (rollout: Rollout) =>
      isSampledByOther(stage) ? movedLogWeights(rollout) : Float64Array.from(rollout.keptLogMass);
    const isPerSequence = mode === 'sequence_truncate' || mode === 'sequence_mask';
    const isMask = mode === 'token_mask' || mode === 'sequence_mask';
    const bounded = (weight: number): number => {
      if (isMask) return weight < least || weight > most ? 0 : weight;
      return Math.min(Math.max(weight, least), most);
    };
    const weightAt = ({ rollout, coefficients }: LossSequence): ((t: number) => number) => {
      const logWeights = logWeightsOf(rollout);
      if (!isPerSequence) return (t) => bounded(Math.exp(logWeights[t]));
      const sequenceLogWeight = logWeights.reduce(
        (sum, logWeight, t) => (coefficients[t] === 0 ? sum : sum + logWeight),
        0,
      );
      const weight = bounded(Math.exp(sequenceLogWeight));
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
