/**
 * One optimizer step of the policy objective over credited groups, in micro-batches of whole groups.
 *
 * Gradients of the micro-batches add up (same bits however they are cut, on wasm); weights change once, and only
 * if every number is finite.
 */

import type { GrpoStageConfig } from '../config/stage_config.ts';
import { NumericsError } from '../errors.ts';
import type { CreditedGroup, Rollout, UpdateResult } from '../methods/records.ts';
import type { PackedBatch, TokenGroup } from '../model/batch.ts';
import { packBatch, splitGroups } from '../model/batch.ts';
import type { ObjectiveRows } from '../model/policy.ts';
import type { StepSizes } from './aggregation.ts';
import { tokenCoefficient } from './aggregation.ts';
import { completionLimit } from './completion_end.ts';
import { actsInUpdate } from './credit.ts';
import type { TrainingRun } from './run.ts';
import { learningRateAt } from './schedules.ts';
import { addRows, emptyTotals } from './update_totals.ts';

/** A group with the token arrays that packing needs. */
interface PackedGroup extends TokenGroup {
  readonly credited: CreditedGroup;
}

/**
 * @param onPolicy the groups were sampled from the very weights that are about to be updated
 * @throws NumericsError at the first non-finite value; the weights are still the last good ones
 */
export async function updatePolicy(
  run: TrainingRun,
  stage: GrpoStageConfig,
  groups: readonly CreditedGroup[],
  onPolicy: boolean,
): Promise<UpdateResult> {
  const { policy, task, position } = run;
  const maxCompletionTokens = completionLimit(task, stage);
  const sizes = stepSizes(stage, groups, maxCompletionTokens);
  const packed = groups
    .filter((group) => actsInUpdate(stage, group))
    .map(
      (credited): PackedGroup => ({
        prompt: credited.prompt,
        completions: credited.rollouts.map(({ tokens }) => tokens),
        credited,
      }),
    );
  const microBatches = splitGroups(packed, microBatchCapacity(run, stage));
  const totals = emptyTotals();
  for (const micro of microBatches) {
    const batch = packBatch(micro);
    const rollouts = micro.flatMap(({ credited }) => credited.rollouts);
    const microLossTokens = sum(rollouts, (rollout) => lossTokens(stage, rollout));
    const all = { ...sizes, microBatches: microBatches.length, microLossTokens };
    const rows = await objectiveRows(run, stage, batch, micro, all, onPolicy);
    const scores = await policy.accumulate(batch, stage.temperature, rows, stage);
    checkFinite(scores.losses, batch, micro, position.step);
    addRows(totals, stage, batch, rollouts, rows, scores);
  }
  const learningRate = learningRateAt(position.step, stage);
  const { gradNorm } = await policy.optimize({ ...stage, learningRate, adamStep: position.step + 1 });
  if (!Number.isFinite(gradNorm)) throw notFinite('gradient norm', gradNorm, position.step, groups);
  return { learningRate, gradNorm, totals };
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

/** Tokens of a rollout that carry a loss: all, or none where truncated completions are masked. */
function lossTokens(stage: GrpoStageConfig, rollout: Rollout): number {
  return stage.maskTruncatedCompletions && rollout.finishReason === 'length' ? 0 : rollout.tokens.length;
}

type SharedSizes = Omit<StepSizes, 'microBatches' | 'microLossTokens'>;

function stepSizes(stage: GrpoStageConfig, groups: readonly CreditedGroup[], maxCompletionTokens: number): SharedSizes {
  return {
    completions: sum(groups, ({ rollouts }) => rollouts.length),
    lossTokens: sum(groups, ({ rollouts }) => sum(rollouts, (rollout) => lossTokens(stage, rollout))),
    maxCompletionTokens,
  };
}

function microBatchCapacity(run: TrainingRun, stage: GrpoStageConfig): Parameters<typeof splitGroups>[1] {
  const { rows, lossRows, groups, completions } = run.policy.capacity;
  const asked = stage.completionsPerMicroBatch;
  return { rows, lossRows, groups, completions: Math.min(completions, asked ?? completions) };
}

/** Everything the objective needs, in the batch's order of loss rows. */
async function objectiveRows(
  run: TrainingRun,
  stage: GrpoStageConfig,
  batch: PackedBatch,
  micro: readonly PackedGroup[],
  sizes: StepSizes,
  onPolicy: boolean,
): Promise<ObjectiveRows> {
  const rollouts = micro.flatMap(({ credited }) => credited.rollouts);
  const advantages = micro.flatMap(({ credited }) => [...credited.advantages]);
  const coefficientOf = Float64Array.from(rollouts, (rollout) => {
    const tokens = lossTokens(stage, rollout);
    return tokens === 0 ? 0 : tokenCoefficient(stage.objective, tokens, sizes);
  });
  const entropyShare = stage.entropyCoef / Math.max(1, sizes.lossTokens);
  const each = (value: (completion: number, token: number) => number): Float32Array =>
    Float32Array.from(batch.completionOf, (completion, row) => value(completion, batch.tokenOf[row] ?? 0));
  const refLogprobs =
    stage.klCoef === 0 ? undefined : (await run.policy.score(batch, stage.temperature, 'reference')).logprobs;
  return {
    oldLogprobs: onPolicy ? 'current' : each((completion, token) => rollouts[completion]?.logprobs[token] ?? 0),
    refLogprobs,
    coefficients: each((completion) => coefficientOf[completion] ?? 0),
    entropyCoefficients: each((completion) => (coefficientOf[completion] === 0 ? 0 : entropyShare)),
    advantages: each((completion) => advantages[completion] ?? 0),
  };
}

function checkFinite(losses: Float32Array, batch: PackedBatch, micro: readonly PackedGroup[], step: number): void {
  const row = losses.findIndex((loss) => !Number.isFinite(loss));
  if (row < 0) return;
  throw notFinite(
    `loss of token ${batch.tokenOf[row]} of completion ${batch.completionOf[row]}`,
    losses[row],
    step,
    micro.map(({ credited }) => credited),
  );
}

/** The offending batch goes with the error, so that the run can keep it for inspection. */
function notFinite(
  what: string,
  value: number | undefined,
  step: number,
  groups: readonly CreditedGroup[],
): NumericsError {
  const message =
    `step ${step + 1}: ${what} is ${value}. The weights are those of step ${step}; nothing was changed.\n` +
    '  Lower learning_rate or max_grad_norm, or look at the batch that was kept.';
  return new NumericsError('non-finite', message, {
    step,
    what,
    value: String(value),
    batch: groups.map(({ item, rollouts, advantages }) => ({
      prompt: item.prompt,
      completions: rollouts.map(({ text, tokens, logprobs, reward }, i) => ({
        text,
        tokens: [...tokens],
        logprobs: Array.from(logprobs, String),
        reward,
        advantage: String(advantages[i]),
      })),
    })),
  });
}
