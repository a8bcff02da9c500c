/**
 * Evaluation on held-out problems: greedy accuracy, mean@K and unbiased pass@K, all by the strict verdict
 * (score 1), whatever reward the run trains on. Uses the same random numbers at every evaluation, so that two
 * evaluations differ by the policy alone. Problems weigh as often as the task asks them.
 */

import type { TaskItem } from '../data/task.ts';
import type { TaskSet } from '../data/task_set.ts';
import type { EvaluationFigure, ProblemRecord } from '../methods/points.ts';
import type { Evaluation, VerifiedCompletion } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';
import { meanPassAtK, shareSolved } from '../methods/statistics.ts';
import { turnsOf } from '../methods/support/rollouts/turns.ts';
import { wholeVocabulary } from '../model/sampling/generation.ts';
import type { Engine } from './engine.ts';
import { completeItems, sampledTokens } from './rollout/complete.ts';
import { samplingKey } from './run.ts';

const EXAMPLES = 8;
const GREEDY = wholeVocabulary(0);
const PLAIN = wholeVocabulary(1);

/** What evaluates: an engine, and what is measured of its answers. Training, `eval --run` and `eval --model` have one each. */
export interface Evaluator {
  readonly engine: Pick<Engine, 'tasks' | 'generator'>;
  /** Figures beside accuracy, mean@K and pass@K. */
  readonly figures: readonly EvaluationFigure[];
  /** The run's: every evaluation samples with the same random numbers. */
  readonly seed: number;
}

/** Evaluates the policy as it is, on the problems that the stage's evaluations ask. */
export async function evaluate({ engine, figures, seed }: Evaluator, stage: StageConfig): Promise<Evaluation> {
  const { tasks } = engine;
  const items = evaluatedItems(tasks, stage);
  const { samples, evalTemperature } = stage.evaluation;
  const key = samplingKey(seed, 'eval');
  const greedy = await completeItems(engine, items, { samples: 1, sampling: GREEDY, samplingKey: key, stage });
  const own = stage.stage === 'grpo' ? stage.sampling : PLAIN;
  const sampling = { ...own, temperature: evalTemperature ?? own.temperature };
  const wants = figures.some(({ readsStates }) => readsStates) ? ({ wantsStates: true } as const) : {};
  const sampled = await completeItems(engine, items, { samples, sampling, samplingKey: key, stage, wants });
  const answers = greedy.flat(); // one per item
  const correct = sampled.map((completions) => completions.filter(({ verdict }) => verdict.score === 1).length);
  const weights = items.map(({ weight }) => weight);
  const tokens = sampledTokens(sampled);
  const solved = answers.map(({ verdict }) => (verdict.score === 1 ? 1 : 0));
  return {
    accuracy: shareSolved(solved, weights),
    ...(tasks.shares.length > 1 && { byTask: accuraciesByTask(items, { solved, correct, samples }) }),
    samples,
    meanAtK: meanPassAtK(correct, samples, 1, weights),
    passAtK: Object.fromEntries(passes(samples).map((k) => [k, meanPassAtK(correct, samples, k, weights)])),
    figures: figuresOf(figures, items, answers, sampled),
    meanLength: tokens / (items.length * samples),
    examples: items.slice(0, EXAMPLES).map(({ prompt }, i) => {
      const { text: completion, verdict } = answers[i] as VerifiedCompletion;
      return { prompt, completion, verdict };
    }),
  };
}

/** The held-out problems that a stage's evaluations ask: all, or `eval_samples` of them at even distances. */
export function evaluatedItems(tasks: Pick<TaskSet, 'heldOutItems'>, { evaluation }: StageConfig): readonly TaskItem[] {
  const items = tasks.heldOutItems();
  const { problems = items.length } = evaluation;
  if (problems >= items.length) return items;
  return Array.from({ length: problems }, (_, i) => items[Math.floor((i * items.length) / problems)] as TaskItem);
}

/** Each of several tasks by itself. @param solved  per item, by its greedy answer @param correct  of `samples` per item */
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
  figures: readonly EvaluationFigure[],
  items: readonly TaskItem[],
  greedy: readonly VerifiedCompletion[],
  sampled: readonly (readonly VerifiedCompletion[])[],
): Evaluation['figures'] {
  if (figures.length === 0) return {};
  const problems = items.map(
    ({ key, weight }, i): ProblemRecord => ({
      key,
      weight,
      greedy: greedy[i].verdict,
      samples: sampled[i].map(({ verdict }) => verdict),
      turns: sampled[i].map(turnsOf),
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
