/** What the optimizer steps show: gradients, clipping, and how far the policy moves. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { type History, hasBegun, newestLoss } from '../../../src/diagnostics/history.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import type { UpdateRecord } from '../../../src/diagnostics/records.ts';
import { percent } from '../../../src/format.ts';
import type { Telling } from '../../../src/methods/method.ts';
import type { GrpoStageConfig, SftStageConfig, StageConfig } from '../../../src/methods/stage.ts';
import { median } from './lists.ts';
import { weightOf } from './weight_of.ts';
import { figure, setting } from './words.ts';

/** Times the median of the steps before. Healthy runs reach 15 where few groups are live. */
const SPIKE = 30;
const STEPS_BEFORE_SPIKE = 20;
/** Share of the bound that there is. */
const SMALL_BOUND = 0.1;

const gradientSpike: Diagnostic<StageConfig> = {
  code: 'gradient-spike',
  level: 'note',
  after: 'update',
  reads: ['gradNorm'],
  isEvent: true,
  unless: ['memorised'], // beside gradients of next to nothing any is large
  look({ updates }, { optimizer: { maxGradNorm, learningRate } }) {
    const newest = updates.at(-1);
    const before = updates.slice(-1 - STEPS_BEFORE_SPIKE, -1).map(({ gradNorm }) => gradNorm);
    const typical = median(before);
    if (newest === undefined || before.length < STEPS_BEFORE_SPIKE || newest.gradNorm <= SPIKE * typical) {
      return undefined;
    }
    if (maxGradNorm > 0 && newest.gradNorm <= maxGradNorm) return undefined; // nothing was cut, and nothing is odd
    // A bound near gradients of next to nothing would stop the stage.
    const isTight = maxGradNorm > 0 && (maxGradNorm <= 2 * typical || 2 * typical < SMALL_BOUND * maxGradNorm);
    return {
      seen: `the gradient norm is ${figure(newest.gradNorm)}, ${figure(newest.gradNorm / typical)} times the median of the last ${before.length} steps (${figure(typical)})`,
      why:
        maxGradNorm > 0
          ? `It was cut to max_grad_norm (${setting(maxGradNorm)}), but one odd batch now decides the step, and the second moment remembers it`
          : 'Nothing bounds it, as max_grad_norm is 0: one odd batch decides the step, and the second moment remembers it',
      remedy: `If it comes again, set ${isTight ? '' : `max_grad_norm to ${setting(2 * typical)} (now ${setting(maxGradNorm)}), or `}learning_rate to ${setting(learningRate / 2)} (now ${setting(learningRate)})`,
    };
  },
};

export const GRADIENT_DIAGNOSTICS: readonly Diagnostic<StageConfig>[] = [gradientSpike];

/** Times the lowest average of ten steps. Healthy warm starts stay below 1.1. */
const LOSS_RISE = 1.5;
/** Nats per token; below it nine tokens in ten are sure, and nothing is forgotten. */
const MUCH_LOSS = 0.1;

export const SUPERVISED_LOSS_RISES: Diagnostic<SftStageConfig> = {
  code: 'sft-loss-rises',
  level: 'warning',
  after: 'update',
  reads: ['loss'],
  unless: ['memorised'],
  patience: 3,
  look(history, { optimizer: { learningRate, warmupSteps, maxSteps } }) {
    const now = newestLoss(history);
    const { lowestLoss } = history;
    if (now === undefined || lowestLoss === null || now < Math.max(MUCH_LOSS, LOSS_RISE * lowestLoss)) return undefined;
    const warmUp = Math.ceil(0.05 * maxSteps);
    return {
      seen: `the supervised loss rose from ${figure(lowestLoss)} to ${figure(now)} nats per token (means of ten steps)`,
      why: 'The steps are too large: the policy forgets the demonstrations that it had learned',
      remedy: `Set learning_rate to ${setting(learningRate / 3)} (now ${setting(learningRate)})${warmupSteps < warmUp ? `, warmup_steps to ${warmUp} (now ${warmupSteps})` : ''}`,
    };
  },
};

const zeroGradient: Diagnostic = {
  code: 'zero-gradient',
  level: 'warning',
  after: 'update',
  reads: ['gradNorm'],
  look({ updates }, stage, tells) {
    const newest = updates.at(-1);
    if (newest === undefined || newest.gradNorm !== 0 || tells.has('learns-apart')) return undefined;
    const reasons = [
      ...(tells.has('masks-ends')
        ? ['set mask_truncated_completions to false, or raise max_completion_length so that completions end']
        : []),
      ...((newest.clipped ?? 0) > 0
        ? [`raise epsilon to ${setting(1.5 * weightOf(stage.methods, 'epsilon'))}, or ${fewerPasses(stage)}`]
        : []),
    ];
    const remedy =
      reasons.length > 0
        ? reasons.join('; ')
        : 'look at the advantages in completions.jsonl: is one live group left in the minibatch? Raise generation_batch_size';
    return {
      seen: `the gradient is exactly 0${newest.clipped === undefined || Number.isNaN(newest.clipped) ? '' : `, with ${percent(newest.clipped)} of the tokens clipped`}`,
      why: 'Every token is masked, clipped or in a dead group, so the step moved the weights by momentum alone',
      remedy: remedy.charAt(0).toUpperCase() + remedy.slice(1),
    };
  },
};

/** Share of the tokens; PPO practice calls 0.1 to 0.2 healthy. */
const MUCH_CLIPPED = 0.25;
/** Mean |Δ log-prob| per token, nats, between sampling and update: with 0.2 the average ratio is at the edge of the
 *  usual clip of 0.2, and samples say little about the policy. */
const FAR_FROM_SAMPLES = 0.2;
const REUSED_UPDATES = 3;

const clipFraction: Diagnostic = {
  code: 'clip-fraction',
  appliesTo: 'clips',
  level: 'warning',
  after: 'update',
  reads: ['onPolicy', 'clipped'],
  look(history, stage) {
    const reused = newestReused(history);
    const clipped = meanOf(reused, (update) => update.clipped ?? 0);
    if (reused.length < REUSED_UPDATES || clipped < MUCH_CLIPPED) return undefined;
    return {
      seen: `${percent(clipped)} of the tokens are clipped in updates on reused rollouts (mean of ${reused.length})`,
      why: 'A clipped token has no gradient: later passes over the same completions are mostly in vain, and the policy has moved far from what it sampled',
      remedy: smallerSteps(stage),
    };
  },
};

const staleRollouts: Diagnostic = {
  code: 'stale-rollouts',
  level: 'warning',
  after: 'update',
  reads: ['onPolicy', 'meanDifference'],
  unless: ['clip-fraction'],
  look(history, stage) {
    const reused = newestReused(history);
    const moved = meanOf(reused, ({ meanDifference }) => meanDifference ?? 0);
    if (reused.length < REUSED_UPDATES || moved < FAR_FROM_SAMPLES) return undefined;
    return {
      seen: `${stage.staleness === undefined ? 'within one generation batch' : 'while completions wait'} the log-prob of a token moves by ${figure(moved)} nats on average`,
      why: `${stage.staleness === undefined ? 'The last updates on a batch' : 'Updates'} learn from samples of a policy that is no longer there`,
      remedy: smallerSteps(stage),
    };
  },
};

/** Updates that the forces on a token are measured over. */
const FORCE_UPDATES = 10;

/** What moves a token on average, in nats: its advantage, and beta against the distance to the reference. */
interface Forces {
  readonly push: number;
  readonly pull: number;
  readonly kl: number;
}

/** Measured in live groups: a dead one takes no step. @returns undefined while little is known */
function forcesOn({ updates, batches }: History, beta: number, tells: ReadonlySet<Telling>): Forces | undefined {
  const kls = updates.flatMap(({ kl }) => (kl === undefined ? [] : [kl])).slice(-FORCE_UPDATES);
  const live = batches.slice(-FORCE_UPDATES).filter((batch) => batch.live > 0 && batch.highest > batch.lowest);
  if (kls.length < FORCE_UPDATES || live.length === 0) return undefined;
  // |A| as of rewards that have two values.
  const push = meanOf(live, ({ spread, highest, lowest }) => {
    const share = (2 * spread) / (highest - lowest);
    return tells.has('group-scale') ? Math.min(1, share) : share * spread;
  });
  const kl = meanOf(kls, (value) => value);
  return { push, pull: beta * Math.sqrt(2 * kl), kl }; // the KL is about half of the squared distance
}

/** Share of the push that the pull takes back; from a half on, what is left is a crawl. */
const MUCH_PULL = 0.5;

const betaOutweighs: Diagnostic = {
  code: 'beta-outweighs',
  isCause: true,
  appliesTo: 'kl',
  level: 'warning',
  after: 'update',
  reads: ['kl', 'spread', 'lowest', 'highest', 'live', 'reward'],
  patience: 3,
  isEvent: true, // the pull is weak again wherever the policy is back at its start
  look(history, { methods }, tells) {
    const beta = weightOf(methods, 'beta');
    const forces = forcesOn(history, beta, tells);
    if (forces === undefined || hasBegun(history) || forces.pull < MUCH_PULL * forces.push) return undefined;
    return {
      seen: `beta (${setting(beta)}) pulls a token back by ${figure(forces.pull)} on average, at a KL of ${figure(forces.kl)} nats, and its advantage pushes by ${figure(forces.push)}; the reward has not risen by a quarter`,
      why: 'What the rewards teach is taken back at once: the policy stays near its start, right or wrong',
      remedy: `Set beta to ${setting(Math.max(0.001, beta / 20))} (now ${setting(beta)}), or leave it out`,
    };
  },
};

/** Share of the push from which on a beta is strong enough, and a larger one no remedy. */
const SOME_PULL = 0.2;

/** Times the median before it, and nats per token: KL grows from 0, so a ratio alone would speak of every start. */
const KL_JUMP = 5;
const MUCH_KL = 0.05;
const STEPS_BEFORE_JUMP = 10;
const STEPS_OF_JUMP = 3;

const klJump: Diagnostic = {
  code: 'kl-jump',
  appliesTo: 'kl',
  level: 'warning',
  after: 'update',
  reads: ['kl'],
  isEvent: true,
  unless: ['beta-outweighs'],
  look(history, { methods, optimizer: { learningRate } }, tells) {
    const { updates } = history;
    const kls = updates.flatMap(({ kl }) => (kl === undefined ? [] : [kl]));
    const now = median(kls.slice(-STEPS_OF_JUMP));
    const before = kls.slice(-STEPS_OF_JUMP - STEPS_BEFORE_JUMP, -STEPS_OF_JUMP);
    const typical = median(before);
    if (before.length < STEPS_BEFORE_JUMP || now < MUCH_KL || now < KL_JUMP * typical) return undefined;
    const beta = weightOf(methods, 'beta');
    const forces = forcesOn(history, beta, tells);
    if (forces !== undefined && forces.pull >= SOME_PULL * forces.push) return undefined;
    return {
      seen: `the KL to the start policy jumped from ${figure(typical)} to ${figure(now)} nats per token (medians of ${before.length} steps and of ${STEPS_OF_JUMP})`,
      why: 'The policy left the region that beta is to keep it in, and what it could do at the start may be lost',
      remedy: `Set learning_rate to ${setting(learningRate / 3)} (now ${setting(learningRate)}), or beta to ${setting(3 * beta)} (now ${setting(beta)})`,
    };
  },
};

const samplerMismatch: Diagnostic = {
  code: 'sampler-mismatch',
  level: 'note',
  after: 'update',
  reads: ['onPolicy', 'maxDifference'],
  look({ updates }) {
    const newest = updates.at(-1);
    const difference = newest?.onPolicy ? (newest.maxDifference ?? 0) : 0;
    if (difference === 0) return undefined;
    return {
      seen: `sampler and scorer differ by up to ${figure(difference)} nats on the same weights, so the first ratio is up to ${Number(Math.exp(difference).toPrecision(6))} instead of 1`,
      why: 'The backend does not sum in one order for one row and for many; it is within what the backend allows, but the gradient is not exactly on-policy',
      remedy: 'Set backend to wasm for equal bits',
    };
  },
};

export const POLICY_UPDATE_DIAGNOSTICS: readonly Diagnostic[] = [
  zeroGradient,
  samplerMismatch,
  clipFraction,
  staleRollouts,
  betaOutweighs,
  klJump,
];

/** The newest updates whose rollouts were used before. */
function newestReused({ updates }: History): readonly UpdateRecord[] {
  return updates.filter(({ onPolicy }) => onPolicy === false).slice(-REUSED_UPDATES);
}

function fewerPasses({
  staleness = 0,
  batch: { numIterations, optimizerStepsPerGeneration },
}: GrpoStageConfig): string {
  if (staleness > 0) return `lower staleness to ${Math.floor(staleness / 2)} (now ${staleness})`;
  return numIterations > 1
    ? `lower num_iterations to ${Math.ceil(numIterations / 2)} (now ${numIterations})`
    : `take fewer than ${optimizerStepsPerGeneration} optimizer steps a generation batch (raise gradient_accumulation_steps)`;
}

function smallerSteps(stage: GrpoStageConfig): string {
  const { learningRate } = stage.optimizer;
  return `Set learning_rate to ${setting(learningRate / 2)} (now ${setting(learningRate)}), or ${fewerPasses(stage)}`;
}
