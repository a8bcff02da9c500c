/**
 * Evaluation on held-out problems: greedy accuracy, mean@K and unbiased pass@K, all by the strict verdict
 * (score 1), whatever reward the run trains on. Uses the same random numbers at every evaluation, so that two
 * evaluations differ by the policy alone. Problems weigh as often as the task asks them.
 */

import type { TaskItem } from '../data/task.ts';
import type { TaskSet } from '../data/task_set.ts';
import type { ProblemRecord } from '../methods/points.ts';
import type { Evaluation, VerifiedCompletion } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import { meanPassAtK, shareSolved } from '../methods/statistics.ts';
import { wholeVocabulary } from '../model/sampling/generation.ts';
import { completeItems, sampledTokens } from './rollout/complete.ts';
import type { TrainingRun } from './run.ts';
import { samplingKey, timed } from './run.ts';

const EXAMPLES = 8;
const GREEDY = wholeVocabulary(0);
const PLAIN = wholeVocabulary(1);

/** Evaluates the policy as it stands. Does not move the run's counters. */
export async function evaluate(run: TrainingRun, stage: StageConfig): Promise<Evaluation> {
  return timed(run, 'eval', async () => {
    const items = evaluatedItems(run.tasks, stage);
    const { samples } = stage.evaluation;
    const key = samplingKey(run.config.seed, 'eval');
    const greedy = await completeItems(run, items, { samples: 1, sampling: GREEDY, samplingKey: key, stage });
    const sampling = stage.stage === 'grpo' ? stage.sampling : PLAIN;
    const sampled = await completeItems(run, items, { samples, sampling, samplingKey: key, stage });
    const answers = greedy.flat(); // one per item
    const correct = sampled.map((completions) => completions.filter(({ verdict }) => verdict.score === 1).length);
    const weights = items.map(({ weight }) => weight);
    const tokens = sampledTokens(sampled);
    const solved = answers.map(({ verdict }) => (verdict.score === 1 ? 1 : 0));
    return {
      accuracy: shareSolved(solved, weights),
      ...(run.tasks.shares.length > 1 && { byTask: accuraciesByTask(items, { solved, correct, samples }) }),
      samples,
      meanAtK: meanPassAtK(correct, samples, 1, weights),
      passAtK: Object.fromEntries(passes(samples).map((k) => [k, meanPassAtK(correct, samples, k, weights)])),
      figures: figuresOf(run, items, answers, sampled),
      meanLength: tokens / (items.length * samples),
      examples: items.slice(0, EXAMPLES).map(({ prompt }, i) => {
        const { text: completion, verdict } = answers[i] as VerifiedCompletion;
        return { prompt, completion, verdict };
      }),
    };
  });
}

/** The held-out problems that a stage's evaluations ask: all, or `eval_samples` of them at even distances. */
export function evaluatedItems(tasks: Pick<TaskSet, 'heldOutItems'>, { evaluation }: StageConfig): readonly TaskItem[] {
  const items = tasks.heldOutItems();
  const { problems = items.length } = evaluation;
  if (problems >= items.length) return items;
  return Array.from({ length: problems }, (_, i) => items[Math.floor((i * items.length) / problems)] as TaskItem);
}

/** Of several tasks, each by itself. @param solved  per item, by its greedy answer @param correct  of `samples` per item */
function accuraciesByTask(
  items: readonly TaskItem[],
  { solved, correct, samples }: { solved: readonly (0 | 1)[]; correct: readonly number[]; samples: number },
): NonNullable<Evaluation['byTask']> {
  const labels = [...new Set(items.map(({ task = '' }) => task))];
  return Object.fromEntries(
    labels.map((label) => {
      const own = items.flatMap(({ task }, i) => (task === label ? [i] : []));
      const of = <Value>(values: readonly Value[]): Value[] => own.map((i) => values[i]);
      const weights = own.map((i) => items[i].weight);
      return [
        label,
        {
          accuracy: shareSolved(of(solved), weights),
          meanAtK: meanPassAtK(of(correct), samples, 1, weights),
        },
      ];
    }),
  );
}

/** Further figures that the stage asks for. */
function figuresOf(
  run: TrainingRun,
  items: readonly TaskItem[],
  greedy: readonly VerifiedCompletion[],
  sampled: readonly (readonly VerifiedCompletion[])[],
): Evaluation['figures'] {
  const figures = run.figures[run.state.stageIndex] ?? [];
  if (figures.length === 0) return {};
  const problems = items.map(
    ({ key, weight }, i): ProblemRecord => ({
      key,
      weight,
      greedy: greedy[i].verdict,
      samples: sampled[i].map(({ verdict }) => verdict),
    }),
  );
  return Object.fromEntries(figures.map((figure) => [figure.name, figure.of(problems)]));
}

/** k of pass@k: 1, 2, 4, … and K itself. */
export function passes(samples: number): number[] {
  const list: number[] = [];
  for (let k = 1; k < samples; k *= 2) list.push(k);
  return [...list, samples];
}
