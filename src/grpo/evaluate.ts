/**
 * Evaluation on held-out problems: greedy accuracy, mean@K and unbiased pass@K, all by the strict verdict
 * (score 1), whatever reward the run trains on. Uses the same random numbers at every evaluation, so that two
 * evaluations differ by the policy alone. Problems weigh as often as the task asks them.
 */
import type { StageConfig } from '../config/stage_config.ts';
import type { TaskItem } from '../data/task.ts';
import type { Evaluation, Example } from '../methods/records.ts';
import { meanPassAtK, shareSolved } from '../methods/statistics.ts';
import type { Completion, SamplingSettings } from '../model/generation.ts';
import { generate, wholeVocabulary } from '../model/generation.ts';
import { completionText } from './collect.ts';
import { completionEnd } from './completion_end.ts';
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
    const greedy = await complete(run, stage, items, GREEDY, 1);
    const sampled = await complete(run, stage, items, stage.stage === 'grpo' ? stage : PLAIN, samples);
    const solved = greedy.map(([first], i) => judge(run, items[i] as TaskItem, first as Completion));
    const correct = sampled.map(
      (completions, i) =>
        completions.filter((completion) => judge(run, items[i] as TaskItem, completion).verdict.score === 1).length,
    );
    const weights = items.map(({ weight }) => weight);
    const tokens = sampled.flat().reduce((sum, completion) => sum + completion.tokens.length, 0);
    return {
      accuracy: shareSolved(
        solved.map(({ verdict }) => (verdict.score === 1 ? 1 : 0)),
        weights,
      ),
      samples,
      meanAtK: meanPassAtK(correct, samples, 1, weights),
      passAtK: Object.fromEntries(passes(samples).map((k) => [k, meanPassAtK(correct, samples, k, weights)])),
      meanLength: tokens / (items.length * samples),
      examples: solved.slice(0, EXAMPLES),
    };
  });
}

/** 1, 2, 4, … and K itself. */
function passes(samples: number): number[] {
  const list: number[] = [];
  for (let k = 1; k < samples; k *= 2) list.push(k);
  return [...list, samples];
}

async function complete(
  run: TrainingRun,
  stage: StageConfig,
  items: readonly TaskItem[],
  sampling: SamplingSettings,
  samples: number,
): Promise<Completion[][]> {
  const requests = items.map((item, index) => ({
    prompt: run.task.promptTokens(item),
    rolloutNumbers: Array.from({ length: samples }, (_, sample) => index * samples + sample),
  }));
  return generate(run.policy, requests, {
    sampling,
    samplingKey: samplingKey(run.config.seed, 'eval'),
    ...completionEnd(run.task, stage),
  });
}

function judge(run: TrainingRun, item: TaskItem, completion: Completion): Example {
  const text = completionText(run, completion);
  return { prompt: item.prompt, completion: text, verdict: run.task.verify(item, text, completion) };
}
