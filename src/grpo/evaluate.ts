/**
 * Evaluation on held-out problems: greedy accuracy, mean@K and unbiased pass@K, all by the strict verdict (score 1),
 * whatever reward the run trains on. Every evaluation uses the same random numbers, so that two evaluations differ only
 * by the policy. A problem weighs as much as the task's chance of asking it.
 */

import type { TaskItem } from '../data/task.ts';
import type { TaskSet } from '../data/task_set.ts';
import type { Answer, EvaluationFigure, ProblemRecord } from '../methods/points.ts';
import type { Evaluation, VerifiedCompletion } from '../methods/records.ts';
import type { SamplingConfig, StageConfig } from '../methods/stage.ts';
import { meanPassAtK, shareSolved } from '../methods/statistics.ts';
import { ownTokens, turnsOf } from '../methods/support/rollouts/turns.ts';
import { wholeVocabulary } from '../model/sampling/generation.ts';
import type { Verdict } from '../rewards/verdict.ts';
import { TOKEN } from '../token_kinds.ts';
import type { Engine } from './engine.ts';
import { completeItems } from './rollout/complete.ts';
import { samplingKey } from './run.ts';
import { affirmations } from './score/affirmations.ts';

const EXAMPLES = 8;
const GREEDY = wholeVocabulary(0);
const PLAIN = wholeVocabulary(1);

/**
 * An engine, and what an evaluation measures of its answers. Training, `eval --run` and `eval --model` have one each.
 */
export interface Evaluator {
  readonly engine: Pick<Engine, 'tasks' | 'generator'>;
  /** Figures beside accuracy, mean@K and pass@K. */
  readonly figures: readonly EvaluationFigure[];
  /** The run's seed: every evaluation samples with the same random numbers. */
  readonly seed: number;
}

/** Evaluates the current policy on the problems that the stage's evaluations ask. */
export async function evaluate(evaluator: Evaluator, stage: StageConfig): Promise<Evaluation> {
  return evaluationOf(evaluator, stage, await askProblems(evaluator, stage));
}

/** The current policy's answers to the problems that the stage's evaluations ask. */
export async function askProblems(
  { engine, figures, seed }: Evaluator,
  stage: StageConfig,
): Promise<readonly ProblemRecord[]> {
  const items = evaluatedItems(engine.tasks, stage);
  const { samples } = stage.evaluation;
  const key = samplingKey(seed, 'eval');
  const greedy = await completeItems(engine, items, { samples: 1, sampling: GREEDY, samplingKey: key, stage });
  const sampling = evaluationSampling(stage);
  const wants = figures.some(({ readsStates }) => readsStates) ? ({ wantsStates: true } as const) : {};
  const sampled = await completeItems(engine, items, { samples, sampling, samplingKey: key, stage, wants });
  const asks = figures.find((figure) => figure.asks !== undefined)?.asks;
  const affirmed = asks && (await affirmations(engine, items, sampled, asks));
  return items.map(({ key, weight, prompt, answer, task, level }, i): ProblemRecord => {
    const [first] = greedy[i];
    return {
      key,
      weight,
      prompt,
      answer,
      ...(task !== undefined && { task }),
      ...(level !== undefined && { level }),
      greedy: first.verdict,
      samples: sampled[i].map(({ verdict }) => verdict),
      turns: sampled[i].map(turnsOf),
      greedyAnswer: answerOf(first),
      answers: sampled[i].map((completion, k) => {
        const share = affirmed?.[i][k];
        return {
          ...answerOf(completion),
          logprob: ownLogprob(completion),
          ...(share !== undefined && { affirmed: share }),
        };
      }),
    };
  });
}

/** How a stage's evaluations sample. */
export function evaluationSampling(stage: StageConfig): SamplingConfig {
  const stageSampling = stage.stage === 'grpo' ? stage.sampling : PLAIN;
  return { ...stageSampling, temperature: stage.evaluation.evalTemperature ?? stageSampling.temperature };
}

function answerOf(completion: VerifiedCompletion): Answer {
  return { text: completion.text, tokens: ownTokens(completion) };
}

function ownLogprob({ logprobs, labels }: VerifiedCompletion): number {
  return logprobs.reduce((sum, logprob, t) => (labels?.[t] === TOKEN.given ? sum : sum + logprob), 0);
}

/** The figures of an evaluation, computed from its records alone. */
export function evaluationOf(
  { engine: { tasks }, figures }: Evaluator,
  stage: StageConfig,
  problems: readonly ProblemRecord[],
): Evaluation {
  const { samples } = stage.evaluation;
  const spaceAt = (i: number) => tasks.searchSpace(evaluatedItems(tasks, stage)[i]);
  const correct = problems.map((problem) => problem.samples.filter(isSolved).length);
  const weights = problems.map(({ weight }) => weight);
  const solved = problems.map(({ greedy }) => (isSolved(greedy) ? 1 : 0));
  const lengths = problems.flatMap(({ answers }) => answers.map(({ tokens }) => tokens.length));
  return {
    accuracy: shareSolved(solved, weights),
    ...(tasks.shares.length > 1 && { byTask: accuraciesByTask(problems, { solved, correct, samples }) }),
    samples,
    meanAtK: meanPassAtK(correct, samples, 1, weights),
    passAtK: Object.fromEntries(passes(samples).map((k) => [k, meanPassAtK(correct, samples, k, weights)])),
    figures: Object.fromEntries(figures.map((figure) => [figure.name, figure.of(problems, spaceAt)])),
    meanLength: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    reach: {
      problems: problems.length,
      once: correct.filter((count) => count > 0).length,
      always: correct.filter((count) => count === samples).length,
    },
    examples: problems.slice(0, EXAMPLES).map(({ prompt, greedy, greedyAnswer }) => ({
      prompt,
      completion: greedyAnswer.text,
      verdict: greedy,
    })),
  };
}

function isSolved({ score }: Verdict): boolean {
  return score === 1;
}

/** The held-out problems that a stage's evaluations ask: all, or `eval_samples` evenly spaced ones. */
export function evaluatedItems(tasks: Pick<TaskSet, 'heldOutItems'>, { evaluation }: StageConfig): readonly TaskItem[] {
  const items = tasks.heldOutItems();
  const { problems = items.length } = evaluation;
  if (problems >= items.length) return items;
  return Array.from({ length: problems }, (_, i) => items[Math.floor((i * items.length) / problems)] as TaskItem);
}

/** Accuracies of each task. @param solved  by greedy answers @param correct  of `samples` of each problem */
function accuraciesByTask(
  problems: readonly ProblemRecord[],
  { solved, correct, samples }: { solved: readonly (0 | 1)[]; correct: readonly number[]; samples: number },
): NonNullable<Evaluation['byTask']> {
  const labels = [...new Set(problems.map(({ task = '' }) => task))];
  return Object.fromEntries(
    labels.map((label) => {
      const indices = problems.flatMap(({ task }, i) => (task === label ? [i] : []));
      const of = <Value>(values: readonly Value[]): Value[] => indices.map((i) => values[i]);
      const weights = indices.map((i) => problems[i].weight);
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

/** k of pass@k: 1, 2, 4, … and K itself. */
export function passes(samples: number): number[] {
  const list: number[] = [];
  for (let k = 1; k < samples; k *= 2) list.push(k);
  return [...list, samples];
}
