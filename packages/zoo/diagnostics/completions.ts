/** What the completions look like: whether they end, how sure, how long and how different they are. */
import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import { newestAverage } from '../../../src/diagnostics/history.ts';
import { meanOf } from '../../../src/diagnostics/lists.ts';
import type { BatchRecord } from '../../../src/diagnostics/records.ts';
import { counted, percent } from '../../../src/format.ts';
import { moreVariety } from './groups.ts';
import { isSignificantStreak, lostSince } from './histories.ts';
import { newestWhile } from './lists.ts';
import { weightOf } from './weight_of.ts';
import { figure, setting } from './words.ts';

const CUT_TURN = 'What the limit of a turn cuts is no action that the policy chose, and ends its episode as lost';

const noEos: Diagnostic = {
  code: 'no-eos',
  level: 'warning',
  after: 'batch',
  reads: ['truncated', 'eos', 'completions'],
  look({ batches, eosSeen }) {
    const streak = newestWhile(batches, (batch) => batch.truncated === 1);
    const newest = streak.at(-1);
    if (newest === undefined || eosSeen || !isSignificantStreak(streak)) return undefined;
    const warmUp = 'Let an sft stage come first, whose demonstrations end with EOS';
    if (newest.turns !== undefined) {
      return {
        seen: `all episodes ended with a turn that was cut at ${newest.longest} tokens; EOS was never sampled in this stage`,
        why: CUT_TURN,
        remedy: warmUp,
      };
    }
    return {
      seen: `all completions were cut${atLimit(newest)}; EOS was never sampled in this stage`,
      why: 'The policy does not know how to end, and a cut answer is judged as it is',
      remedy: `${warmUp}, or raise max_completion_length${twice(newest)}`,
    };
  },
};

/** The log of another trainer may not say the limit. */
function atLimit({ longest }: BatchRecord): string {
  return Number.isNaN(longest) ? ' at the limit' : ` at ${counted(longest, 'token')}`;
}

function twice({ longest }: BatchRecord): string {
  return Number.isNaN(longest) ? '' : ` to ${2 * longest}`;
}

/** From half on, most of what is learned from is cut. */
const MOSTLY_TRUNCATED = 0.5;

const truncated: Diagnostic = {
  code: 'truncated',
  level: 'warning',
  after: 'batch',
  reads: ['truncated'],
  unless: ['no-eos', 'pays-wrong', 'short-limit'],
  look({ batches }, _, tells) {
    const found = newestWhile(batches, (batch) => batch.truncated >= MOSTLY_TRUNCATED);
    const newest = found.at(-1);
    if (newest === undefined || !isSignificantStreak(found)) return undefined;
    const limit = newest.longest;
    const spare = tells.has('masks-ends') ? '' : ', or mask_truncated_completions: true to learn nothing from them';
    if (newest.turns !== undefined) {
      return {
        seen: `${percent(newest.truncated)} of the episodes ended with a turn that was cut, at ${limit} tokens or where the episode had no more room`,
        why: CUT_TURN,
        remedy: `Let an sft stage come first, whose demonstrations end each turn, leave max_completion_length out${spare}`,
      };
    }
    return {
      seen: `${percent(newest.truncated)} of the completions were cut${atLimit(newest)}`,
      why: 'A cut answer is judged as it is, so the reward is that of the limit rather than of the answer',
      remedy: `Raise max_completion_length${twice(newest)}${Number.isNaN(limit) ? '' : `, add {name: soft_overlong, max_tokens: ${limit}, cache: ${Math.ceil(limit / 4)}} to reward_funcs`}${spare}`,
    };
  },
};

/** Nats per token below which sampling gives one answer, whatever the task. */
const NO_ENTROPY = 0.01;
/** Share of the stage's first entropy. Policies that solve their task end at 1–30 % of it. */
const LITTLE_ENTROPY = 0.05;
/** So much is solved that being sure is right. */
const MOSTLY_SOLVED = 0.9;
const HALF_SOLVED = 0.5;
/** Share of the groups. Confident policies still learn while more groups than that are live: sort_digits has gone from 48 %
 *  to 97 % right with 4 % of its first entropy, and 40 % of its groups live. */
const FEW_LIVE = 0.25;

const entropyCollapse: Diagnostic = {
  code: 'entropy-collapse',
  level: 'warning',
  after: 'batch',
  reads: ['entropy', 'correct', 'live', 'groups'],
  patience: 3,
  look(history, stage) {
    const newest = history.batches.at(-1);
    if (newest === undefined) return undefined;
    const now = newestAverage(history) ?? { ...newest, live: newest.live / newest.groups };
    const first = history.firstAverage?.entropy ?? 0;
    const none = now.entropy < NO_ENTROPY && now.correct < MOSTLY_SOLVED;
    const little = now.entropy < LITTLE_ENTROPY * first && now.correct < HALF_SOLVED;
    if (now.live >= FEW_LIVE || (!none && !little)) return undefined;
    return {
      seen: `entropy has collapsed to ${figure(now.entropy)} nats per token${first > now.entropy ? ` (${figure(first)} at first)` : ''}, with ${percent(now.correct)} of the completions right and ${percent(now.live)} of the groups live`,
      why: 'The policy samples the same answer each time, and finds no other to learn from',
      remedy: `${moreVariety(stage)}, or a lower learning_rate (now ${setting(stage.optimizer.learningRate)})`,
    };
  },
};

/** Times the entropy at the best reward; healthy runs stay below 1.6. */
const MUCH_ENTROPY = 2;
/** Share of the reward lost since then: beyond what chance takes away (0.3 between batches of 256), together with the entropy. */
const PART_LOST = 0.3;

const entropyExplosion: Diagnostic = {
  code: 'entropy-explosion',
  level: 'warning',
  after: 'batch',
  reads: ['entropy', 'reward', 'rewarded', 'lowest'],
  patience: 3,
  look(history, stage) {
    const now = newestAverage(history);
    const { bestAverage: best } = history;
    if (now === undefined || best === null || now.entropy < MUCH_ENTROPY * best.entropy) return undefined;
    if (lostSince(history) < PART_LOST) return undefined;
    const { learningRate } = stage.optimizer;
    const bonus = weightOf(stage.methods, 'entropy_coef');
    return {
      seen: `entropy rose from ${figure(best.entropy)} nats per token (step ${best.step}) to ${figure(now.entropy)}, while the reward fell from ${figure(best.reward)} to ${figure(now.reward)}`,
      why: 'The policy runs away towards random tokens: fewer rewards, less gradient against it, still more entropy',
      remedy:
        bonus > 0
          ? `Set entropy_coef to ${setting(bonus / 3)} (now ${setting(bonus)}), from an earlier checkpoint or from the start`
          : `Set learning_rate to ${setting(learningRate / 3)} (now ${setting(learningRate)}) or beta to 0.01, from an earlier checkpoint or from the start`,
    };
  },
};

/** Times the mean length at the best reward. */
const MUCH_LONGER = 2;
const MUCH_SHORTER = 0.5;

const lengthExplosion: Diagnostic = {
  code: 'length-explosion',
  level: 'warning',
  after: 'batch',
  reads: ['meanLength', 'reward'],
  patience: 3,
  look(history) {
    const now = newestAverage(history);
    const { bestAverage: best } = history;
    if (now === undefined || best === null || now.length < MUCH_LONGER * best.length) return undefined;
    const isPlayed = history.batches.at(-1)?.turns !== undefined; // its limit is that of a whole episode
    const lower = isPlayed ? '' : `, or lower max_completion_length to ${Math.ceil(1.5 * best.length)}`;
    return {
      seen: `completions grew from ${figure(best.length)} tokens (step ${best.step}, reward ${figure(best.reward)}) to ${figure(now.length)} (reward ${figure(now.reward)})`,
      why: 'The reward did not rise with them: the policy pads, repeats itself, or has forgotten to end',
      remedy: `Add {name: soft_overlong, max_tokens: ${Math.ceil(1.5 * best.length)}, cache: ${Math.ceil(best.length / 2)}} to reward_funcs${lower}`,
    };
  },
};

const lengthCollapse: Diagnostic = {
  code: 'length-collapse',
  level: 'warning',
  after: 'batch',
  reads: ['meanLength', 'reward', 'rewarded', 'lowest'],
  patience: 3,
  look(history, stage) {
    const now = newestAverage(history);
    const { bestAverage: best } = history;
    if (now === undefined || best === null || now.length > MUCH_SHORTER * best.length) return undefined;
    if (lostSince(history) < PART_LOST) return undefined; // shorter and as good is progress
    const names = stage.rewards.map(({ name }) => name).join(', ');
    return {
      seen: `completions shrank from ${figure(best.length)} tokens (step ${best.step}, reward ${figure(best.reward)}) to ${figure(now.length)} (reward ${figure(now.reward)})`,
      why: 'The policy gives up early instead of answering',
      remedy: `Look for a part of reward_funcs (now ${names}) that pays for being short, lower its weight, or set learning_rate to ${setting(stage.optimizer.learningRate / 3)} (now ${setting(stage.optimizer.learningRate)})`,
    };
  },
};

/** (distinct − 1) / (completions − 1) of a group, on average: of 16 completions, 2 or 3 differ. Healthy runs come down
 *  to 0.2 while half of the completions are wrong. */
const LITTLE_VARIETY = 0.1;
const VARIETY_BATCHES = 5;

const duplicates: Diagnostic = {
  code: 'duplicates',
  level: 'note',
  after: 'batch',
  reads: ['variety', 'correct', 'live', 'groups'],
  patience: VARIETY_BATCHES, // entropy-collapse says more, and takes as long to be sure
  unless: ['entropy-collapse', 'all-dead', 'all-wrong', 'right-refused', 'policy-lost', 'no-eos'],
  look({ batches }, stage) {
    const window = batches.slice(-VARIETY_BATCHES);
    const variety = meanOf(window, (batch) => batch.variety);
    const correct = meanOf(window, (batch) => batch.correct);
    const live = meanOf(window, (batch) => batch.live / batch.groups);
    if (window.length < VARIETY_BATCHES || variety >= LITTLE_VARIETY) return undefined;
    if (correct >= HALF_SOLVED || live >= FEW_LIVE) return undefined;
    const distinct = 1 + variety * (stage.batch.numGenerations - 1);
    return {
      seen: `the ${stage.batch.numGenerations} completions of a group are ${distinct.toFixed(1)} different ones on average; ${percent(correct)} are right, ${percent(live)} of the groups live`,
      why: 'The policy tries little that is new, so what it cannot do yet it will not find',
      remedy: moreVariety(stage),
    };
  },
};

export const COMPLETION_DIAGNOSTICS: readonly Diagnostic[] = [
  noEos,
  truncated,
  entropyCollapse,
  entropyExplosion,
  lengthExplosion,
  lengthCollapse,
  duplicates,
];
