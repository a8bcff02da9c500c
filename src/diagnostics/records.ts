/** The diagnostics' records of a generation batch, an update and an evaluation: a few plain numbers each. */

import { STARVED } from '../methods/prompt_sources/starved.ts';
import type {
  Collected,
  Evaluation,
  Reach,
  Rollout,
  RolloutGroup,
  Seconds,
  SupervisedResult,
  UpdateResult,
} from '../methods/records.ts';
import type { Estimate } from '../methods/statistics.ts';
import { isRight } from '../methods/support/rollouts/right.ts';
import { ownLength, ownTokens, policyTurns } from '../methods/support/rollouts/turns.ts';
import { sampledEntropies } from '../methods/tokens.ts';
import { meanOf } from './lists.ts';

/**
 * Over every group drawn, dead ones included. Shares are of completions unless they say otherwise; rewards are those
 * trained on. A figure that another trainer's log lacks is NaN, and diagnostics that need it are skipped
 * (`Diagnostic.reads`).
 */
export interface BatchRecord {
  /** The optimizer step that it was drawn for. */
  readonly step: number;
  readonly completions: number;
  readonly groups: number;
  readonly live: number;
  /** Dead groups with only right completions, and those with none. */
  readonly allRight: number;
  readonly allWrong: number;
  /** Rounds of sampling, the first included. */
  readonly rounds: number;
  /** By the strict verdict. */
  readonly correct: number;
  readonly invalid: number;
  /** Completions with a reward; their mean, lowest and highest reward: 0 if there are none. */
  readonly rewarded: number;
  readonly reward: number;
  readonly lowest: number;
  readonly highest: number;
  /** Share of the completions that were paid more than the lowest. */
  readonly paid: number;
  /** Mean over the live groups of the standard deviation of their rewards. */
  readonly spread: number;
  /** Nats per token. */
  readonly entropy: number;
  /** Tokens that the policy wrote, of all its turns. */
  readonly meanLength: number;
  /** Most tokens of one turn. */
  readonly longest: number;
  readonly truncated: number;
  /** Completions with a turn that ended with EOS. */
  readonly eos: number;
  /** Mean over the groups of (distinct completions − 1) / (completions − 1). */
  readonly variety: number;
  /** Share of the groups with a member that saw, or is, a hint or an answer; absent: none. */
  readonly helped?: number;
  /** Mean turns of the policy in an episode; absent: every problem is answered by one text. */
  readonly turns?: number;
  /** The commonest verdict on answers, its share, and the share of right ones among these; absent: there were none. */
  readonly judge?: { readonly said: string; readonly often: number; readonly right: number };
  /** Mean optimizer steps since its replays were sampled; absent: it has none. */
  readonly replayAge?: number;
  /**
   * The prompt source that lacked most problems, and the share of the batch that it filled with others; absent: none.
   */
  readonly starved?: { readonly source: string; readonly share: number };
  /** If no answer is right: how many contain a right one; absent: some are right, or none can be contained. */
  readonly refused?: Refused;
  /** What right and other completions earned; absent from older records. */
  readonly pay?: { readonly right: Pay; readonly wrong: Pay };
  /** Seconds since the previous batch, by activity; `all` is without evaluations. */
  readonly seconds: { readonly verify: number; readonly all: number };
}

/** The mean reward of some completions; 0 of none. */
export interface Pay {
  readonly count: number;
  readonly mean: number;
}

/** Completions, none of them right, compared with the right answers. Shares are of the completions. */
export interface Refused {
  /** Share that contains the right answer, less the share that contains another problem's. */
  readonly inside: number;
  /** That are the right answer, and nothing else. */
  readonly exact: number;
  /** The commonest reason why those are refused. */
  readonly reason: string;
}

/** An optimizer step. In a supervised one, what follows `learningRate` is absent. */
export interface UpdateRecord {
  readonly step: number;
  readonly loss: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  /** Whether the rollouts came from the very weights that the update changed. */
  readonly onPolicy?: boolean;
  /** Share of the tokens whose ratio the clip binds. */
  readonly clipped?: number;
  /** Mean KL to the reference, nats per token, as a loss term estimates it; absent if none does. */
  readonly kl?: number;
  /** |log-prob of the scorer − log-prob of the sampler|, nats. */
  readonly meanDifference?: number;
  readonly maxDifference?: number;
  /** Mean |log-prob now − log-prob when sampled| of the tokens of replays, nats; absent: there were none. */
  readonly replayMoved?: number;
}

export interface EvaluationRecord {
  readonly step: number;
  readonly greedy: Estimate;
  readonly sampled: Estimate;
  readonly samples: number;
  /** pass@`samples`. */
  readonly pass: Estimate;
  readonly reach?: Reach;
  /** Means over the batches since the previous evaluation; null if there was none. */
  readonly training: { readonly reward: number; readonly correct: number } | null;
  /** The task's upper bound on the best constant or random answer; absent if unknown. */
  readonly chance?: number;
}

/** Further inputs of a batch record. */
export interface BatchSurroundings {
  /** The clock at the batch before, and at this one. */
  readonly before: Seconds;
  readonly now: Seconds;
  /** Groups that judge answers, which `collected` leaves out. */
  readonly judging?: readonly RolloutGroup[];
  /** What the methods of the stage have logged. */
  readonly logged?: Readonly<Record<string, number>>;
  /** Origins of completions that took help (`Method.helps`). */
  readonly helps?: ReadonlySet<string>;
}

export function batchRecord(
  step: number,
  collected: Collected,
  { before, now, judging = [], logged = {}, helps = new Set() }: BatchSurroundings,
): BatchRecord {
  const judge = judgeOf(judging.flatMap(({ rollouts }) => rollouts));
  const { groups, rounds } = collected;
  const rollouts = groups.flatMap((group) => group.rollouts);
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const lowest = rewards.length === 0 ? 0 : Math.min(...rewards);
  const share = (test: (rollout: Rollout) => boolean): number => rollouts.filter(test).length / rollouts.length;
  const spent = (...activities: (keyof Seconds)[]): number =>
    activities.reduce((sum, activity) => sum + now[activity] - before[activity], 0);
  const ages = rollouts.flatMap(({ age }) => age ?? []);
  const starved = starvedOf(logged);
  const refused = refusedOf(groups);
  const helped =
    groups.filter(({ rollouts: members }) => members.some(({ origin = '' }) => helps.has(origin))).length /
    groups.length;
  const turns = meanOf(rollouts, (rollout) => (rollout.turns === undefined ? 0 : policyTurns(rollout).length));
  return {
    step,
    completions: rollouts.length,
    groups: groups.length,
    live: groups.filter(({ dead }) => !dead).length,
    allRight: groups.filter(({ dead, rollouts: members }) => dead && members.every(isRight)).length,
    allWrong: groups.filter(({ dead, rollouts: members }) => dead && !members.some(isRight)).length,
    rounds,
    correct: share(isRight),
    invalid: share(({ verdict }) => verdict.status === 'invalid'),
    rewarded: rewards.length,
    reward: meanOf(rewards, (reward) => reward),
    lowest,
    highest: rewards.length === 0 ? 0 : Math.max(...rewards),
    paid: share(({ reward }) => reward !== null && reward > lowest),
    spread: meanOf(
      groups.filter(({ dead }) => !dead),
      spreadOf,
    ),
    entropy: meanEntropy(rollouts),
    meanLength: meanOf(rollouts, ownLength),
    longest: Math.max(...rollouts.flatMap(policyTurns).map(({ length }) => length)),
    truncated: share(({ finishReason }) => finishReason === 'length'),
    // A turn that was answered had ended itself.
    eos: rollouts.filter((rollout) => rollout.finishReason === 'eos' || policyTurns(rollout).length > 1).length,
    variety: meanOf(groups, varietyOf),
    ...(helped > 0 && { helped }),
    ...(turns > 0 && { turns }),
    ...(judge && { judge }),
    ...(ages.length > 0 && { replayAge: meanOf(ages, (age) => age) }),
    ...(starved && { starved }),
    ...(refused && { refused }),
    pay: payOf(rollouts),
    seconds: { verify: spent('verify'), all: spent('rollout', 'verify', 'update') },
  };
}

/** Reads `<source>/starved`, as sources log it. */
function starvedOf(logged: Readonly<Record<string, number>>): BatchRecord['starved'] {
  const ending = `/${STARVED}`;
  const all = Object.entries(logged).filter(([name, share]) => name.endsWith(ending) && share > 0);
  const [worst] = all.sort(([, a], [, b]) => b - a);
  return worst && { source: worst[0].slice(0, -ending.length), share: worst[1] };
}

/** Checked if none is right: a verifier that expects another format than the policy writes refuses right answers. */
function refusedOf(groups: readonly RolloutGroup[]): BatchRecord['refused'] {
  const all = groups.flatMap(({ rollouts }) => rollouts);
  const answers = groups.map(({ item: { answer } }) => answer.trim().toLowerCase());
  if (all.length === 0 || all.some(isRight) || answers.every((answer) => answer === '')) return undefined;
  let [inside, others, exact] = [0, 0, 0];
  const reasons = new Map<string, number>();
  for (const [i, { rollouts }] of groups.entries()) {
    const rightAnswer = answers[i];
    // Many texts contain a short answer by chance, as often as another problem's.
    const other = answers.find((answer) => answer !== rightAnswer && answer.length === rightAnswer.length) ?? '';
    for (const { text, verdict } of rollouts) {
      const written = text.trim().toLowerCase();
      if (other !== '' && written.includes(other)) others++;
      if (rightAnswer === '' || !written.includes(rightAnswer)) continue;
      inside++;
      if (written === rightAnswer) exact++;
      reasons.set(verdict.reason, (reasons.get(verdict.reason) ?? 0) + 1);
    }
  }
  if (inside === 0) return undefined;
  const [[reason]] = [...reasons].sort(([, a], [, b]) => b - a);
  return { inside: Math.max(0, inside - others) / all.length, exact: exact / all.length, reason };
}

/** The rewards of right and of other answers. */
function payOf(rollouts: readonly Rollout[]): BatchRecord['pay'] {
  const payOfRollouts = (counted: readonly Rollout[]): Pay => {
    const rewards = counted.flatMap(({ reward }) => reward ?? []);
    return { count: rewards.length, mean: meanOf(rewards, (reward) => reward) };
  };
  return {
    right: payOfRollouts(rollouts.filter(isRight)),
    wrong: payOfRollouts(rollouts.filter((one) => !isRight(one))),
  };
}

function judgeOf(verdicts: readonly Rollout[]): BatchRecord['judge'] {
  if (verdicts.length === 0) return undefined;
  const by = new Map<string, Rollout[]>();
  for (const completion of verdicts) {
    const answerText = completion.verdict.canonical ?? 'no verdict';
    by.set(answerText, [...(by.get(answerText) ?? []), completion]);
  }
  const [said, own] = [...by].reduce((most, one) => (one[1].length > most[1].length ? one : most));
  return { said, often: own.length / verdicts.length, right: own.filter(isRight).length / own.length };
}

export function supervisedRecord(step: number, result: SupervisedResult): UpdateRecord {
  const { loss, gradNorm, learningRate } = result;
  return { step, loss, gradNorm, learningRate };
}

/** @param onPolicy  the rollouts came from the very weights that the update changed */
export function updateRecord(step: number, result: UpdateResult, onPolicy: boolean): UpdateRecord {
  const { gradNorm, learningRate, totals } = result;
  const tokens = Math.max(1, totals.rows);
  const { 'clip_ratio/region_mean': clipped, kl } = totals.measured;
  return {
    step,
    loss: totals.loss,
    gradNorm,
    learningRate,
    onPolicy,
    ...(clipped !== undefined && { clipped }),
    ...(kl !== undefined && { kl }),
    meanDifference: totals.logprobDifferenceSum / tokens,
    maxDifference: totals.logprobDifferenceMax,
    ...(totals.replayedRows > 0 && { replayMoved: totals.replayDifferenceSum / totals.replayedRows }),
  };
}

/**
 * @param training  means over the batches since the evaluation before
 * @param chance    accuracy of the best constant or random answer
 */
export function evaluationRecord(
  step: number,
  { accuracy, meanAtK, passAtK, samples, reach }: Evaluation,
  training: EvaluationRecord['training'],
  chance: number,
): EvaluationRecord {
  const pass = passAtK[samples] ?? meanAtK;
  return { step, greedy: accuracy, sampled: meanAtK, samples, pass, reach, training, chance };
}

function meanEntropy(rollouts: readonly Rollout[]): number {
  let sum = 0;
  let tokens = 0;
  for (const rollout of rollouts) {
    const entropies = sampledEntropies(rollout);
    for (const entropy of entropies) sum += entropy;
    tokens += entropies.length;
  }
  return sum / Math.max(1, tokens);
}

function spreadOf({ rollouts }: RolloutGroup): number {
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const center = meanOf(rewards, (reward) => reward);
  return Math.sqrt(meanOf(rewards, (reward) => (reward - center) ** 2));
}

function varietyOf({ rollouts }: RolloutGroup): number {
  const distinct = new Set(rollouts.map((rollout) => ownTokens(rollout).join())).size;
  return (distinct - 1) / Math.max(1, rollouts.length - 1);
}
