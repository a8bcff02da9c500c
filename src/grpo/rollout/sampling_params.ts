/** How a stage samples its rollouts: the parameters that the generator gets, and which rollouts are then off-policy. */

import type { RolloutGroup } from '../../methods/records.ts';
import { copyOf, samplesElsewhere } from '../../methods/sampling_modes/modes.ts';
import type { SamplingParams } from '../../model/sampling/settings.ts';
import { TOKEN } from '../../token_kinds.ts';
import { samplingKey } from '../run.ts';
import type { Step } from '../step.ts';
import { temperatureFactor } from './control_tokens.ts';

/** Parameters of a single completion. */
export interface AskedOf {
  readonly temperature: number;
  readonly turnTokens: number | undefined;
}

/** Completions with the same parameters are sampled together. */
export function samplingParams({ stage, seed }: Step, { temperature, turnTokens }: AskedOf): SamplingParams {
  return {
    sampling: { ...stage.sampling, temperature },
    samplingKey: samplingKey(seed, 'rollout'),
    turnTokens,
    fromCopy: copyOf(stage) !== undefined,
  };
}

/** Marks rollouts off-policy if a token control changed the temperature or the policy itself did not sample them. */
export function markOffPolicy(step: Step, groups: readonly RolloutGroup[]): readonly RolloutGroup[] {
  const factor = temperatureFactor(step);
  const isElsewhere = samplesElsewhere(step.stage);
  if (factor === undefined && !isElsewhere) return groups;
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => {
      const { tokens, labels } = rollout;
      const isHeated = tokens.some((_, t) => labels?.[t] !== TOKEN.given && factor !== undefined && factor(t) !== 1);
      return isHeated || isElsewhere ? { ...rollout, isOffPolicy: true } : rollout;
    }),
  }));
}
