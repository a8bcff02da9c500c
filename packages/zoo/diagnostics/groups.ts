/** Whether the groups of a batch have anything to teach: they do where rewards within a group differ. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import type { History } from '../../../src/diagnostics/history.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import { differentProblems } from '../../../src/diagnostics/problems.ts';
import type { BatchRecord } from '../../../src/diagnostics/records.ts';
import { percent } from '../../../src/format.ts';
import type { Telling } from '../../../src/methods/method.ts';
import type { GrpoStageConfig } from '../../../src/methods/stage.ts';
import type { Estimate } from '../../../src/methods/statistics.ts';
import { isSignificantStreak } from './histories.ts';
import { newestWhile } from './lists.ts';
import { weightOf } from './weight_of.ts';
import { setting, withInterval } from './words.ts';

/** Three batches in a row are no accident. */
const FEWEST_BATCHES = 3;

const EASIER = 'lengthen the sft stage, or choose an easier task';
const HARDER = 'make the problems harder with the knobs under task';

const NO_GRADIENT = 'A group whose rewards are all equal has no gradient, and nothing is learned from it';

/** The newest batches in a row that are dead and have nothing right in them; and what was right in those before. */
interface Wrong {
  readonly newest: BatchRecord;
  readonly completions: number;
  /** Share of right completions in the batches before that are remembered; 0 where there are none. */
  readonly before: number;
}

/** Undefined where it may be chance. */
function newestWrong({ batches }: History): Wrong | undefined {
  const streak = newestWhile(batches, ({ live, correct }) => live === 0 && correct === 0);
  const newest = streak.at(-1);
  if (newest === undefined || !isSignificantStreak(streak)) return undefined;
  const completions = streak.reduce((sum, batch) => sum + batch.completions, 0);
  const before = meanOf(batches.slice(0, batches.length - streak.length), ({ correct }) => correct);
  return { newest, completions, before };
}

/** From so large a share on, the right answer is there, and the verifier does not find it. */
const OFTEN_REFUSED = 0.1;

const rightRefused: Diagnostic = {
  code: 'right-refused',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['live', 'correct', 'completions', 'refused'],
  showsAnswers: true,
  unless: ['no-reward'],
  look(history) {
    const isSolvable = history.mostCorrect.share > 0 || (history.firstEvaluation?.sampled.mean ?? 0) > 0;
    const wrong = isSolvable ? undefined : newestWrong(history);
    const { refused } = wrong?.newest ?? {};
    if (wrong === undefined || refused === undefined || refused.inside < OFTEN_REFUSED) return undefined;
    const isAlone = refused.exact > refused.inside / 2;
    const share = isAlone
      ? `${percent(refused.exact)} of the last batch are`
      : `${percent(refused.inside)} of the last batch hold`;
    return {
      seen: `of the last ${wrong.completions} completions none is right, though ${share} the right answer`,
      why: `The verifier reads something else (${refused.reason}), and no training finds what it looks for`,
      remedy:
        'Take the answer out as it is written, with extract or a verify of your own, ask for it in the form that is read, with ' +
        'another style, or show that form: with examples, or in the demonstrations of an sft stage',
    };
  },
};

/** Right completions that a streak of wrong ones would have, were nothing lost. By chance a streak has none once in e⁸ times. */
const MISSED = 8;

const policyLost: Diagnostic = {
  code: 'policy-lost',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['live', 'correct', 'completions'],
  showsAnswers: true,
  unless: ['no-reward'],
  look(history, stage, tells) {
    const wrong = newestWrong(history);
    if (wrong === undefined || wrong.before * wrong.completions < MISSED) return undefined;
    return {
      seen: `of the last ${wrong.completions} completions none is right, though ${percent(wrong.before)} of those before were (${percent(history.mostCorrect.share)} at step ${history.mostCorrect.step})`,
      why: `An update has destroyed what the policy could do. ${NO_GRADIENT}`,
      remedy: slowerStart(stage, tells),
    };
  },
};

/** Wrong completions in a row that tell something where some were right before. */
const FEWEST_WRONG = 256;

const allWrong: Diagnostic = {
  code: 'all-wrong',
  level: 'warning',
  after: 'batch',
  reads: ['live', 'correct', 'completions'],
  showsAnswers: true,
  unless: ['no-reward', 'right-refused', 'policy-lost'],
  look(history, stage) {
    const wrong = newestWrong(history);
    const { share, step } = history.mostCorrect;
    if (wrong === undefined || (share > 0 && wrong.completions < FEWEST_WRONG)) return undefined;
    const { newest, completions } = wrong;
    const invalid = newest.invalid > 0.5 ? `; ${percent(newest.invalid)} of the last batch cannot be parsed` : '';
    const once = share > 0 ? `, though ${percent(share)} were at step ${step}` : '';
    return {
      seen: `all groups are dead: of the last ${completions} completions none is right${once}${invalid}`,
      why: NO_GRADIENT,
      remedy: easierStart(stage),
    };
  },
};

/** Points by which held-out accuracy may be below what is right in training, before it says that training is not all. */
const GAP = 0.25;
/** Beyond it an interval leaves room for all. */
const NEARLY_ALL = 0.95;

/** Whether an accuracy is far and surely below that of answers that are all right. */
export function isBelowAll({ mean, high }: Estimate): boolean {
  return mean <= 1 - GAP && high < NEARLY_ALL;
}

/** Draws of a problem from which on its answer may be remembered. */
const SEVERAL_DRAWS = 3;

const memorised: Diagnostic = {
  code: 'memorised',
  isCause: true,
  level: 'warning',
  after: 'batch',
  reads: ['live', 'correct', 'sampled'],
  unless: ['no-reward'],
  look({ batches, evaluations, start, problems }) {
    const streak = newestWhile(batches, ({ live, correct }) => live === 0 && correct === 1);
    const now = evaluations.at(-1);
    if (streak.length < FEWEST_BATCHES || now === undefined || !isBelowAll(now.sampled)) return undefined;
    const isFew = start?.problems != null || problems.drawn > SEVERAL_DRAWS * differentProblems(problems);
    return {
      seen: `every completion of the last ${streak.length} batches is right on training problems, and ${withInterval(now.sampled)} are on held-out ones (step ${now.step})`,
      why: `${isFew ? 'The policy recalls the answers that it was trained on' : 'What it was trained on is not what is held out'}: the task is not solved. ${NO_GRADIENT}`,
      remedy: isFew ? FEWER_PASSES : 'Train on problems like those that are held out',
    };
  },
};

const allRight: Diagnostic = {
  code: 'all-right',
  level: 'note',
  after: 'batch',
  reads: ['live', 'correct'],
  unless: ['no-reward', 'memorised'],
  look({ batches }) {
    const streak = newestWhile(batches, ({ live, correct }) => live === 0 && correct === 1);
    if (streak.length < FEWEST_BATCHES) return undefined;
    return {
      seen: `all groups are dead: every completion of the last ${streak.length} batches is right`,
      why: `The task is solved on the problems that it draws. ${NO_GRADIENT}`,
      remedy: `Stop here (lower max_steps), or ${HARDER}`,
    };
  },
};

/** Neither all right nor all wrong, and not the reward's fault. */
const allDead: Diagnostic = {
  code: 'all-dead',
  level: 'warning',
  after: 'batch',
  reads: ['live'],
  unless: ['no-reward', 'right-refused', 'policy-lost', 'all-wrong', 'memorised', 'all-right', 'constant-reward'],
  look({ batches }, stage) {
    const streak = newestWhile(batches, ({ live }) => live === 0);
    const newest = streak.at(-1);
    if (newest === undefined || streak.length < FEWEST_BATCHES) return undefined;
    // By chance none of a few completions is right, or all: where they are many it has a name of its own.
    if ([0, 1].some((share) => streak.every(({ correct }) => correct === share))) return undefined;
    return {
      seen: `all groups of the last ${streak.length} batches are dead${deadByKind(newest)}`,
      why: `The policy does the same each time that it meets a problem. ${NO_GRADIENT}`,
      remedy: `Set ${moreDifferent(stage).join(', or ')}`,
    };
  },
};

/** Share of a step's groups; below it, the gradient is noisier than the batch size suggests. */
const FEW_LIVE = 0.25;
/** Where most completions are right, dead groups are success. */
const MOSTLY_SOLVED = 0.8;
const FEW_LIVE_BATCHES = 10;
/** Below it, more completions of a problem make more groups live than more problems do. */
const SMALL_GROUP = 16;

const fewLiveGroups: Diagnostic = {
  code: 'few-live-groups',
  level: 'note',
  after: 'batch',
  reads: ['live', 'groups', 'correct'],
  unless: [
    ...[
      'no-reward',
      'right-refused',
      'policy-lost',
      'all-wrong',
      'memorised',
      'all-right',
      'all-dead',
      'constant-reward',
    ],
    ...['entropy-collapse', 'duplicates', 'short-limit'],
  ],
  look({ batches }, stage) {
    const window = batches.slice(-FEW_LIVE_BATCHES);
    const live = meanOf(window, (batch) => batch.live);
    const solved = meanOf(window, ({ correct }) => correct);
    if (window.length < FEW_LIVE_BATCHES || live >= FEW_LIVE * stage.batch.promptsPerStep) return undefined;
    if (solved >= MOSTLY_SOLVED) return undefined;
    const drawn = meanOf(window, ({ groups }) => groups);
    const rounds = meanOf(window, (batch) => batch.rounds);
    const wrong = meanOf(window, (batch) => batch.allWrong);
    const right = meanOf(window, (batch) => batch.allRight);
    const kinds = isCounted(wrong) ? ` (${wrong.toFixed(1)} all wrong, ${right.toFixed(1)} all right)` : '';
    const sampling = isCounted(rounds) ? `, after ${rounds.toFixed(1)} rounds of sampling` : '';
    return {
      seen:
        `in the last ${window.length} batches ${live.toFixed(1)} of ${drawn.toFixed(1)} groups carried signal` +
        `${kinds}${sampling}; a step is meant to have ${stage.batch.promptsPerStep}`,
      why: 'The gradient is that of a much smaller batch, and most of the sampling is in vain',
      remedy: `${wholePolicy(stage)
        .map((set) => `Set ${set}. `)
        .join('')}${moreDraws(stage)}; or ${wrong * 2 > drawn ? EASIER : HARDER}`,
    };
  },
};

export const GROUP_DIAGNOSTICS: readonly Diagnostic[] = [
  rightRefused,
  policyLost,
  allWrong,
  memorised,
  allRight,
  allDead,
  fewLiveGroups,
];

function deadByKind({ groups, allRight: right, allWrong: wrong }: BatchRecord): string {
  if (!isCounted(right + wrong)) return '';
  const alike = groups - right - wrong;
  return `: ${right} all right, ${wrong} all wrong${alike > 0 ? `, ${alike} with equal rewards` : ''} in the last one`;
}

/** The log of another trainer does not say it. */
function isCounted(value: number): boolean {
  return !Number.isNaN(value);
}

function easierStart({ batch: { numGenerations } }: GrpoStageConfig): string {
  const draws = `raise num_generations to ${2 * numGenerations} (now ${numGenerations})`;
  return `Let an sft stage come first until a tenth is right, pay partial answers by reward_funcs, choose an easier task, or ${draws}`;
}

/** Against a policy that recalls: said of supervised stages, too. */
export const FEWER_PASSES =
  'Give the task more problems, or lower max_steps of the stages that show them; trust the held-out figures';

/** After an update that was too large. */
export function slowerStart(stage: GrpoStageConfig, tells: ReadonlySet<Telling>): string {
  const { learningRate, warmupSteps } = stage.optimizer;
  const whole = tells.has('truncation') ? [] : wholePolicy(stage); // else it is corrected
  const warmUp = warmupSteps < 20 ? ' and warmup_steps to 20' : '';
  const sets = [...whole, `learning_rate to ${setting(learningRate / 5)} (now ${setting(learningRate)})${warmUp}`];
  return `Set ${sets.join(', or ')}, and start again`;
}

/** What cuts off the samples that are seldom, back to where it cuts nothing. */
export function wholePolicy({ sampling: { topP, topK, minP } }: GrpoStageConfig): string[] {
  return [
    ...(topP < 1 ? [`top_p to 1 (now ${setting(topP)})`] : []),
    ...(topK > 0 ? [`top_k to 0 (now ${topK})`] : []),
    ...(minP !== null && minP > 0 ? [`min_p to 0 (now ${setting(minP)})`] : []),
  ];
}

/** Hotter than that, small policies write noise. */
const HOT = 1.2;

/** Samples that differ, where no group takes a step: only how they are drawn can change them. */
function moreDifferent(stage: GrpoStageConfig): string[] {
  const { temperature } = stage.sampling;
  const to = temperature < 1 ? 1 : HOT;
  const heat = temperature < HOT ? [`temperature to ${to} (now ${setting(temperature)})`] : [];
  const { numGenerations } = stage.batch;
  return [...wholePolicy(stage), ...heat, `num_generations to ${2 * numGenerations} (now ${numGenerations})`];
}

/**
 * Against samples that are all alike, where some groups are live. A group that is dead takes no step, so that no term of
 * the loss brings back what has collapsed: the terms are for a start from before that.
 */
export function moreVariety(stage: GrpoStageConfig): string {
  const { sampling, methods } = stage;
  const now = weightOf(methods, 'entropy_coef');
  const heat = sampling.temperature < 1 ? [`temperature to 1 (now ${setting(sampling.temperature)})`] : [];
  const bonus = `entropy_coef to ${setting(now === 0 ? 0.01 : 2 * now)} (now ${setting(now)})`;
  return `Start again, or from an earlier checkpoint, with ${[...wholePolicy(stage), ...heat, bonus].join(', or ')}`;
}

function moreDraws({ methods, batch: { numGenerations } }: GrpoStageConfig): string {
  const rounds = weightOf(methods, 'max_rounds');
  if (rounds === 0 && numGenerations < SMALL_GROUP)
    return `Raise num_generations to ${SMALL_GROUP} (now ${numGenerations}): among so few a right answer is seldom beside a wrong one`;
  return rounds === 0
    ? 'Set dynamic_sampling to {name: refill, max_rounds: 2} to replace dead groups'
    : `Raise dynamic_sampling.max_rounds to ${2 * rounds} or num_generations to ${2 * numGenerations}`;
}
