/**
 * Texts that a loss term trains on in addition to the rollouts, such as demonstrations. Separate passes after the
 * rollouts' add to the same gradients.
 */
import { fittingItem } from '../../data/prompts/prompt_limit.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { NumericsError, RlvrError } from '../../errors.ts';
import type { TrainedText } from '../../methods/points.ts';
import { type BatchLimits, equalInts, fits, packBatch, sizesOf, type TokenGroup } from '../../model/batch.ts';
import type { Policy } from '../../model/policy.ts';
import { wordTokens } from '../../text/control_words.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import type { Step } from '../step.ts';
import { scoredTexts } from './loss_sequences.ts';

/** Texts that go through the model together. */
interface TextBatch {
  readonly texts: TrainedText[];
  groups: TokenGroup[];
}

/**
 * @returns what they add to the step's loss
 * @throws NumericsError where that is not finite; the weights are still the last good ones
 */
export async function accumulateTexts(engine: Engine, step: Step, { state }: Journal): Promise<number> {
  const { policy, tasks } = engine;
  const { temperature } = step.stage.sampling;
  let loss = 0;
  for (const { id, part } of step.methods.lossTerms) {
    if (part.texts === undefined) continue;
    const context = step.context(id);
    const demonstrations = (count: number): readonly TrainedText[] =>
      Array.from({ length: count }, () =>
        demonstrationAt(tasks, step.seed, context.rng.int(0, Math.max(1, state.itemsDrawn) - 1)),
      );
    const texts = part.texts({
      ...context,
      demonstrations,
      wordTokens: (word) => wordTokens(tasks.codec, word),
    });
    for (const text of texts) checkFits(policy, step, id, text);
    for (const micro of textBatches(texts, policy.capacity)) {
      const batch = packBatch(micro.groups);
      const scored = scoredTexts(batch, micro.texts, await policy.forward(batch, temperature));
      part.addTexts?.(scored.texts, scored.gradients.bySequence, context);
      const { losses, ...derivatives } = scored.gradients.toRows();
      await policy.backward(derivatives);
      loss += losses.reduce((sum, value) => sum + value, 0);
    }
    if (!Number.isFinite(loss)) throw notFinite(id, loss, step.number);
  }
  return loss;
}

/** Packs texts in order, as many together as fit. */
function textBatches(texts: readonly TrainedText[], limits: BatchLimits): TextBatch[] {
  const batches: TextBatch[] = [];
  for (const text of texts) {
    const last = batches[batches.length - 1];
    const together = last && withText(last.groups, text);
    if (last !== undefined && together !== undefined && fits(sizesOf(together), limits)) {
      last.texts.push(text);
      last.groups = together;
    } else {
      batches.push({ texts: [text], groups: withText([], text) });
    }
  }
  return batches;
}

/** Adds a text to the groups: to the last one if it shares the prompt. */
function withText(groups: readonly TokenGroup[], text: TrainedText): TokenGroup[] {
  const { prompt, behind = new Int32Array(), tokens } = text;
  const last = groups[groups.length - 1];
  if (text.behind === undefined && text.labels === undefined) return [...groups, { prompt, completions: [tokens] }];
  const completion = Int32Array.from([...behind, ...tokens]);
  const labels = new Uint8Array(completion.length).fill(TOKEN.given, 0, behind.length);
  labels.set(text.labels ?? [], behind.length);
  if (last?.labels === undefined || !equalInts(last.prompt, prompt)) {
    return [...groups, { prompt, completions: [completion], labels: [labels] }];
  }
  const shared = { prompt, completions: [...last.completions, completion], labels: [...last.labels, labels] };
  return [...groups.slice(0, -1), shared];
}

/**
 * A demonstration as a supervised stage would show it. @param from first index of the training stream to try; overlong
 * items are skipped
 */
function demonstrationAt(tasks: TaskSet, seed: number, from: number): TrainedText {
  const { item, index } = fittingItem(tasks, seed, from);
  return tasks.demonstration(item, seed, index);
}

/** @throws RlvrError for a text that does not fit; demonstrations always do */
function checkFits({ capacity }: Policy, { number }: Step, id: string, text: TrainedText): void {
  const { prompt, behind = new Int32Array(), tokens } = text;
  const most = Math.min(capacity.rows + 1, capacity.context);
  const length = prompt.length + behind.length + tokens.length;
  if (prompt.length > 0 && length <= most && tokens.length <= capacity.lossRows) return;
  throw new RlvrError(
    'text-too-long',
    `step ${number + 1}: ${id} trains on a text of ${prompt.length} prompt tokens and ${length - prompt.length} further ones — ` +
      `this run has room for 1 or more, and for ${most} altogether, ${capacity.lossRows} of them with a loss; give ` +
      'shorter texts.',
    { id, prompt: prompt.length, tokens: length - prompt.length },
  );
}

function notFinite(id: string, loss: number, step: number): NumericsError {
  const message =
    `step ${step + 1}: the loss of ${id} on texts of its own is ${loss}. The weights are those of step ${step}; nothing ` +
    'was changed.\n  Lower learning_rate, or the weight of the term.';
  return new NumericsError('non-finite', message, { step, what: id, value: String(loss) });
}
