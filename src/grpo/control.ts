/** Lets the controllers of a stage act, after a step and after an evaluation. */
import type { ScoredSet } from '../methods/parameter_sets.ts';
import type { Levers, StepLevers } from '../methods/points.ts';
import type { CreditedGroup, Evaluation, StepMetrics } from '../methods/records.ts';
import { isStageSetting, optionsNamed, type SettableOption, type StageSetting } from '../methods/settings.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { packBatch } from '../model/batch.ts';
import type { Engine } from './engine.ts';
import { stepsLeftOf } from './generation_batch.ts';
import type { Steering } from './journal.ts';
import { layerNorms } from './layer_norms.ts';
import { meanOverBatches } from './metrics.ts';
import { isStageOver, type Progress, stageOf } from './run.ts';
import { type Step, steeredStage } from './step.ts';
import { tokenGroups } from './update/credit.ts';
import { groupParts } from './update/group_parts.ts';
import { microBatchCapacity } from './update/update.ts';

/** What controllers act on. */
interface Steered extends Progress {
  readonly engine: Engine;
}

/** What went into an optimizer step. */
export interface StepTaken {
  readonly groups: readonly CreditedGroup[];
  readonly temperature: number;
  /** Lines of the log of further batches that were drawn for it; absent: none. */
  readonly batches?: readonly StepMetrics[];
}

/**
 * Controllers see the means over all batches that were drawn for the step.
 * @returns the metrics, and what the controllers have logged
 */
export async function controlAfterStep(
  run: Steered,
  step: Step,
  metrics: StepMetrics,
  taken: StepTaken,
): Promise<StepMetrics> {
  const seen = meanOverBatches([...(taken.batches ?? []), metrics]);
  for (const { id, part } of step.methods.controllers) {
    await part.afterStep?.({ ...seen, ...step.logged }, stepLeversOf(run, step, id, { ...taken, metrics }));
  }
  return { ...metrics, ...step.logged };
}

export async function controlAfterEvaluation(run: Steered, step: Step, evaluation: Evaluation): Promise<void> {
  for (const { id, part } of step.methods.controllers) {
    await part.afterEvaluation?.(evaluation, leversOf(run, step, id));
  }
}

/** `step` is the one just taken: levers apply from the next one on. */
function leversOf(run: Steered, step: Step, id: string): Levers {
  const { policy } = run.engine;
  const { state } = run.journal;
  const steer = (changed: Partial<Steering>): void => {
    state.steering = { ...state.steering, ...changed };
  };
  return {
    ...step.context(id),
    copyToReference: () => policy.copySet('reference', 'policy'),
    mixIntoReference: (share) => policy.mixSet('reference', 'policy', share),
    mix: (to, from, share) => (share === 1 ? policy.copySet(to, from) : policy.mixSet(to, from, share)),
    async mixIntoPolicy(from, share) {
      const [weights, others] = [await policy.readVector('weights'), await policy.readVector(from)];
      const mixed = weights.map((weight, i) => (1 - share) * weight + share * others[i]);
      policy.writeVector('weights', mixed);
      const squares = mixed.reduce((sum, weight, i) => sum + (weight - weights[i]) ** 2, 0);
      return Math.sqrt(squares / Math.max(1, mixed.length));
    },
    async resetMoments() {
      zeroMoments(policy);
      steer({ momentsFrom: state.step });
    },
    get(key) {
      const { name, at } = settingOf(run, step, id, key);
      const { settings } = state.steering;
      return Object.hasOwn(settings, name) ? settings[name] : at(state.step, settings);
    },
    set(key, value) {
      const { name, refuses } = settingOf(run, step, id, key);
      const rule = Number.isFinite(value) ? refuses(value) : 'must be a finite number';
      if (rule !== undefined) throw new RangeError(`${id} sets ${key} to ${value}: ${rule}`);
      steer({ settings: { ...state.steering.settings, [name]: value } });
    },
    endStage(reason) {
      const { stageIndex, step } = state;
      if (!isStageOver(run)) steer({ endings: [...state.steering.endings, { stageIndex, step, reason }] });
    },
  };
}

function stepLeversOf(
  run: Steered,
  step: Step,
  id: string,
  taken: StepTaken & { readonly metrics: StepMetrics },
): StepLevers {
  const { state } = run.journal;
  const { batch, optimizer } = step.stage;
  const adamStep = state.step - state.steering.momentsFrom;
  return {
    ...leversOf(run, step, id),
    get stepsLeft() {
      return state.buffer === undefined ? 0 : stepsLeftOf(batch, state.buffer);
    },
    dropRollouts() {
      state.buffer = undefined;
    },
    kl: (to) => sampledKl(run, step, to, taken),
    groups: taken.groups,
    layerNorms: () =>
      layerNorms(run.engine.policy, optimizer, { adamStep, learningRate: Number(taken.metrics.learning_rate) }),
  };
}

function grpoStageOf(run: Progress): GrpoStageConfig {
  const stage = stageOf(run);
  if (stage.stage !== 'grpo') throw new RangeError('controllers act in grpo stages alone');
  return stage;
}

/** The stage's own keys that a controller may set, as the config has them. */
const STAGE_VALUES: Readonly<Record<StageSetting, (stage: GrpoStageConfig) => number>> = {
  temperature: ({ sampling }) => sampling.temperature,
  learning_rate: ({ optimizer }) => optimizer.learningRate,
};

/** @throws RangeError where the stage takes no such number, or several methods take one of that spelling */
function settingOf(run: Progress, step: Step, id: string, key: string): Omit<SettableOption, 'yaml'> {
  const { methods } = step;
  if (isStageSetting(key)) {
    const refuses = (value: number) => (value > 0 ? undefined : 'must be above 0');
    const { settings } = run.journal.state.steering;
    const stage = steeredStage(grpoStageOf(run), methods, settings);
    return { name: key, at: () => STAGE_VALUES[key](stage), refuses };
  }
  const [option, ...others] = optionsNamed(methods.options, key);
  if (option === undefined) throw new RangeError(`${id} asks for ${key}, which no method of this stage takes`);
  if (others.length === 0) return option;
  const names = [option, ...others].map(({ name }) => name);
  throw new RangeError(`${id} asks for ${key}, which several methods take; say which: ${names.join(', ')}`);
}

/** k3 of the sampled tokens that carry a loss, under the policy that sampled them and under another set. */
async function sampledKl(
  run: Steered,
  step: Step,
  to: ScoredSet | 'policy',
  { groups, temperature }: StepTaken,
): Promise<number> {
  const { completions } = microBatchCapacity(run.engine.policy, step);
  const parts = groups.flatMap((group) => groupParts(group, completions));
  const rollouts = parts.flatMap((group) => group.rollouts.map((rollout) => ({ rollout, prompt: group.prompt })));
  const sequences = rollouts.map(({ prompt, rollout: { tokens, labels, prompt: prefix = prompt } }) => ({
    prefix,
    tokens,
    labels,
  }));
  const scores = await run.engine.generator.score(sequences, { set: to, temperature });
  const logprobsOf = new Map(rollouts.map(({ rollout }, i) => [rollout, scores[i].logprobs]));
  let [sum, tokens] = [0, 0];
  for (const part of parts) {
    // Summed in the order of packed rows: another order rounds differently.
    const { completionOf, tokenOf } = packBatch(tokenGroups(part));
    completionOf.forEach((completion, row) => {
      const rollout = part.rollouts[completion];
      if (rollout.inLoss === false || rollout.isOffPolicy) return;
      const token = tokenOf[row];
      const x = (logprobsOf.get(rollout) as Float32Array)[token] - rollout.logprobs[token];
      sum += Math.expm1(x) - x;
      tokens++;
    });
  }
  return sum / Math.max(1, tokens);
}

/** Sets both moments of Adam to 0, as a new optimizer has them. Its bias correction must begin again with them. */
export function zeroMoments(policy: Engine['policy']): void {
  const zeros = new Float32Array(policy.slots.weights.trainable.shape[0]);
  for (const moment of ['firstMoment', 'secondMoment'] as const) policy.writeVector(moment, zeros);
}
