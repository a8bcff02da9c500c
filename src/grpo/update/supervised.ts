/** One optimizer step of the supervised warm start: mean negative log-prob of demonstrated completions. */

import { fittingItem } from '../../data/prompts/prompt_limit.ts';
import { NumericsError } from '../../errors.ts';
import type { SupervisedResult } from '../../methods/records.ts';
import type { TokenGroup } from '../../model/batch.ts';
import { groupLossRows, packBatch, splitGroups } from '../../model/batch.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import { takeBackOnFailure } from '../rest_point.ts';
import type { SupervisedStep } from '../step.ts';
import { inForm } from './demonstrated_forms.ts';
import { playedDemonstration } from './played_demonstrations.ts';
import { learningRateAt } from './schedules.ts';

/** @throws NumericsError where the loss or the gradient is not finite; the weights are still the last good ones */
export async function superviseStep(engine: Engine, step: SupervisedStep, journal: Journal): Promise<SupervisedResult> {
  const { policy } = engine;
  const { state } = journal;
  const { stage, tasks, seed } = step;
  const first = state.itemsDrawn;
  const taught = step.demonstrations?.(state.step).taught?.();
  const examples = await takeBackOnFailure(journal, undefined, async () => {
    if (taught !== undefined) {
      const { taughtDemonstrations } = await import('./taught_demonstrations.ts');
      return taughtDemonstrations(engine, step, journal, taught);
    }
    return Array.from({ length: stage.batch.sequencesPerStep }, (): TokenGroup => {
      const { item, index, next } = fittingItem(tasks, seed, state.itemsDrawn);
      state.itemsDrawn = next;
      const { prompt, tokens, labels } =
        inForm(engine.tasks, step, item, index) ??
        playedDemonstration(tasks, step, { item, index }, state.step) ??
        tasks.demonstration(item, seed, index, stage.learnErrors);
      return { prompt, completions: [tokens], ...(labels && { labels: [labels] }) };
    });
  });
  const dropped = state.itemsDrawn - first - examples.length; // too long, or not solved by a teacher
  const completionTokens = examples.reduce((sum, group) => sum + groupLossRows(group), 0);
  const weightsOf = tokenWeights(engine, step, state.step, examples);
  const total = weightsOf === undefined ? completionTokens : totalOf(examples, weightsOf);
  let loss = 0;
  let entropy = 0;
  for (const micro of splitGroups(examples, policy.capacity)) {
    const batch = packBatch(micro);
    const scores = await policy.forward(batch, 1);
    const weights = Float64Array.from({ length: batch.lossRowCount }, (_, row) =>
      weightsOf === undefined ? 1 : (weightsOf.get(micro[batch.completionOf[row]])?.[batch.tokenOf[row]] ?? 1),
    );
    await policy.backward({ logprobs: Float32Array.from(weights, (weight) => -weight / total) });
    scores.logprobs.forEach((logprob, row) => {
      loss -= (weights[row] * logprob) / total;
    });
    for (const value of scores.entropies) entropy += value / completionTokens;
  }
  const learningRate = learningRateAt(state.step, stage.optimizer);
  const { gradNorm } = await policy.optimize({ ...stage.optimizer, learningRate, adamStep: state.step + 1 });
  if (!Number.isFinite(loss) || !Number.isFinite(gradNorm)) {
    const message =
      `step ${state.step + 1}: the loss is ${loss}, the gradient norm ${gradNorm}. The weights are those of step ` +
      `${state.step}; nothing was changed.\n  Lower learning_rate.`;
    throw new NumericsError('non-finite', message, {
      step: state.step,
      loss: String(loss),
      gradNorm: String(gradNorm),
    });
  }
  return { loss, entropy, gradNorm, learningRate, completionTokens, ...(tasks.isOverlong && { dropped }) };
}

type WeightsOf = ReadonlyMap<TokenGroup, Float64Array>;

/** [tokens] of each example, where a method of the stage weighs them. */
function tokenWeights(
  { tasks: { codec } }: Engine,
  { demonstrations }: SupervisedStep,
  number: number,
  examples: readonly TokenGroup[],
): WeightsOf | undefined {
  const source = demonstrations?.(number);
  if (source?.weigh === undefined) return undefined;
  const textOf = (tokens: Int32Array): string => codec.decode(tokens);
  return new Map(
    examples.map((group) => {
      const [tokens, labels] = [group.completions[0], group.labels?.[0]];
      return [group, source.weigh?.({ tokens, ...(labels && { labels }) }, textOf) ?? new Float64Array()];
    }),
  );
}

/** Sum of the weights of the tokens that carry a loss; 1 if there are none. */
function totalOf(examples: readonly TokenGroup[], weightsOf: WeightsOf): number {
  const sum = examples.reduce((all, group) => {
    const labels = group.labels?.[0];
    const weights = weightsOf.get(group) ?? new Float64Array();
    return all + weights.reduce((own, weight, t) => (labels?.[t] === TOKEN.given ? own : own + weight), 0);
  }, 0);
  return sum === 0 ? 1 : sum;
}
