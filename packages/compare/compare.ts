/** Two methods, each of one run or of several, on the same held-out problems: paired by problem. */
import { DataError } from '../../src/errors.ts';
import { passAtK } from '../../src/methods/statistics.ts';
import type { KeptProblem, KeptRecords } from '../../src/run/logs/problem_records.ts';
import { allRightOf } from '../zoo/methods/support/figures/all_right.ts';
import { majorityAt } from '../zoo/methods/support/figures/majority_at.ts';
import { type SpelledMethods, sameWords } from './same_methods.ts';
import { differenceOf, type Interval, mcNemar } from './statistics.ts';

/** What is known of a run that is compared. */
export interface ComparedRun {
  /** Where it lies. */
  readonly name: string;
  readonly records: KeptRecords;
  /** Its config, by single keys. */
  readonly config: Readonly<Record<string, unknown>>;
  /** [stages] the methods of those that reinforce. */
  readonly methods?: readonly (SpelledMethods | undefined)[];
}

/** A figure of both sides, and b − a. */
export interface FigureDifference {
  readonly name: string;
  readonly isShare: boolean;
  readonly a: number;
  readonly b: number;
  readonly difference: Interval;
}

/** A problem whose greedy answer is right in a larger share of one side's runs than of the other's. */
export interface ChangedProblem {
  readonly key: string;
  readonly prompt: string;
  /** An answer of each side: of the better one a right answer, of the other a wrong one. */
  readonly a: string;
  readonly b: string;
}

export interface Comparison {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly problems: number;
  readonly figures: readonly FigureDifference[];
  /** Problems gained and lost, as tosses of a fair coin; of one run on each side this is McNemar's test. */
  readonly mcNemar: { readonly gained: number; readonly lost: number; readonly p: number };
  /** pass@k for every k, and what is solved in any sample. */
  readonly boundary: Boundary;
  readonly gained: readonly ChangedProblem[];
  readonly lost: readonly ChangedProblem[];
  /** Keys in which the configs of the first runs differ: what each has, undefined where it has none. */
  readonly differs: readonly { readonly key: string; readonly a?: unknown; readonly b?: unknown }[];
  /** Methods that the first runs spell differently and that are the same: a sentence each. */
  readonly same: readonly string[];
}

/** Keys that say where and on what a run is made, and which of several it is. */
const OF_NO_METHOD: ReadonlySet<string> = new Set(['output_dir', 'threads', 'save_seconds', 'save_total_limit']);

/**
 * All runs of both sides count, whatever their order; runs of one seed are pairs.
 *
 * @throws DataError `not-comparable`, which names what differs
 */
export function compareRuns(ofA: readonly ComparedRun[], ofB: readonly ComparedRun[]): Comparison {
  const [a, b] = [inOrder(ofA), inOrder(ofB)];
  const [first] = a;
  for (const other of [...a, ...b]) requireComparable(first, other);
  const { problems, head } = first.records;
  const sideOf = (runs: readonly ComparedRun[], of: (problem: KeptProblem) => number) => ({
    starts: runs.map(({ config }) => String(config.seed)),
    values: runs.map(({ records }) => records.problems.map(of)),
  });
  const weights = problems.map(({ weight }) => weight);
  const figures = comparedFigures(head.samples).map(({ name, isShare, of }): FigureDifference => {
    const [mine, yours] = [sideOf(a, of), sideOf(b, of)];
    const mean = (values: readonly (readonly number[])[]): number =>
      values.reduce((sum, own) => sum + weightedMean(own, weights), 0) / values.length;
    const { mean: difference, low, high } = differenceOf(mine, yours, weights);
    return { name, isShare, a: mean(mine.values), b: mean(yours.values), difference: { mean: difference, low, high } };
  });
  const [gained, lost] = [changedProblems(a, b, false), changedProblems(a, b, true)];
  return {
    a: a.map(({ name }) => name),
    b: b.map(({ name }) => name),
    problems: problems.length,
    figures,
    mcNemar: { gained: gained.length, lost: lost.length, p: mcNemar(gained.length, lost.length) },
    boundary: boundaryOf(a, b, weights),
    gained,
    lost,
    differs: differencesOf(first.config, b[0].config),
    same: sameMethods(first, b[0]),
  };
}

function sameMethods({ methods: ofA = [] }: ComparedRun, { methods: ofB = [] }: ComparedRun): readonly string[] {
  const sentences = ofA.flatMap((a, stage) => {
    const b = ofB[stage];
    return a === undefined || b === undefined ? [] : sameWords(a, b);
  });
  return [...new Set(sentences)];
}

/** By seed, then by name. */
function inOrder(runs: readonly ComparedRun[]): readonly ComparedRun[] {
  const seedOf = ({ config }: ComparedRun): number => Number(config.seed ?? 0);
  return [...runs].sort((one, two) => seedOf(one) - seedOf(two) || (one.name < two.name ? -1 : 1));
}

/** @param isLost  those that a solves in a larger share of its runs than b; otherwise those that b does */
function changedProblems(
  a: readonly ComparedRun[],
  b: readonly ComparedRun[],
  isLost: boolean,
): readonly ChangedProblem[] {
  return a[0].records.problems.flatMap(({ key, prompt }, i) => {
    const [mine, yours] = [a, b].map((runs) => runs.map(({ records }) => records.problems[i].greedy));
    const share = (answers: typeof mine): number => answers.filter(isRight).length / answers.length;
    const isChanged = isLost ? share(mine) > share(yours) : share(yours) > share(mine);
    const shown = (answers: typeof mine, right: boolean): string =>
      answers.find((answer) => isRight(answer) === right)?.text ?? '';
    return isChanged ? [{ key, prompt, a: shown(mine, isLost), b: shown(yours, !isLost) }] : [];
  });
}

function boundaryOf(a: readonly ComparedRun[], b: readonly ComparedRun[], weights: readonly number[]): Boundary {
  const { samples } = a[0].records.head;
  const rightByProblem = ({ records }: ComparedRun): number[] => records.problems.map(rightOf);
  const curveOf = (runs: readonly ComparedRun[]): number[] => {
    const right = runs.map(rightByProblem);
    return Array.from({ length: samples }, (_, i) => {
      const means = right.map((own) =>
        weightedMean(
          own.map((count) => passAtK(samples, count, i + 1)),
          weights,
        ),
      );
      return means.reduce((sum, mean) => sum + mean, 0) / runs.length;
    });
  };
  const [ofA, ofB] = [curveOf(a), curveOf(b)];
  return {
    a: ofA,
    b: ofB,
    crossing: crossingOf(ofA, ofB),
    ...changedReach(a.map(rightByProblem), b.map(rightByProblem), (i) =>
      b.some(({ records }) => isRight(records.problems[i].greedy)),
    ),
  };
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
}

function differencesOf(a: ComparedRun['config'], b: ComparedRun['config']): Comparison['differs'] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !OF_NO_METHOD.has(key));
  return keys
    .filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]))
    .map((key) => ({ key, a: a[key], b: b[key] }));
}

/** Both have answered the same problems, asked in the same way. @throws DataError */
function requireComparable(first: ComparedRun, other: ComparedRun): void {
  const [one, two] = [first.records.head, other.records.head];
  const asked: readonly (readonly [what: string, a: unknown, b: unknown, remedy: string])[] = [
    ['other tasks or knobs', one.tasks, two.tasks, 'train both on the same task'],
    ['another split', `${one.count} problems`, `${two.count} problems`, 'evaluate both on the same held-out problems'],
    [
      'another split',
      one.problems.slice(0, 8),
      two.problems.slice(0, 8),
      'evaluate both on the same held-out problems',
    ],
    ['another number of samples', one.samples, two.samples, 'give both the same num_generations_eval'],
    [
      'another sampling',
      one.sampling,
      two.sampling,
      'give both the same temperature, or eval_temperature, top_p, top_k and min_p',
    ],
  ];
  const different = asked.find(([, mine, yours]) => JSON.stringify(mine) !== JSON.stringify(yours));
  if (different === undefined) return;
  const [what, mine, yours, remedy] = different;
  const [shownMine, shownYours] = [mine, yours].map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  throw new DataError(
    'not-comparable',
    `${other.name}: ${what} than ${first.name} (${shownYours}, there ${shownMine}) — ${remedy}.`,
    { a: first.name, b: other.name },
  );
}

/**
 * Whether training lets a policy solve more, or the same more often: pass@k of both sides for every k up to the samples
 * drawn. Where the curves cross, one side is better at few tries and the other at many.
 *
 * @see Yue et al. 2025, arXiv:2504.13837
 */
interface Boundary {
  /** pass@k, k from 1. */
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** The first k at which the side that was lower at first is higher; null where the curves do not cross. */
  readonly crossing: number | null;
  /** Problems that a run of each side solves in any sample, as a mean over its runs. */
  readonly solved: { readonly a: number; readonly b: number };
  /** Problems that a larger share of b's runs than of a's solves in any sample, and the reverse. */
  readonly gained: number;
  readonly lost: number;
  /** Problems of `gained` whose greedy answer is right in a run of b. */
  readonly gainedGreedily: number;
}

/** @param a  pass@k, k from 1 @param b  likewise, as long @returns the first k at which the other side is ahead, or null */
function crossingOf(a: readonly number[], b: readonly number[]): number | null {
  const first = a.findIndex((value, i) => value !== b[i]);
  if (first < 0) return null;
  const isBAhead = b[first] > a[first];
  const crossing = a.findIndex((value, i) => i > first && (isBAhead ? value > b[i] : value < b[i]));
  return crossing < 0 ? null : crossing + 1;
}

/** @param a  [runs][problems] samples that are right @param b  likewise @param isGreedy  whether b's greedy answer is */
function changedReach(
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
  isGreedy: (problem: number) => boolean,
): Pick<Boundary, 'solved' | 'gained' | 'lost' | 'gainedGreedily'> {
  const reachOf = (runs: readonly (readonly number[])[]): number[] =>
    runs[0].map((_, i) => runs.filter((right) => right[i] > 0).length / runs.length);
  const [mine, yours] = [reachOf(a), reachOf(b)];
  const sum = (shares: readonly number[]): number => shares.reduce((all, share) => all + share, 0);
  const gained = yours.flatMap((share, i) => (share > mine[i] ? [i] : []));
  return {
    solved: { a: sum(mine), b: sum(yours) },
    gained: gained.length,
    gainedGreedily: gained.filter(isGreedy).length,
    lost: mine.filter((share, i) => share > yours[i]).length,
  };
}

interface ComparedFigure {
  /** As metrics.jsonl has it, without `eval_`, where it is there. */
  readonly name: string;
  /** Shares are shown in percent. */
  readonly isShare: boolean;
  of(problem: KeptProblem): number;
}

const isRight = ({ score }: { readonly score: number | null }): boolean => score === 1;
/** How many of its samples are right. */
const rightOf = ({ samples }: KeptProblem): number => samples.filter(isRight).length;

/** The figures of records with this many samples of a problem. */
function comparedFigures(samples: number): readonly ComparedFigure[] {
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
