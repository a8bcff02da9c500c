/** What is compared: values of a problem, each a function of its record. */
import { passAtK } from '../../src/methods/statistics.ts';
import type { KeptProblem } from '../../src/run/logs/problem_records.ts';
import { allRightOf } from '../zoo/methods/support/figures/all_right.ts';
import { majorityAt } from '../zoo/methods/support/figures/majority_at.ts';

export interface ComparedFigure {
  /** As metrics.jsonl has it, without `eval_`, where it is there. */
  readonly name: string;
  /** Shares are shown in percent. */
  readonly isShare: boolean;
  of(problem: KeptProblem): number;
}

export const isRight = ({ score }: { readonly score: number | null }): boolean => score === 1;
/** How many of its samples are right. */
export const rightOf = ({ samples }: KeptProblem): number => samples.filter(isRight).length;

/** The figures of records with this many samples of a problem. */
export function comparedFigures(samples: number): readonly ComparedFigure[] {
  const share = (name: string, of: ComparedFigure['of']): ComparedFigure => ({ name, isShare: true, of });
  const powers: number[] = [];
  for (let k = 2; k < samples; k *= 2) powers.push(k);
  if (samples > 1) powers.push(samples);
  return [
    share('accuracy', ({ greedy }) => Number(isRight(greedy))),
    share(`mean@${samples}`, (problem) => rightOf(problem) / samples),
    ...powers.map((k) => share(`pass@${k}`, (problem) => passAtK(samples, rightOf(problem), k))),
    ...(samples > 1
      ? [
          share(`pass^${samples}`, (problem) => allRightOf(samples, rightOf(problem), samples)),
          share(`maj@${samples}`, (problem) => majorityAt(problem.samples, samples)),
        ]
      : []),
    {
      name: 'completions/mean_length',
      isShare: false,
      of: (problem) => problem.samples.reduce((sum, { tokens }) => sum + tokens.length, 0) / samples,
    },
  ];
}
