/** Demonstrations that a further model of the run writes; where that is asked for, those alone that are right. */
import { fittingItem } from '../../data/prompts/prompt_limit.ts';
import { DataError } from '../../errors.ts';
import type { TaughtDemonstrations } from '../../methods/points.ts';
import type { TokenGroup } from '../../model/batch.ts';
import { wholeVocabulary } from '../../model/sampling/generation.ts';
import type { Engine } from '../engine.ts';
import { localGenerator } from '../generator.ts';
import type { Journal } from '../journal.ts';
import { completeItems } from '../rollout/complete.ts';
import { samplingKey } from '../run.ts';
import type { SupervisedStep } from '../step.ts';

/** How often a step asks for what it still lacks. */
const MOST_ROUNDS = 16;

/**
 * As many as a step takes, of the problems that come next.
 *
 * @throws DataError where the model solves too few
 */
export async function taughtDemonstrations(
  { models }: Engine,
  { stage, tasks, seed }: SupervisedStep,
  { state }: Journal,
  { model, temperature, verified }: TaughtDemonstrations,
): Promise<TokenGroup[]> {
  const generator = localGenerator(models[model].policy, () => 0);
  const count = stage.batch.sequencesPerStep;
  const examples: TokenGroup[] = [];
  let asked = 0;
  for (let round = 0; round < MOST_ROUNDS && examples.length < count; round++) {
    const firstRollout = state.itemsDrawn;
    const items = Array.from({ length: count - examples.length }, () => {
      const { item, next } = fittingItem(tasks, seed, state.itemsDrawn);
      state.itemsDrawn = next;
      return item;
    });
    asked += items.length;
    const answers = await completeItems({ tasks, generator }, items, {
      samples: 1,
      sampling: wholeVocabulary(temperature),
      samplingKey: samplingKey(seed, 'teacher'),
      firstRollout,
      stage,
    });
    answers.forEach(([{ tokens, labels, verdict }], i) => {
      if (verified && verdict.score !== 1) return;
      examples.push({
        prompt: tasks.promptTokens(items[i]),
        completions: [tokens],
        ...(labels && { labels: [labels] }),
      });
    });
  }
  if (examples.length === count) return examples;
  const rule = `the ${model} solves ${examples.length} of ${asked} problems, and a step needs ${count}`;
  const remedy = 'take easier problems or a better model, or set verified: false';
  throw new DataError('unsolved', `demonstrations: ${rule}; ${remedy}.`, { solved: examples.length, asked });
}
