/** Whether the reward pays for what is wanted, and whether the policy earns it. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { newestAverage } from '../../../src/diagnostics/history.ts';
import { percent } from '../../../src/format.ts';
import { optionOf } from '../../../src/methods/chosen.ts';
import { slowerStart } from './groups.ts';
import { lostSince } from './histories.ts';
import { weightOf } from './weight_of.ts';
import { figure, setting } from './words.ts';

const noReward: Diagnostic = {
  code: 'no-reward',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['rewarded', 'completions'],
  look({ batches }, stage) {
    const newest = batches.at(-1);
    if (newest === undefined || newest.rewarded > 0) return undefined;
    const names = stage.rewards.map(({ name }) => name).join(', ');
    return {
      seen: `no completion has a reward: all ${newest.completions} got null`,
      why: 'Without rewards there are no advantages, and nothing is learned',
      remedy: `Let the reward function give a number where it applies, or set reward_funcs to [accuracy] (now [${names}])`,
    };
  },
};

const constantReward: Diagnostic = {
  code: 'constant-reward',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['rewarded', 'lowest', 'highest', 'correct'],
  unless: ['no-reward'],
  look({ batches }, stage) {
    const newest = batches.at(-1);
    if (newest === undefined || newest.rewarded === 0 || newest.lowest < newest.highest) return undefined;
    if (newest.correct === 0 || newest.correct === 1) return undefined; // equal rewards for equal verdicts are no fault
    if (stage.methods.groupSteps.length > 0) return undefined; // they may be of a completion beside its group alone
    const names = stage.rewards.map(({ name }) => name).join(', ');
    return {
      seen: `every completion got the reward ${figure(newest.lowest)}, though ${percent(newest.correct)} are right and the others are not`,
      why: 'A reward that cannot tell right from wrong has no gradient, and nothing is learned from it',
      remedy: `Set reward_funcs to [accuracy], or repair what it names now (${names})`,
    };
  },
};

/** Spread within live groups over the size of the rewards: near it, differences are the rounding noise of sums in 32
 *  bits (about 1e-6), and the group's deviation divides them up to full strength. */
const NARROW = 1e-5;

const narrowRewards: Diagnostic = {
  code: 'narrow-rewards',
  isCause: true,
  level: 'note',
  after: 'batch',
  reads: ['live', 'lowest', 'highest', 'spread'],
  patience: 3,
  look({ batches }, stage) {
    const newest = batches.at(-1);
    if (newest === undefined || newest.live === 0) return undefined;
    const size = Math.max(Math.abs(newest.lowest), Math.abs(newest.highest));
    if (newest.spread >= NARROW * size) return undefined;
    const scale = optionOf(stage.methods, 'scale_rewards');
    const effect =
      scale === 'group' || scale === 'batch'
        ? `scale_rewards: ${scale} blows such differences, close to rounding noise, up to full advantages`
        : 'Advantages are made of such differences, close to rounding noise: they are as small, or as noisy';
    return {
      seen: `rewards of one group differ by ${figure(newest.spread)} (standard deviation) at a size of ${figure(size)}`,
      why: effect,
      remedy: 'Round the reward, or let it pay differences that matter with at least a hundredth of its size',
    };
  },
};

/** Right completions that say what one is worth, and others of a batch. */
const FEWEST_PAIRED = 20;

const paysWrong: Diagnostic = {
  code: 'pays-wrong',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['pay'],
  patience: 3,
  look({ batches, rightPay: right }, stage, tells) {
    const wrong = batches.at(-1)?.pay?.wrong;
    // A vote pays the majority whether it is right or not, which has a name of its own.
    if (wrong === undefined || right === undefined || tells.has('votes')) return undefined;
    if (Math.min(right.count, wrong.count) < FEWEST_PAIRED || wrong.mean <= right.mean) return undefined;
    const names = stage.rewards.map(({ name }) => name).join(', ');
    return {
      seen: `answers that are not right are paid ${figure(wrong.mean)} on average, and the right ones of this stage were paid ${figure(right.mean)}`,
      why: 'The reward pays what the verdict refuses: the policy learns what pays, and is right less often',
      remedy: `Look at what is paid in completions.jsonl, repair or leave out what reward_funcs names (now ${names}), or set it to [accuracy]`,
    };
  },
};

/** A fresh Adam moves every weight by about the learning rate, however few completions the gradient comes from. At a
 *  solve rate of 2–6 % one such step of 2e-4 took a countdown policy to 0 for good; at 2e-5 it learned. Another fell
 *  from 8 % to 2 % in ten steps of 1e-3. From 7 % on, policies learned at 2e-4 to 5e-4. */
const RISKY_SOLVE_RATE = 0.06;
const RISKY_LEARNING_RATE = 1e-4;
const SAFE_LEARNING_RATE = 2e-5;
/** So much is solved that the warning is over: as much as its remedy asks for. */
const ENOUGH_SOLVED = 0.1;
/** Batches in which the warning still comes in time. */
const EARLY_BATCHES = 5;

const lowSolveRate: Diagnostic = {
  code: 'low-solve-rate',
  level: 'warning',
  after: 'batch',
  reads: ['correct', 'paid'],
  unless: ['all-wrong', 'right-refused', 'policy-lost', 'short-limit'],
  isEvent: true,
  refuted: (history) => (newestAverage(history)?.correct ?? 0) >= ENOUGH_SOLVED,
  look({ batches, firstEvaluation }, stage) {
    const newest = batches.at(-1);
    if (newest === undefined || batches.length > EARLY_BATCHES || stage.optimizer.learningRate < RISKY_LEARNING_RATE) {
      return undefined;
    }
    const heldOut = firstEvaluation?.sampled.mean ?? Number.NaN;
    // Where parts of an answer are paid too, being right is rare and the gradient is not.
    const paysParts = newest.paid >= RISKY_SOLVE_RATE && newest.paid > newest.correct;
    if (heldOut >= RISKY_SOLVE_RATE || newest.correct >= RISKY_SOLVE_RATE) return undefined;
    if (newest.paid === 0 || paysParts) return undefined;
    const before = Number.isNaN(heldOut) ? '' : ` (${percent(heldOut)} on held-out problems before the first step)`;
    return {
      seen:
        `only ${percent(newest.correct)} of the completions of this batch are right${before}, ` +
        `and learning_rate goes to ${setting(stage.optimizer.learningRate)}`,
      why: 'A handful of lucky completions moves every weight: at 2–6 % a single step of 2e-4 has been seen to destroy a policy, and warm-up only delays it',
      remedy: `Set learning_rate to ${setting(SAFE_LEARNING_RATE)}, or lengthen the sft stage until at least 10 % are right`,
    };
  },
};

/** Share of the votes from which on a majority is said to be sure of itself. */
const SURE = 0.5;

const wrongMajority: Diagnostic = {
  code: 'wrong-majority',
  level: 'warning',
  after: 'batch',
  reads: ['reward', 'lowest', 'highest', 'correct'],
  appliesTo: 'votes',
  patience: 3,
  look({ batches }) {
    const newest = batches.at(-1);
    if (newest === undefined || newest.lowest < 0 || newest.highest > 1) return undefined; // other rewards are added
    // Were every majority right, as many would be right as are paid.
    if (newest.reward < SURE || newest.correct >= newest.reward / 2) return undefined;
    return {
      seen: `${percent(newest.reward)} of the completions agree with the majority of their group, and ${percent(newest.correct)} are right`,
      why: 'Most majorities are wrong, and the policy is paid for joining them: it becomes surer, not better',
      remedy:
        'Begin from a policy that is more often right than wrong (a longer sft stage, an easier level), let the twin source and cross-majority vote, or train on accuracy where answers are known',
    };
  },
};

/** Share of what was earned above the lowest reward. Between batches of 256 completions, healthy runs lose up to 0.3. */
const LOST = 0.6;
/** Paid completions that the newest average would have at the best rate: from fewer, chance alone may take 0.6. */
const FEWEST_PAID = 50;
/** Standard errors of both averages that a fall exceeds: the best of many averages is high by chance. */
const SURE_ERRORS = 4;

const rewardCollapse: Diagnostic = {
  code: 'reward-collapse',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['reward', 'rewarded', 'lowest', 'paid', 'correct', 'completions'],
  unless: ['all-wrong', 'policy-lost', 'no-reward'],
  patience: 3,
  look(history, stage, tells) {
    const now = newestAverage(history);
    const { bestAverage: best } = history;
    if (now === undefined || best === null || lostSince(history) < LOST) return undefined;
    if (best.paid * now.completions < FEWEST_PAID) return undefined;
    if (best.reward - now.reward < SURE_ERRORS * Math.hypot(best.error ?? 0, now.error ?? 0)) return undefined;
    return {
      seen: `the reward fell from ${figure(best.reward)} (step ${best.step}) to ${figure(now.reward)}`,
      why: `Updates destroy more than they teach: ${percent(best.correct)} of the completions were right, now ${percent(now.correct)} are`,
      remedy: `${slowerStart(stage, tells)}${weightOf(stage.methods, 'beta') === 0 ? '; or set beta to 0.01, which holds the policy near its start' : ''}`,
    };
  },
};

/** Faults of the reward itself. */
export const REWARD_FAULTS: readonly Diagnostic[] = [noReward, constantReward, narrowRewards, wrongMajority, paysWrong];

/** What the policy earns. */
export const EARNINGS: readonly Diagnostic[] = [lowSolveRate, rewardCollapse];
