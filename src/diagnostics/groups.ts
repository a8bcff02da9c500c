/** Whether the groups of a batch have anything to teach: they do where rewards within a group differ. */
import { percent } from '../format.ts';
import { weightOf } from '../methods/chosen.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import type { Diagnostic } from './diagnostic.ts';
import { isSignificantStreak } from './history.ts';
import { meanOf, newestWhile } from './lists.ts';
import type { BatchRecord } from './records.ts';
import { setting } from './words.ts';

/** Three batches in a row are no accident. */
const FEWEST_BATCHES = 3;

const EASIER = 'lengthen the sft stage, or choose an easier task';
const HARDER = 'make the problems harder with the knobs under task';

const NO_GRADIENT = 'A group whose rewards are all equal has no gradient, and nothing is learned from it';

const allWrong: Diagnostic = {
  code: 'all-wrong',
  level: 'warning',
  after: 'batch',
  reads: ['live', 'correct', 'completions'],
  showsAnswers: true,
  unless: ['no-reward'],
  look(history, stage) {
    const streak = newestWhile(history.batches, ({ live, correct }) => live === 0 && correct === 0);
    const newest = streak.at(-1);
    if (newest === undefined || !isSignificantStreak(streak)) return undefined;
    const completions = streak.reduce((sum, batch) => sum + batch.completions, 0);
    const { step, share } = history.mostCorrect;
    const invalid = newest.invalid > 0.5 ? `; ${percent(newest.invalid)} of the last batch cannot be parsed` : '';
    const seen = `all groups are dead: of the last ${completions} completions none is right${invalid}`;
    if (share === 0) return { seen, why: NO_GRADIENT, remedy: easierStart(stage) };
    return {
      seen: `${seen}, though ${percent(share)} were at step ${step}`,
      why: `An update has destroyed what the policy could do. ${NO_GRADIENT}`,
      remedy: slowerStart(stage),
    };
  },
};

const allRight: Diagnostic = {
  code: 'all-right',
  level: 'note',
  after: 'batch',
  reads: ['live', 'correct'],
  unless: ['no-reward'],
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
  unless: ['no-reward', 'all-wrong', 'all-right', 'constant-reward'],
  look({ batches }, stage) {
    const streak = newestWhile(batches, ({ live }) => live === 0);
    const newest = streak.at(-1);
    if (newest === undefined || streak.length < FEWEST_BATCHES) return undefined;
    return {
      seen: `all groups of the last ${streak.length} batches are dead${deadByKind(newest)}`,
      why: `The policy does the same each time that it meets a problem. ${NO_GRADIENT}`,
      remedy: moreVariety(stage),
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
  unless: ['no-reward', 'all-wrong', 'all-right', 'all-dead', 'constant-reward', 'entropy-collapse', 'duplicates'],
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
      remedy: `${moreDraws(stage)}; or ${wrong * 2 > drawn ? EASIER : HARDER}`,
    };
  },
};

export const GROUP_DIAGNOSTICS: readonly Diagnostic[] = [allWrong, allRight, allDead, fewLiveGroups];

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

/** After an update that was too large. */
export function slowerStart({ optimizer: { learningRate, warmupSteps } }: GrpoStageConfig): string {
  const warmUp = warmupSteps < 20 ? ' and warmup_steps to 20' : '';
  return `Set learning_rate to ${setting(learningRate / 5)} (now ${setting(learningRate)})${warmUp}, and start again`;
}

/** Against samples that are all alike. */
export function moreVariety({ sampling: { temperature }, methods }: GrpoStageConfig): string {
  const now = weightOf(methods, 'entropy_coef');
  const heat = temperature < 1 ? `temperature to 1 (now ${setting(temperature)})` : undefined;
  const bonus = `entropy_coef to ${setting(now === 0 ? 0.01 : 2 * now)} (now ${setting(now)})`;
  return `Set ${heat === undefined ? bonus : `${heat}, or ${bonus}`}, from an earlier checkpoint or from the start`;
}

function moreDraws({ methods, batch: { numGenerations } }: GrpoStageConfig): string {
  const rounds = weightOf(methods, 'max_rounds');
  if (rounds === 0 && numGenerations < SMALL_GROUP)
    return `Raise num_generations to ${SMALL_GROUP} (now ${numGenerations}): among so few a right answer is seldom beside a wrong one`;
  return rounds === 0
    ? 'Set dynamic_sampling to {name: refill, max_rounds: 2} to replace dead groups'
    : `Raise dynamic_sampling.max_rounds to ${2 * rounds} or num_generations to ${2 * numGenerations}`;
}
