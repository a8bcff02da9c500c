/** The reward functions that YAML can name. */
import { ConfigError } from '../errors.ts';
import { integer, key, text } from '../options/keys.ts';
import { didYouMean } from '../options/nearest_name.ts';
import { takeOptions } from '../options/read.ts';
import { defineReward, type RewardDefinition, type RewardFactory, type RewardOptions } from './definition.ts';
import { calibrationReward } from './functions/calibration.ts';
import { classifierReward } from './functions/classifier.ts';
import { contextFReward } from './functions/context_f.ts';
import { costMetricReward } from './functions/cost_metric.ts';
import { expDecayReward } from './functions/exp_decay.ts';
import { flawPenaltyReward } from './functions/flaw_penalty.ts';
import { httpReward } from './functions/http.ts';
import { intervalIouReward } from './functions/interval_iou.ts';
import { kendallReward } from './functions/kendall.ts';
import { keywordChainReward } from './functions/keyword_chain.ts';
import { keywordCoverageReward } from './functions/keyword_coverage.ts';
import { marginalUtilityReward } from './functions/marginal_utility.ts';
import { multiAnswerReward } from './functions/multi_answer.ts';
import { ndcgReward } from './functions/ndcg.ts';
import { opCuriosityReward } from './functions/op_curiosity.ts';
import { orderedMatchReward } from './functions/ordered_match.ts';
import { pathDecayReward } from './functions/path_decay.ts';
import { quoteRateReward } from './functions/quote_rate.ts';
import { rankPiecewiseReward } from './functions/rank_piecewise.ts';
import { rubricReward } from './functions/rubric.ts';
import { rubricPairwiseReward } from './functions/rubric_pairwise.ts';
import { sectionsReward } from './functions/sections.ts';
import { selfScoreHonestyReward } from './functions/self_score_honesty.ts';
import { similarityReward } from './functions/similarity.ts';
import { spanF1Reward } from './functions/span_f1.ts';
import { stepCostReward } from './functions/step_cost.ts';
import { structureCrossrefReward } from './functions/structure_crossref.ts';
import { isModuleFile, MODULE_ENDINGS, PART_REWARD } from './module_file.ts';
import { rewardNamed } from './names_elsewhere.ts';
import type { RewardFunction } from './reward_function.ts';
import { cosineReward, diversityReward, formatReward, repetitionReward, ternaryReward } from './shaped.ts';

/** The verifier's score: 1 or 0 in the tasks that ship here. */
export const accuracyReward: RewardFunction = {
  name: 'accuracy',
  range: [0, 1],
  score: ({ verdicts }) => verdicts.map((verdict) => verdict.score),
};

/** A sub-score of the verdict; null where the task does not give it. Evaluation never reads it. */
export function partReward(part: string): RewardFunction {
  return {
    name: part,
    range: [0, 1],
    score: ({ verdicts }) => verdicts.map((verdict) => verdict.parts?.[part] ?? null),
  };
}

/**
 * TRL's soft punishment of long completions: 0 up to maxTokens − cache, then falling to −1 at maxTokens.
 *
 * @param maxTokens  most tokens of a completion, EOS included
 * @param cache      width of the slope in tokens, at least 1
 */
export function softOverlongReward(maxTokens: number, cache: number): RewardFunction {
  return {
    name: 'soft_overlong',
    range: [-1, 0],
    score: ({ completionTokens }) =>
      completionTokens.map(({ length }) => {
        if (length <= maxTokens - cache) return 0;
        return length > maxTokens ? -1 : (maxTokens - cache - length) / cache;
      }),
  };
}

function withoutOptions(does: string, reward: RewardFunction): RewardDefinition {
  return defineReward({ does, options: {}, create: () => reward });
}

const tokens = (example: number) => integer({ min: 1, example });

/** Every reward function by name. A new one is an entry here. */
export const builtInRewards: Readonly<Record<string, RewardDefinition>> = {
  accuracy: withoutOptions("The verifier's score: 1 for a right answer, else 0.", accuracyReward),
  positions: withoutOptions('Share of the positions that are right; sort_digits gives it.', partReward('positions')),
  lcs: withoutOptions(
    'Longest common subsequence of answer and truth; reverse_text gives it. It can be hacked, and is here to show that.',
    partReward('lcs'),
  ),
  critique: withoutOptions(
    'F1 of the kind and the place of an error that is found; critique_tasks gives it.',
    partReward('critique'),
  ),
  instructions: withoutOptions(
    'Share of the instructions that are kept; constraints gives it.',
    partReward('instructions'),
  ),
  [PART_REWARD]: defineReward({
    does: 'A sub-score of the verdict by its name, as the tasks list them: syntax of stack_vm, tests of js_function.',
    options: { of: key('of', text('tests').describe('Which sub-score.')) },
    create: ({ of }) => partReward(of),
  }),
  soft_overlong: defineReward({
    does: '0 up to max_tokens - cache tokens, then falling to -1 at max_tokens.',
    options: {
      maxTokens: key('max_tokens', tokens(12).describe("TRL's max_completion_len: most tokens, EOS included.")),
      cache: key('cache', tokens(4).describe("TRL's soft_punish_cache: width of the slope, in tokens.")),
    },
    rules: ({ maxTokens, cache }) =>
      cache > maxTokens ? [{ key: 'cache', rule: `longer than max_tokens (${maxTokens}); lower it` }] : [],
    create: ({ maxTokens, cache }) => softOverlongReward(maxTokens, cache),
  }),
  format: formatReward,
  repetition: repetitionReward,
  cosine: cosineReward,
  ternary: ternaryReward,
  diversity: diversityReward,
  rubric: rubricReward,
  'rubric-pairwise': rubricPairwiseReward,
  'multi-answer': multiAnswerReward,
  'op-curiosity': opCuriosityReward,
  'flaw-penalty': flawPenaltyReward,
  calibration: calibrationReward,
  'self-score-honesty': selfScoreHonestyReward,
  'context-f': contextFReward,
  'exp-decay': expDecayReward,
  'interval-iou': intervalIouReward,
  'span-f1': spanF1Reward,
  'ordered-match': orderedMatchReward,
  kendall: kendallReward,
  similarity: similarityReward,
  'rank-piecewise': rankPiecewiseReward,
  ndcg: ndcgReward,
  'path-decay': pathDecayReward,
  'keyword-coverage': keywordCoverageReward,
  'keyword-chain': keywordChainReward,
  'step-cost': stepCostReward,
  'cost-metric': costMetricReward,
  sections: sectionsReward,
  'structure-crossref': structureCrossrefReward,
  'quote-rate': quoteRateReward,
  'marginal-utility': marginalUtilityReward,
  http: httpReward,
  classifier: classifierReward,
};

/**
 * To be awaited before a config is read: where a bundle has reward functions in files of their own, it fetches those whose
 * names occur in the text of the config.
 */
export async function loadRewards(yaml: string): Promise<void> {
  const named = Object.entries(builtInRewards).filter(([name]) => yaml.includes(name));
  await Promise.all(named.map(([, { load }]) => load?.()));
}

/** Reward functions of the caller, or what makes them, by the name that `reward_funcs` gives them. */
export type OwnRewards = Readonly<Record<string, RewardFunction | RewardFactory | RewardDefinition>>;

/** A reward made from its options. @throws ConfigError for an option that it does not have, or that breaks its rule */
export function makeReward(name: string, definition: RewardDefinition, given: RewardOptions): RewardFunction {
  const { options, rules } = definition;
  return definition.create(
    takeOptions(options, given, {
      path: `reward_funcs: ${name}`,
      subject: name,
      beside: ['name', 'weight'],
      rules: (values) => rules?.call(definition, values, given) ?? [],
    }),
  );
}

/** @throws ConfigError if there are options */
export function takesNoOptions(name: string, given: RewardOptions): void {
  takeOptions({}, given, { path: `reward_funcs: ${name}`, subject: name, beside: ['name', 'weight'] });
}

/**
 * A reward function by its name in `reward_funcs`.
 *
 * @param options  what the YAML gives besides name and weight
 * @param own      looked up before the built-in ones; a reward function takes no options, a factory reads them
 * @throws ConfigError for an unknown name or option, naming the nearest one
 */
export function getReward(name: string, options: RewardOptions = {}, own: OwnRewards = {}): RewardFunction {
  const mine = Object.hasOwn(own, name) ? own[name] : undefined;
  if (typeof mine === 'function') return mine(options);
  if (mine !== undefined && 'create' in mine) return makeReward(name, mine, options);
  if (mine !== undefined) {
    takesNoOptions(name, options);
    const { range, refuses } = mine;
    return {
      name,
      ...(range && { range }),
      ...(refuses && { refuses: (item) => refuses.call(mine, item) }),
      score: (batch) => mine.score(batch),
    };
  }
  if (Object.hasOwn(builtInRewards, name)) return makeReward(name, builtInRewards[name], options);
  const rewardNames = [...Object.keys(own), ...Object.keys(builtInRewards)];
  throw new ConfigError('unknown-reward', `reward_funcs: ${JSON.stringify(name)} — ${unknownRule(name, rewardNames)}`, {
    name,
    rewardNames,
  });
}

function unknownRule(name: string, known: readonly string[]): string {
  if (isModuleFile(name)) return 'a file, which the caller has not opened; see openPlugins of rlvr-train/node.';
  if (name.includes(',')) return `several names are a list; write [${name.trim()}].`;
  if (/[/\\.]/.test(name))
    return `neither a reward function nor a file that ends in ${MODULE_ENDINGS}; give its full name.`;
  const elsewhere = rewardNamed(name);
  if (elsewhere !== undefined) return `no such reward function; here it is ${elsewhere}.`;
  return `no such reward function${didYouMean(name, known)} (known: ${known.join(', ')})`;
}
