/**
 * Evaluation on held-out problems: greedy accuracy, mean@K and unbiased pass@K, all by the strict verdict
 * (score 1), whatever reward the run trains on. Uses the same random numbers at every evaluation, so that two
 * evaluations differ by the policy alone. Problems weigh as often as the task asks them.
 */
import type { StageConfig } from '../config/stage_config.ts';
import type { Evaluation, VerifiedCompletion } from '../methods/records.ts';
import { meanPassAtK, shareSolved } from '../methods/statistics.ts';
import { wholeVocabulary } from '../model/generation.ts';
import { completeItems } from './complete.ts';
import type { TrainingRun } from './run.ts';
import { samplingKey, timed } from './run.ts';

/** Sampled completions of a held-out problem where the stage does not say. */
const DEFAULT_SAMPLES = 4;
const EXAMPLES = 8;
const GREEDY = wholeVocabulary(0);
const PLAIN = wholeVocabulary(1);

/** Sampled completions of a held-out problem; a stage that does not say takes the default of one that does. */
export function evaluationSamples(stage: StageConfig): number {
  return stage.stage === 'grpo' ? stage.numGenerationsEval : DEFAULT_SAMPLES;
}

/** Evaluates the policy as it stands. Does not move the run's counters. */
export async function evaluate(run: TrainingRun, stage: StageConfig): Promise<Evaluation> {
  return timed(run, 'eval', async () => {
    const items = run.task.heldOutItems();
    const samples = evaluationSamples(stage);
    const key = samplingKey(run.config.seed, 'eval');
    const greedy = await completeItems(run, items, { samples: 1, sampling: GREEDY, samplingKey: key, stage });
    const sampling = stage.stage === 'grpo' ? stage : PLAIN;
    const sampled = await completeItems(run, items, { samples, sampling, samplingKey: key, stage });
    const answers = greedy.flat(); // one per item
    const correct = sampled.map((completions) => completions.filter(({ verdict }) => verdict.score === 1).length);
    const weights = items.map(({ weight }) => weight);
    const tokens = sampled.flat().reduce((sum, completion) => sum + completion.tokens.length, 0);
    return {
      accuracy: shareSolved(
        answers.map(({ verdict }) => (verdict.score === 1 ? 1 : 0)),
        weights,
      ),
      samples,
      meanAtK: meanPassAtK(correct, samples, 1, weights),
      passAtK: Object.fromEntries(passes(samples).map((k) => [k, meanPassAtK(correct, samples, k, weights)])),
      meanLength: tokens / (items.length * samples),
      examples: items.slice(0, EXAMPLES).map(({ prompt }, i) => {
        const { text: completion, verdict } = answers[i] as VerifiedCompletion;
        return { prompt, completion, verdict };
      }),
    };
  });
}

/** 1, 2, 4, … and K itself. */
function passes(samples: number): number[] {
  const list: number[] = [];
  for (let k = 1; k < samples; k *= 2) list.push(k);
  return [...list, samples];
}
