/**
 * The diagnostics' memory of a stage: its newest batches and updates, its marks, and a count of its problems.
 *
 * Plain JSON of bounded size, kept in the checkpoint, so that a resumed run reports the same as an uninterrupted one.
 */
import type { Seconds } from '../methods/records.ts';
import { meanOf, pushBounded, standardError } from './lists.ts';
import { countProblems, type ProblemCount, startCount } from './problems.ts';
import type { BatchRecord, EvaluationRecord, Pay, UpdateRecord } from './records.ts';

/** Batches, and updates, that are remembered. */
const REMEMBERED = 32;
/** Evaluations that are remembered, besides the first and the best. */
const REMEMBERED_EVALUATIONS = 8;
/** Batches in an average, the newest; more of them where these hold fewer completions than the number below:
 *  fewer say little about a policy that is right once in twenty. */
const FEWEST_BATCHES = 5;
export const FEWEST_COMPLETIONS = 256;

/** Averages over the newest batches. */
export interface Average {
  /** The newest batch's. */
  readonly step: number;
  readonly completions: number;
  readonly reward: number;
  readonly paid: number;
  readonly correct: number;
  /** Share of the groups. */
  readonly live: number;
  readonly entropy: number;
  readonly length: number;
  /** Standard error of the reward, by how the batches differ: completions of a group are too alike to count one by one. */
  readonly error?: number;
}

/** Facts before the first step, besides the stage's config. */
export interface StartFacts {
  /** Whether the weights began as those of a pretrained model. */
  readonly isPretrained: boolean;
  /** Different problems to train on; null: the stream is endless. */
  readonly problems: number | null;
  /** Lengths of right answers relative to the config's limit; null if it sets none. */
  readonly answers: {
    readonly limit: number;
    /** Share of the measured problems whose shortest right answer, with EOS, is longer. */
    readonly cut: number;
    /** Tokens of the longest of these answers, with its end. */
    readonly longest: number;
  } | null;
}

export interface History {
  /** null, or absent from an older checkpoint: nothing is known. */
  start?: StartFacts | null;
  readonly batches: BatchRecord[];
  readonly updates: UpdateRecord[];
  /** The newest ones, oldest first. */
  readonly evaluations: EvaluationRecord[];
  /** The first of a stage, before its first step where it is grpo; the best by sampled, and by greedy accuracy. */
  firstEvaluation: EvaluationRecord | null;
  bestSampled: EvaluationRecord | null;
  bestGreedy: EvaluationRecord | null;
  /** The first average of the stage, and the one with the highest reward. */
  firstAverage: Average | null;
  bestAverage: Average | null;
  /** Lowest reward of any completion so far. */
  lowestReward: number | null;
  /** The batch with the largest share of right completions. */
  mostCorrect: { readonly step: number; readonly share: number };
  /** Whether a completion has ended itself. */
  eosSeen: boolean;
  /** What right completions have earned so far; absent: unknown. */
  rightPay?: Pay;
  readonly problems: ProblemCount;
  /** Sums over the batches since the last evaluation. */
  since: { batches: number; reward: number; correct: number };
  /** The lowest average loss of a supervised stage. */
  lowestLoss: number | null;
  /** The clock at the newest batch. */
  seconds: Seconds;
}

export function startHistory(seconds: Seconds): History {
  return {
    start: null,
    batches: [],
    updates: [],
    evaluations: [],
    firstEvaluation: null,
    bestSampled: null,
    bestGreedy: null,
    firstAverage: null,
    bestAverage: null,
    lowestReward: null,
    mostCorrect: { step: 0, share: 0 },
    eosSeen: false,
    problems: startCount(),
    since: { batches: 0, reward: 0, correct: 0 },
    lowestLoss: null,
    seconds: { ...seconds },
  };
}

/** @param problems  keys of the problems drawn, one per group */
export function rememberBatch(history: History, batch: BatchRecord, problems: readonly string[]): void {
  pushBounded(history.batches, batch, REMEMBERED);
  countProblems(history.problems, problems);
  history.since.batches++;
  history.since.reward += batch.reward;
  history.since.correct += batch.correct;
  history.eosSeen ||= batch.eos > 0;
  if (batch.pay !== undefined) history.rightPay = together(history.rightPay, batch.pay.right);
  if (batch.correct > history.mostCorrect.share) history.mostCorrect = { step: batch.step, share: batch.correct };
  if (batch.rewarded > 0) history.lowestReward = Math.min(batch.lowest, history.lowestReward ?? batch.lowest);
  const average = newestAverage(history);
  if (average === undefined) return;
  history.firstAverage ??= average;
  if (average.reward > (history.bestAverage?.reward ?? Number.NEGATIVE_INFINITY)) history.bestAverage = average;
}

function together(before: Pay = { count: 0, mean: 0 }, more: Pay): Pay {
  const count = before.count + more.count;
  return { count, mean: count === 0 ? 0 : (before.count * before.mean + more.count * more.mean) / count };
}

export function rememberUpdate(history: History, update: UpdateRecord): void {
  pushBounded(history.updates, update, REMEMBERED);
  const loss = newestLoss(history);
  if (loss !== undefined) history.lowestLoss = Math.min(loss, history.lowestLoss ?? loss);
}

export function rememberEvaluation(history: History, evaluation: EvaluationRecord): void {
  pushBounded(history.evaluations, evaluation, REMEMBERED_EVALUATIONS);
  history.firstEvaluation ??= evaluation;
  if (evaluation.sampled.mean > (history.bestSampled?.sampled.mean ?? -1)) history.bestSampled = evaluation;
  if (evaluation.greedy.mean > (history.bestGreedy?.greedy.mean ?? -1)) history.bestGreedy = evaluation;
  history.since = { batches: 0, reward: 0, correct: 0 };
}

/** Means over the batches since the last evaluation. */
export function trainingSince({ since }: History): EvaluationRecord['training'] {
  if (since.batches === 0) return null;
  return { reward: since.reward / since.batches, correct: since.correct / since.batches };
}

/** The average over the newest batches; undefined while they are too few to say anything. */
export function newestAverage({ batches }: History): Average | undefined {
  let start = batches.length;
  let completions = 0;
  while (start > 0 && (batches.length - start < FEWEST_BATCHES || completions < FEWEST_COMPLETIONS)) {
    start--;
    completions += batches[start]?.completions ?? 0;
  }
  const window = batches.slice(start);
  const newest = window.at(-1);
  if (newest === undefined || window.length < FEWEST_BATCHES || completions < FEWEST_COMPLETIONS) return undefined;
  return {
    step: newest.step,
    completions,
    reward: meanOf(window, ({ reward }) => reward),
    paid: meanOf(window, ({ paid }) => paid),
    correct: meanOf(window, ({ correct }) => correct),
    live: meanOf(window, ({ live, groups }) => live / groups),
    entropy: meanOf(window, ({ entropy }) => entropy),
    length: meanOf(window, ({ meanLength }) => meanLength),
    error: standardError(window.map(({ reward }) => reward)),
  };
}

/** Growth of the reward above the lowest. By accident averages differ by as much now and then, not at each evaluation. */
const BEGINNING = 1.25;

/** Whether the reward has risen since the start of the stage: accuracy may follow. */
export function hasBegun(history: History): boolean {
  const { firstAverage: first, lowestReward: lowest } = history;
  const now = newestAverage(history);
  if (now === undefined || first === null || lowest === null) return false;
  return now.reward > first.reward && now.reward - lowest >= BEGINNING * (first.reward - lowest);
}

/** Updates that an average of a supervised loss takes. */
const LOSS_WINDOW = 10;

export function newestLoss({ updates }: History): number | undefined {
  return updates.length < LOSS_WINDOW ? undefined : meanOf(updates.slice(-LOSS_WINDOW), ({ loss }) => loss);
}
