/** What evaluation on held-out problems says about training. Differences count where they exceed both intervals' noise. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { type History, hasBegun, newestAverage, newestLoss } from '../../../src/diagnostics/history.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import { differentProblems } from '../../../src/diagnostics/problems.ts';
import type { BatchRecord, EvaluationRecord } from '../../../src/diagnostics/records.ts';
import { percent } from '../../../src/format.ts';
import type { GrpoStageConfig, SftStageConfig } from '../../../src/methods/stage.ts';
import type { Estimate } from '../../../src/methods/statistics.ts';
import { FEWER_PASSES, isBelowAll, wholePolicy } from './groups.ts';
import { newestWhile } from './lists.ts';
import { weightOf } from './weight_of.ts';
import { figure, setting, withInterval } from './words.ts';

/** Answers from which on it says something that none is right. */
const FEWEST_ANSWERS = 64;
/** So much is right in training that there was something to begin with. */
const BEGUN = 0.01;

const nothingSolved: Diagnostic = {
  code: 'nothing-solved',
  level: 'warning',
  after: 'evaluation',
  reads: ['reach', 'samples'],
  isEvent: true,
  unless: ['right-refused', 'no-reward'],
  refuted: (history) =>
    (history.evaluations.at(-1)?.reach?.once ?? 0) > 0 || (newestAverage(history)?.correct ?? 0) > BEGUN,
  look({ evaluations, batches, start }, stage) {
    const now = evaluations.at(-1);
    if (now?.reach === undefined || now.reach.once > 0 || batches.length > 0 || gamesReward(stage)) return undefined;
    const answers = now.reach.problems * now.samples;
    if (answers < FEWEST_ANSWERS) return undefined;
    return {
      seen:
        `before the first step none of ${answers} answers to ${now.reach.problems} held-out problems is right: ` +
        `fewer than ${percent(Math.ceil(1000 * (1 - 0.05 ** (1 / answers))) / 1000)} are, with 95 % confidence`,
      why: 'Reinforcement makes frequent what is right at times, and here it has nothing to begin with',
      remedy: start?.isPretrained
        ? 'Read the answers above: the form may be refused (style, extract, examples). Or let an sft stage come first, make the problems easier with the knobs under task, or take another base'
        : 'Let an sft stage come first (stages: [{stage: sft, max_steps: 300}, {stage: grpo}]), pay parts of an answer by reward_funcs, or make the problems easier with the knobs under task',
    };
  },
};

/** A healthy policy moves by as much from one evaluation to the next: with thousands of problems that is no noise. */
const SMALL_FALL = 0.03;

const belowBest: Diagnostic = {
  code: 'below-best',
  level: 'warning',
  after: 'evaluation',
  reads: ['greedy', 'sampled'],
  patience: 2, // one may be a bad draw of weights
  unless: ['pays-wrong'],
  refuted: ({ evaluations, bestGreedy }) => evaluations.at(-1)?.step === bestGreedy?.step,
  look({ evaluations, bestGreedy: best }, stage, tells) {
    const now = evaluations.at(-1);
    if (best === null || now === undefined) return undefined;
    if (now.greedy.high >= best.greedy.low || best.greedy.mean - now.greedy.mean < SMALL_FALL) return undefined;
    const { learningRate } = stage.optimizer;
    const beta = weightOf(stage.methods, 'beta');
    const surer = isAbove(now.sampled, best.sampled);
    return {
      seen:
        `held-out greedy accuracy fell from ${withInterval(best.greedy)} (step ${best.step}) to ${withInterval(now.greedy)}` +
        (surer ? `, while sampled accuracy rose to ${percent(now.sampled.mean)}` : ''),
      why: `The 95 % intervals do not meet: ${surer ? 'the policy grows surer, and its best guess worse' : 'the updates undo what the policy could do'}`,
      remedy:
        `Set ${(tells.has('truncation') ? [] : wholePolicy(stage)).map((set) => `${set}, or `).join('')}learning_rate to ${setting(learningRate / 3)} (now ${setting(learningRate)}), or beta to ${setting(beta === 0 ? 0.01 : 3 * beta)} ` +
        `(now ${setting(beta)}); load_best_model_at_end: true makes the weights of step ${best.step} the model`,
    };
  },
};

/** Share of the stage: before it, a policy that starts from random weights may still be about to begin. */
const PATIENT_SHARE = 1 / 2;

const atChance: Diagnostic = {
  code: 'at-chance',
  level: 'warning',
  after: 'evaluation',
  reads: ['greedy', 'sampled', 'chance', 'reward'],
  unless: ['below-best', 'all-wrong', 'right-refused', 'policy-lost', 'no-reward', 'constant-reward', 'pays-wrong'],
  refuted: ({ evaluations }) => isAboveChance(evaluations.at(-1)),
  look(history, stage) {
    const { evaluations, bestGreedy, bestSampled } = history;
    const now = evaluations.at(-1);
    const { maxSteps, learningRate } = stage.optimizer;
    if (now?.chance === undefined || bestGreedy === null || bestSampled === null) return undefined;
    if (now.step < PATIENT_SHARE * maxSteps || hasBegun(history)) return undefined;
    if (bestGreedy.greedy.low > now.chance || bestSampled.sampled.low > now.chance) return undefined;
    if (isRightInTraining(now)) return undefined;
    return {
      seen:
        `after ${now.step} of ${maxSteps} steps held-out accuracy is ${withInterval(now.greedy)} greedy and ` +
        `${withInterval(now.sampled)} sampled, and the task says that guessing reaches ${percent(now.chance)}`,
      why: 'No evaluation of this stage was above chance, and the reward has not risen by a quarter either: nothing of the task has been learned',
      remedy:
        learningRate < SMALL_LEARNING_RATE
          ? `Set learning_rate to ${setting(USUAL_LEARNING_RATE)} (now ${setting(learningRate)}): small models want far more than large ones`
          : 'Warm up with an sft stage, let reward_funcs pay parts of an answer, make the problems easier with the knobs under task, or raise max_steps',
    };
  },
};

function isAboveChance(now: EvaluationRecord | undefined): boolean {
  return now?.chance !== undefined && Math.max(now.greedy.low, now.sampled.low) > now.chance;
}

/** Something was learned, then: it is held-out-gap. */
function isRightInTraining({ training, chance = 0 }: EvaluationRecord): boolean {
  return training !== null && training.correct > chance + GAP;
}

const belowChance: Diagnostic = {
  code: 'below-chance',
  level: 'warning',
  after: 'evaluation',
  reads: ['greedy', 'sampled', 'chance'],
  unless: ['at-chance', 'below-best', 'all-wrong', 'right-refused', 'policy-lost', 'pays-wrong'],
  refuted: ({ evaluations }) => isAboveChance(evaluations.at(-1)),
  look({ evaluations }, { optimizer: { maxSteps } }) {
    const now = evaluations.at(-1);
    if (now?.chance === undefined || now.step < PATIENT_SHARE * maxSteps) return undefined;
    if (now.greedy.high >= now.chance || isRightInTraining(now)) return undefined;
    return {
      seen:
        `after ${now.step} of ${maxSteps} steps held-out accuracy is ${withInterval(now.greedy)} greedy and ` +
        `${withInterval(now.sampled)} sampled, and the task says that guessing reaches ${percent(now.chance)}`,
      why: 'A constant or random answer would be right more often: the policy has learned something else than the task asks, or its answers are not read as it means them',
      remedy:
        'Look at the answers in completions.jsonl: is one of them nearly always given, cut, or refused for its form? Then pay ' +
        'for other ones by reward_funcs, warm up with an sft stage, or raise max_steps',
    };
  },
};

/** Evaluations in a row that hold before it is said: one may be a bad draw of weights. */
const FALLING_EVALUATIONS = 3;

const heldOutFalls: Diagnostic = {
  code: 'held-out-falls',
  level: 'warning',
  after: 'evaluation',
  reads: ['greedy', 'sampled', 'training', 'reward'],
  patience: FALLING_EVALUATIONS,
  refuted: isBest,
  look(history, stage) {
    const now = history.evaluations.at(-1);
    const fall = now && (fallOf('sampled', history.bestSampled, now) ?? fallOf('greedy', history.bestGreedy, now));
    if (fall === undefined) return undefined;
    const { best, measure } = fall;
    const then = best.training ?? history.evaluations.find(({ training }) => training !== null)?.training;
    if (!then || !now?.training || now.training.reward < then.reward) return undefined;
    const beta = weightOf(stage.methods, 'beta');
    return {
      seen:
        `the reward in training went from ${figure(then.reward)} to ${figure(now.training.reward)}, while held-out ${measure} ` +
        `accuracy fell from ${percent(best[measure].mean)} (step ${best.step}) to ${percent(now[measure].mean)}`,
      why: gamesReward(stage)
        ? 'The policy learns what reward_funcs pays for and not what the task asks: it overfits the training problems, or exploits the reward'
        : 'The policy overfits the training problems',
      remedy: `${best.step > 0 ? `Stop at step ${best.step} (max_steps), use` : 'Use'} more problems${gamesReward(stage) ? ', set reward_funcs to [accuracy]' : ''}, or set beta to ${setting(beta === 0 ? 0.01 : 3 * beta)} (now ${setting(beta)})`,
    };
  },
};

/** Points by which the share of right answers in training may exceed the held-out one. */
const GAP = 0.25;

const heldOutGap: Diagnostic = {
  code: 'held-out-gap',
  level: 'note',
  after: 'evaluation',
  reads: ['sampled', 'training', 'correct', 'problems'],
  unless: ['held-out-falls', 'memorised'],
  look({ evaluations, problems }, stage, tells) {
    const now = evaluations.at(-1);
    if (tells.has('rows')) return undefined; // what is right there is what the rows prefer
    if (!now?.training || now.training.correct < GAP + now.sampled.mean || now.training.correct <= now.sampled.high) {
      return undefined;
    }
    const draws = problems.drawn / differentProblems(problems);
    return {
      seen:
        `${percent(now.training.correct)} of the completions are right on training problems, ` +
        `${percent(now.sampled.mean)} on held-out ones${draws >= 2 ? `; each training problem came ${draws.toFixed(0)} times` : ''}`,
      why: 'Part of what training shows is memory of its problems',
      remedy: `Give the task more problems with the knobs under task, or lower max_steps (now ${stage.optimizer.maxSteps}); trust the held-out figures`,
    };
  },
};

const sharpening: Diagnostic = {
  code: 'sharpening',
  level: 'note',
  after: 'evaluation',
  reads: ['greedy', 'sampled'],
  patience: 2,
  refuted: isBest,
  look({ evaluations, firstEvaluation: first, batches }, stage) {
    const now = evaluations.at(-1);
    if (first === null || now === undefined) return undefined;
    if (!isAbove(now.sampled, first.sampled) || !isAbove(first.greedy, now.greedy)) return undefined;
    return {
      seen:
        `since step ${first.step} sampled accuracy rose from ${percent(first.sampled.mean)} to ${percent(now.sampled.mean)}, ` +
        `while greedy accuracy fell from ${percent(first.greedy.mean)} to ${percent(now.greedy.mean)}`,
      why: 'The policy grows surer of what it does, not better at it: its best guess is worse than before',
      remedy: keepSearching(stage, batches),
    };
  },
};

const passAtKFalls: Diagnostic = {
  code: 'pass-at-k-falls',
  level: 'note',
  after: 'evaluation',
  reads: ['pass', 'sampled'],
  patience: 2,
  look({ evaluations, firstEvaluation: first, batches }, stage) {
    const now = evaluations.at(-1);
    if (first === null || now === undefined || now.samples < 2) return undefined;
    if (!isAbove(first.pass, now.pass) || now.sampled.mean < first.sampled.mean) return undefined;
    return {
      seen:
        `since step ${first.step} pass@${now.samples} fell from ${percent(first.pass.mean)} to ${percent(now.pass.mean)}, ` +
        `while sampled accuracy went from ${percent(first.sampled.mean)} to ${percent(now.sampled.mean)}`,
      why: 'The policy solves fewer problems at all, and those it still solves more often',
      remedy: keepSearching(stage, batches),
    };
  },
};

const PLATEAU_EVALUATIONS = 5;
/** Beyond it there is little left to gain. */
const NEARLY_SOLVED = 0.9;
/** Below it a policy trained from random weights hardly moves. */
const SMALL_LEARNING_RATE = 1e-5;
const USUAL_LEARNING_RATE = 3e-4;

const plateau: Diagnostic = {
  code: 'plateau',
  level: 'note',
  after: 'evaluation',
  reads: ['sampled'],
  unless: ['held-out-falls', 'beta-outweighs'],
  refuted: ({ evaluations, bestSampled }) => evaluations.at(-1)?.step === bestSampled?.step,
  look({ evaluations, bestSampled: best }, stage) {
    if (best === null || best.sampled.mean >= NEARLY_SOLVED) return undefined;
    const since = newestWhile(evaluations, ({ step }) => step > best.step);
    if (since.length < PLATEAU_EVALUATIONS) return undefined;
    const { learningRate } = stage.optimizer;
    const { numGenerations } = stage.batch;
    const remedy =
      learningRate < SMALL_LEARNING_RATE
        ? `Set learning_rate to ${setting(USUAL_LEARNING_RATE)} (now ${setting(learningRate)}): small models want far more than large ones`
        : `Raise num_generations to ${2 * numGenerations}, change the problems with the knobs under task, or stop here (max_steps)`;
    return {
      seen: `no evaluation since step ${best.step} was better than its ${percent(best.sampled.mean)} sampled accuracy (${since.length} evaluations)`,
      why: 'Further steps at these settings bring nothing on held-out problems',
      remedy,
    };
  },
};

export const EVALUATION_DIAGNOSTICS: readonly Diagnostic[] = [
  nothingSolved,
  belowBest,
  atChance,
  belowChance,
  heldOutFalls,
  heldOutGap,
  sharpening,
  passAtKFalls,
  plateau,
];

/** Whether the difference of two means exceeds the noise of both. */
function isAbove(a: Estimate, b: Estimate): boolean {
  const noise = (estimate: Estimate): number => (estimate.high - estimate.low) / 2;
  return a.mean - b.mean > Math.hypot(noise(a), noise(b));
}

/** A fall since the best evaluation. Greedy accuracy that falls while sampled accuracy rises is `sharpening`. */
function fallOf(
  measure: 'greedy' | 'sampled',
  best: EvaluationRecord | null,
  now: EvaluationRecord,
): { readonly measure: 'greedy' | 'sampled'; readonly best: EvaluationRecord } | undefined {
  if (best === null || !isAbove(best[measure], now[measure]) || isAbove(now.sampled, best.sampled)) return undefined;
  return { measure, best };
}

/** Whether something else than the verdict is paid. */
function gamesReward({ rewards }: GrpoStageConfig): boolean {
  return rewards.some(({ name }) => name !== 'accuracy');
}

/** Share of the groups below which a bonus for entropy, which dead groups do not get, does little. */
const FEW_LIVE = 0.25;

function keepSearching(
  { methods, optimizer: { learningRate } }: GrpoStageConfig,
  batches: readonly BatchRecord[],
): string {
  const now = weightOf(methods, 'entropy_coef');
  const isLive = meanOf(batches, ({ live, groups }) => live / groups) >= FEW_LIVE;
  const bonus = isLive ? [`entropy_coef to ${setting(now === 0 ? 0.01 : 2 * now)} (now ${setting(now)})`] : [];
  return `Set ${[...bonus, `learning_rate to ${setting(learningRate / 2)} (now ${setting(learningRate)})`].join(', or ')}`;
}

/** Whether the newest evaluation is the best one, greedily and sampled. */
function isBest({ evaluations, bestGreedy, bestSampled }: History): boolean {
  const step = evaluations.at(-1)?.step;
  return step === bestGreedy?.step && step === bestSampled?.step;
}

/** Nats per token: nineteen tokens of twenty are sure. */
const KNOWN_LOSS = 0.05;
/** Draws of a problem from which on a supervised stage repeats more than it shows. */
const SEVERAL_DRAWS = 3;

/** The diagnosis of a supervised stage: it knows its demonstrations, and not the task. */
export const MEMORISED_DEMONSTRATIONS: Diagnostic<SftStageConfig> = {
  code: 'memorised',
  isCause: true,
  level: 'warning',
  after: 'evaluation',
  reads: ['loss', 'greedy', 'start'],
  look(history, { batch: { sequencesPerStep } }) {
    const now = history.evaluations.at(-1);
    const loss = newestLoss(history);
    const problems = history.start?.problems ?? null;
    if (now === undefined || loss === undefined || problems === null) return undefined;
    const draws = (now.step * sequencesPerStep) / problems;
    if (loss > KNOWN_LOSS || draws < SEVERAL_DRAWS || !isBelowAll(now.greedy)) return undefined;
    return {
      seen: `the supervised loss is ${figure(loss)} nats per token, each of the ${problems} problems came ${draws.toFixed(0)} times, and ${withInterval(now.greedy)} of the held-out problems are right`,
      why: 'The policy recalls the answers that it was shown: the task is not solved, and reinforcement on these problems finds nothing to learn',
      remedy: FEWER_PASSES,
    };
  },
};
