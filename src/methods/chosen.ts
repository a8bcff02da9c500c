/** Looks at the methods that a stage was given, by the spelling of the YAML: what messages and diagnostics speak of. */
import type { Json } from '../options/json.ts';
import { isSchedule } from '../options/schedule.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodsConfig } from './stage.ts';

/** The value of an option, of whichever method of the stage takes it; undefined where none does. */
export function optionOf(methods: MethodsConfig, key: string): Json | undefined {
  for (const point of METHOD_POINTS) {
    const owner = methods[point].find((plugin) => Object.hasOwn(plugin, key));
    if (owner !== undefined) return owner[key];
  }
  return undefined;
}

/** The same as a number, of a schedule its largest; 0 where no method takes it: a weight that is absent weighs nothing. */
export function weightOf(methods: MethodsConfig, key: string): number {
  const value = optionOf(methods, key);
  if (isSchedule(value)) return Math.max(value.from, value.to);
  return typeof value === 'number' ? value : 0;
}

/** Whether a method of this id is in the stage. */
export function usesMethod(methods: MethodsConfig, id: string): boolean {
  return METHOD_POINTS.some((point) => methods[point].some(({ name }) => name === id));
}

/** Whether top_k, top_p or min_p keep part of the policy from being sampled. */
export function isTruncated({ sampling: { topK, topP, minP } }: GrpoStageConfig): boolean {
  return topK > 0 || topP < 1 || (minP !== null && minP > 0);
}

/** Methods whose completions are not, or not all, those of the policy at the stage's temperature. */
const OFF_POLICY_METHODS = ['temperature-mix', 'anneal-in-sequence', 'success-replay', 'replay-buffer', 'reroll-cache'];

/** Whether a method of the stage always makes rollouts whose ratio is not 1 at the first update either. */
export function samplesOffPolicy({ methods }: GrpoStageConfig): boolean {
  return OFF_POLICY_METHODS.some((id) => usesMethod(methods, id));
}

/** Whether every optimizer step is on fresh rollouts: all ratios are then exactly 1. */
export function isOnPolicy(stage: GrpoStageConfig): boolean {
  const { batch } = stage;
  if (samplesOffPolicy(stage)) return false;
  return batch.optimizerStepsPerGeneration === 1 && batch.numIterations === 1;
}

/** What a controller of the reference says where nothing of the stage can read it. */
export function unreadReference({ lossTerms, groupSteps, creditSteps }: MethodsConfig): string | undefined {
  const readers = [...lossTerms, ...groupSteps, ...creditSteps].filter(({ name }) => name !== 'entropy-bonus');
  return readers.length > 0 ? undefined : 'no term reads the reference, so that moving it changes nothing; set beta';
}

/** What a part says that acts only once the policy has moved, in a stage where it never has. */
export function idleOnPolicy(stage: GrpoStageConfig): string | undefined {
  if (!isOnPolicy(stage)) return undefined;
  return (
    'every step is on fresh completions, from which the policy has not moved away, so it does nothing; ' +
    'raise num_iterations, or leave it out'
  );
}

/** What an objective says that has a ratio of its own, or none. */
export function unreadRatio({ importanceSamplingLevel: [ratio] }: MethodsConfig): string | undefined {
  if (ratio.name === 'token') return undefined; // the default
  return 'does not read importance_sampling_level, having a ratio of its own or none; leave that out';
}

/** What an objective says that reads `what` in the place of advantages. */
export function unreadAdvantages({ advantageEstimator: [estimator] }: MethodsConfig, what: string): string | undefined {
  if (estimator.name === 'group') return undefined; // the default
  return `reads ${what}, not advantages: the estimator only says which groups are dead; leave it out`;
}
