/**
 * Texts that a term of the loss trains on beside the rollouts, as demonstrations: passes of their own behind those of the
 * rollouts, whose gradients add up with theirs. A stage without such a term does nothing here.
 */
import { fittingItem } from '../data/prompt_limit.ts';
import { NumericsError, RlvrError } from '../errors.ts';
import type { TrainedText } from '../methods/points.ts';
import { packBatch, splitGroups, type TokenGroup } from '../model/batch.ts';
import { scoredTexts } from './loss_sequences.ts';
import type { TrainingRun } from './run.ts';
import type { StepScope } from './step_scope.ts';

interface TextGroup extends TokenGroup {
  readonly text: TrainedText;
}

/**
 * @returns what they add to the step's loss
 * @throws NumericsError where that is not finite; the weights are still the last good ones
 */
export async function accumulateTexts(run: TrainingRun, scope: StepScope, temperature: number): Promise<number> {
  const { policy, state } = run;
  let loss = 0;
  for (const { id, part } of scope.methods.lossTerms) {
    if (part.texts === undefined) continue;
    const context = scope.context(id);
    const demonstrations = (count: number): readonly TrainedText[] =>
      Array.from({ length: count }, () => demonstrationAt(run, context.rng.int(0, Math.max(1, state.itemsDrawn) - 1)));
    const texts = part.texts({ ...context, demonstrations });
    for (const text of texts) checkFits(run, id, text);
    const groups = texts.map((text): TextGroup => ({ prompt: text.prompt, completions: [text.tokens], text }));
    for (const micro of splitGroups(groups, policy.capacity)) {
      const batch = packBatch(micro);
      const scored = scoredTexts(
        batch,
        micro.map(({ text }) => text),
        await policy.forward(batch, temperature),
      );
      part.addTexts?.(scored.texts, scored.gradients.bySequence, context);
      const { losses, ...derivatives } = scored.gradients.toRows();
      await policy.backward(derivatives);
      loss += losses.reduce((sum, value) => sum + value, 0);
    }
    if (!Number.isFinite(loss)) throw notFinite(id, loss, state.step);
  }
  return loss;
}

/** As a supervised stage would have shown it. @param from  in the training stream, from where on the first is taken that is not left out */
function demonstrationAt({ tasks, config: { seed } }: TrainingRun, from: number): TrainedText {
  const { item, index } = fittingItem(tasks, seed, from);
  return { prompt: tasks.promptTokens(item), tokens: tasks.demonstrationTokens(item, seed, index) };
}

/** @throws RlvrError for a text that there is no room for; demonstrations always fit */
function checkFits({ policy: { capacity }, state }: TrainingRun, id: string, { prompt, tokens }: TrainedText): void {
  const most = Math.min(capacity.rows + 1, capacity.context);
  if (prompt.length > 0 && prompt.length + tokens.length <= most && tokens.length <= capacity.lossRows) return;
  throw new RlvrError(
    'text-too-long',
    `step ${state.step + 1}: ${id} trains on a text of ${prompt.length} prompt tokens and ${tokens.length} further ones — ` +
      `this run has room for 1 or more, and for ${most} altogether, ${capacity.lossRows} of them with a loss; give ` +
      'shorter texts.',
    { id, prompt: prompt.length, tokens: tokens.length },
  );
}

function notFinite(id: string, loss: number, step: number): NumericsError {
  const message =
    `step ${step + 1}: the loss of ${id} on texts of its own is ${loss}. The weights are those of step ${step}; nothing ` +
    'was changed.\n  Lower learning_rate, or the weight of the term.';
  return new NumericsError('non-finite', message, { step, what: id, value: String(loss) });
}
