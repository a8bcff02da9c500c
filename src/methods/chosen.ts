/** Reads the methods of a stage by their YAML names, for messages and diagnostics. */
import type { Json } from '../options/json.ts';
import type { Member, Telling } from './method.ts';
import { isSampledByOther, modesOf } from './sampling_modes/modes.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodsConfig } from './stage.ts';
import type { Use } from './uses/use.ts';

/** The value of an option of the stage's methods; undefined if none takes it. */
export function optionOf(methods: MethodsConfig, key: string): Json | undefined {
  for (const point of METHOD_POINTS) {
    const owner = methods[point].find((plugin) => Object.hasOwn(plugin, key));
    if (owner !== undefined) return owner[key];
  }
  return undefined;
}

/** Whether the stage has a method of this id, for remarks of a method on one that it is made for. */
export function usesMethod(methods: MethodsConfig, id: string): boolean {
  return METHOD_POINTS.some((point) => methods[point].some(({ name }) => name === id));
}

/** The traits that the methods of a stage declare. */
export function tellingsOf(members: readonly Member[]): ReadonlySet<Telling> {
  return new Set(
    members.flatMap((member) => {
      const { tells = [] } = member.method;
      return typeof tells === 'function' ? tells(member.options) : tells;
    }),
  );
}

/** Whether one of them declares this trait. */
export function tells(members: readonly Member[], what: Telling): boolean {
  return tellingsOf(members).has(what);
}

/** Whether top_k, top_p or min_p keep part of the policy from being sampled. */
export function isTruncated({ sampling: { topK, topP, minP } }: GrpoStageConfig): boolean {
  return topK > 0 || topP < 1 || (minP !== null && minP > 0);
}

/** Ids of the methods of whose completions some are not the policy's own at the stage's temperature. */
export function offPolicySamplers(members: readonly Member[], stage: GrpoStageConfig): readonly string[] {
  return members.flatMap((member) => {
    const { samplesOffPolicy, id } = member.method;
    const does = typeof samplesOffPolicy === 'function' ? samplesOffPolicy(member.options, stage) : samplesOffPolicy;
    return does === true ? [id] : [];
  });
}

function reusesRollouts({ batch }: GrpoStageConfig): boolean {
  return batch.optimizerStepsPerGeneration > 1 || batch.numIterations > 1;
}

/** Whether every optimizer step uses fresh rollouts of the policy itself, so that all ratios are exactly 1. */
export function isOnPolicy(stage: GrpoStageConfig, members: readonly Member[]): boolean {
  return !reusesRollouts(stage) && !isSampledByOther(stage) && offPolicySamplers(members, stage).length === 0;
}

/**
 * The remark of a method that assumes every completion to be the policy's own, if some are not.
 *
 * @param missing  continues a sentence: `no ratio corrects`
 * @param instead  what to use, with the comma after it, or nothing
 */
export function uncorrected(
  stage: GrpoStageConfig,
  members: readonly Member[],
  missing: string,
  instead: string,
): readonly string[] {
  const samplers = offPolicySamplers(members, stage).join(' and ');
  return [
    ...(reusesRollouts(stage)
      ? [
          `several steps are taken on the same completions, and ${missing} for the policy having moved on; use ${instead}` +
            'num_iterations: 1 and one step per batch',
        ]
      : []),
    ...(tells(members, 'weighs-stale') ? [] : modesOf(stage).map((mode) => mode.uncorrected(stage, missing, instead))),
    ...(samplers === ''
      ? []
      : [
          `completions of ${samplers} are not the policy's own, and ${missing} for what they were sampled with; ` +
            `${instead === '' ? '' : `use ${instead}`}leave ${samplers} out`,
        ]),
  ];
}

/** The remark of a controller of the reference in a stage that does not read it. */
export function unreadReference(members: readonly Member[]): string | undefined {
  const isRead = members.some(({ point, uses }) => point !== 'controllers' && uses.some(readsReference));
  return isRead ? undefined : 'no term reads the reference, so that moving it changes nothing; set beta';
}

function readsReference({ set, implies }: Use): boolean {
  return set === 'reference' || implies?.some(readsReference) === true;
}

/** The remark of an objective with its own ratio, or none. */
export function unreadRatio({ ratio: [ratio] }: MethodsConfig): string | undefined {
  if (ratio.name === 'token') return undefined; // the default
  return 'does not read importance_sampling_level, having a ratio of its own or none; leave that out';
}

/** The remark of an objective that reads `what` instead of advantages. */
export function unreadAdvantages({ advantageEstimator: [estimator] }: MethodsConfig, what: string): string | undefined {
  if (estimator.name === 'group') return undefined; // the default
  return `reads ${what}, not advantages: the estimator only says which groups are dead; leave it out`;
}
