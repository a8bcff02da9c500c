/**
 * What DPO, KTO, ORPO, CPO and SimPO learn: of two completions of a prompt one is preferred, or of a single one it is
 * known whether it is wanted. The names of the losses and their options are TRL's, and so are the values.
 *
 * Completions come from rows (`preference-rows`), or are the policy's own: then each right one of a group is paired with
 * each wrong one. The loss of a group is the mean over its pairs, or over its completions for `kto`, and weighs as the
 * aggregation weighs its tokens: with `seq-mean`, and one pair a group, the step's loss is the mean over pairs.
 *
 * `kto` compares with z, the mean of log π − log π_ref over completions beside the prompts of other rows, or, of the
 * policy's own samples, over all of them; no gradient goes through it.
 */
import { z } from 'zod';
import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { zodOf } from '../../../../src/options/schemas.ts';
import type { CreditedGroup, LossGradient, LossSequence, LossTerm, Rollout } from '../kit.ts';
import {
  choice,
  counts,
  flag,
  key,
  laterKey,
  lossTokens,
  method,
  number,
  unreadAdvantages,
  unreadRatio,
} from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { extentOf, placesByGroup, sumOver, weightOf } from '../support/loss/by_group.ts';
import {
  COMPARES_SCORES,
  F_DIVERGENCES,
  type PairLoss,
  type PairLossName,
  type PreferenceScales,
  type PreferenceSide,
  pairLoss,
  READS_SMOOTHING,
  singleLoss,
  sortedLosses,
} from '../support/loss/preference_losses.ts';
import { PreferenceTallies } from '../support/loss/preference_tallies.ts';
import { ORIGIN } from '../support/rollouts/preference_origins.ts';

const LOSSES = [
  'sigmoid',
  'hinge',
  'ipo',
  'exo_pair',
  'nca_pair',
  'robust',
  'bco_pair',
  'sppo_hard',
  'aot',
  'aot_unpaired',
  'apo_zero',
  'apo_down',
  'discopop',
  'sft',
  'sigmoid_norm',
  'kto',
  'apo_zero_unpaired',
  'orpo',
  'simpo',
] as const;
type LossName = (typeof LOSSES)[number];

/** Losses of single completions: z = 0 without the first. */
const SINGLE: readonly LossName[] = ['kto', 'apo_zero_unpaired'];
const SORTED: readonly LossName[] = ['aot', 'aot_unpaired'];
/** Losses that no reference belongs to. */
const WITHOUT_REFERENCE: readonly LossName[] = ['orpo', 'simpo', 'sft'];

const lossName = zodOf(choice(LOSSES, 'not a loss of preferences'));

interface Options {
  readonly lossTypes: readonly LossName[];
  readonly lossWeights?: readonly number[];
  readonly isReferenceFree: boolean;
}

const usesReference = ({ lossTypes, isReferenceFree }: Options): boolean =>
  !isReferenceFree && lossTypes.some((name) => !WITHOUT_REFERENCE.includes(name));

export const preference = method({
  id: 'preference',
  about: {
    does: 'Learns which of two completions is preferred: DPO and its kin, KTO, ORPO, CPO and SimPO, by loss_type.',
    names: ['DPO', 'IPO', 'KTO', 'ORPO', 'CPO', 'SimPO', 'APO', 'SPPO', 'WPO', 'preference optimisation'],
    formula: 'sigmoid: mean over pairs of −ln σ(β·(u_w − u_l)), u = Σ_t (log π − log π_ref); others by loss_type',
    source: '2305.18290',
    certainty: 'paper',
    when: 'With pairs of a file, or where right and wrong samples of a group should be told apart without a baseline.',
  },
  companions: [{ ids: ['seq-mean'], line: 'aggregation: seq-mean', why: 'so that each pair weighs the same' }],
  options: {
    lossTypes: key(
      'loss_type',
      z
        .union([lossName.transform((name) => [name]), z.array(lossName).min(1)], {
          error: `must be a loss of preferences or a list of them (${LOSSES.join(', ')}); for example sigmoid`,
        })
        .default(['sigmoid'])
        .describe('The loss, or several, which are added up. Default sigmoid.'),
    ),
    lossWeights: laterKey(
      'loss_weights',
      z
        .array(zodOf(number({ min: 0, example: 1 })))
        .optional()
        .describe('A weight for each of several losses. Default: 1 each.'),
    ),
    scale: key(
      'beta',
      number({ above: 0, example: 0.1 })
        .default(0.1)
        .describe('Scale of what is compared: the larger, the nearer the policy stays to the reference.'),
    ),
    smoothing: key(
      'label_smoothing',
      number({ min: 0, below: 0.5, example: 0.1 })
        .default(0)
        .describe('Share of pairs that are thought to be the wrong way round; exo_pair needs one.'),
    ),
    divergence: key(
      'f_divergence_type',
      choice(['reverse_kl', 'forward_kl', 'js_divergence', 'alpha_divergence'])
        .default('reverse_kl')
        .describe('The divergence that holds the policy to the reference, for losses of a difference.'),
    ),
    divergenceAlpha: key(
      'f_alpha_divergence_coef',
      number({ example: 0.5 }).default(0.5).describe('α of alpha_divergence.'),
    ),
    tailWeight: key(
      'ld_alpha',
      number({ min: 0, max: 1, example: 0.5 })
        .optional()
        .describe('Weight of the tokens of a pair beyond the length of its shorter side. Default: 1.'),
    ),
    isWeighted: key(
      'use_weighting',
      flag().default(false).describe('Whether pairs weigh as likely as the policy finds them (WPO).'),
    ),
    isReferenceFree: key(
      'reference_free',
      flag().default(false).describe('Whether log-probs are taken as they are, without a reference, as in CPO.'),
    ),
    chosenNll: key(
      'cpo_alpha',
      number({ min: 0, example: 1 })
        .default(0)
        .describe('Weight of the mean −log π of the tokens of chosen completions, which is added.'),
    ),
    margin: key('simpo_gamma', number({ min: 0, example: 0.5 }).default(0.5).describe('Margin of simpo.')),
    modulation: key('discopop_tau', number({ above: 0, example: 0.05 }).default(0.05).describe('τ of discopop.')),
    wantedWeight: key(
      'desirable_weight',
      number({ min: 0, example: 1 }).default(1).describe('Weight of wanted completions, for kto.'),
    ),
    unwantedWeight: key(
      'undesirable_weight',
      number({ min: 0, example: 1 }).default(1).describe('Weight of the others, for kto.'),
    ),
    ...SOLVED_OPTIONS,
  },
  complete(options, refuse) {
    const { lossTypes, lossWeights, smoothing, divergence } = options;
    const among = (names: readonly string[]): LossName | undefined => lossTypes.find((name) => names.includes(name));
    const outside = (names: readonly string[]): LossName | undefined => lossTypes.find((name) => !names.includes(name));
    const single = among(SINGLE);
    if (lossWeights !== undefined && lossWeights.length !== lossTypes.length) {
      refuse('lossWeights', `${lossWeights.length} weights for ${lossTypes.length} losses; give one each`);
    }
    if (single !== undefined && lossTypes.length > 1) {
      refuse('lossTypes', `${single} is of single completions, and is not added to losses of pairs; leave it alone`);
    }
    if (lossTypes.includes('exo_pair') && smoothing === 0) {
      refuse('smoothing', 'exo_pair takes its logarithm; use for example 0.001');
    }
    if (smoothing > 0 && among(READS_SMOOTHING) === undefined) {
      refuse('smoothing', `${lossTypes.join(', ')} has none; leave it out, or use robust`);
    }
    const kept = divergence === 'reverse_kl' ? undefined : outside([...COMPARES_SCORES, 'sft']);
    if (kept !== undefined) refuse('divergence', `${kept} is made for reverse_kl; use that, or sigmoid`);
    return options;
  },
  uses: (options) => [usesReference(options) ? reference : [], options.isWeighted ? distributions : []].flat(),
  note: (_, methods) =>
    [unreadRatio(methods) ?? [], unreadAdvantages(methods, 'which completions are preferred') ?? []].flat(),
  create(options): LossTerm {
    const { lossTypes, lossWeights, scale, smoothing, modulation, margin, isWeighted, chosenNll } = options;
    const scales: PreferenceScales = { beta: scale, smoothing, tau: modulation, gamma: margin };
    const solves = solvedBy(options);
    const isChosen = ({ origin, ...rollout }: Rollout): boolean =>
      origin === ORIGIN.chosen || (origin !== ORIGIN.rejected && solves(rollout));
    const hasReference = usesReference(options);
    const [only] = lossTypes;
    const isSingle = SINGLE.includes(only);
    const sorts = lossTypes.filter((name) => SORTED.includes(name));
    const tallies = new PreferenceTallies();
    let chosenTokens = 1; // of a pair, on average over the groups that have pairs
    let z = 0;
    let sorted = new Map<Rollout, Map<Rollout, PairLoss>>();

    const ratioOf = (sequence: LossSequence, weights: Float64Array): number => {
      const { logprobs, refLogprobs } = sequence;
      if (hasReference && refLogprobs === undefined) throw new RangeError('preference needs the reference');
      return weights.reduce(
        (sum, weight, t) =>
          sum + (weight === 0 ? 0 : weight * (logprobs[t] - (hasReference ? (refLogprobs?.[t] ?? 0) : 0))),
        0,
      );
    };
    const sideOf = (sequence: LossSequence, weights: Float64Array): PreferenceSide => {
      const ratio = ratioOf(sequence, weights);
      const score = F_DIVERGENCES[options.divergence](ratio, options.divergenceAlpha);
      return { ratio, tokens: extentOf(sequence).tokens, score };
    };
    /** Members of a group that are learned from, chosen and rejected. */
    const sidesOf = (sequences: readonly LossSequence[], places: readonly number[]) => {
      const members = places.filter((i) => extentOf(sequences[i]).tokens > 0 && isMember(sequences[i].rollout));
      const [chosen, rejected] = [true, false].map((of) =>
        members.filter((i) => isChosen(sequences[i].rollout) === of),
      );
      return { chosen, rejected };
    };
    const pairsOf = (sequences: readonly LossSequence[], places: readonly number[]): readonly Pair[] => {
      const { chosen, rejected } = sidesOf(sequences, places);
      return chosen.flatMap((i) =>
        rejected.map((j): Pair => {
          const shorter = Math.min(extentOf(sequences[i]).tokens, extentOf(sequences[j]).tokens);
          return [i, j].map((at) => ({ at, weights: tokenWeights(sequences[at], shorter, options.tailWeight) })) as [
            Weighted,
            Weighted,
          ];
        }),
      );
    };

    const lossOfPair = (name: LossName, sequences: readonly LossSequence[], [c, r]: Pair): PairLoss => {
      const [chosen, rejected] = [sequences[c.at], sequences[r.at]];
      if (SORTED.includes(name)) {
        const known = sorted.get(chosen.rollout)?.get(rejected.rollout);
        if (known === undefined) throw new RangeError(`${name} was not shown the batch`);
        return known;
      }
      return pairLoss(name as PairLossName)(sideOf(chosen, c.weights), sideOf(rejected, r.weights), scales);
    };

    const addPairs = (
      sequences: readonly LossSequence[],
      gradients: readonly LossGradient[],
      places: readonly number[],
    ): void => {
      const pairs = pairsOf(sequences, places);
      const share = weightOf(sequences, places) / Math.max(1, pairs.length);
      for (const pair of pairs) {
        const [c, r] = pair;
        const weight = isWeighted ? share * likelihoodOf(sequences[c.at]) * likelihoodOf(sequences[r.at]) : share;
        for (const [k, name] of lossTypes.entries()) {
          const by = weight * (lossWeights?.[k] ?? 1);
          if (name === 'sft') addNll(sequences[c.at], gradients[c.at], by / chosenTokens);
          else {
            const { loss, chosen, rejected } = lossOfPair(name, sequences, pair);
            addTo(gradients[c.at], c.weights, (by * loss) / 2, by * chosen);
            addTo(gradients[r.at], r.weights, (by * loss) / 2, by * rejected);
          }
        }
        if (chosenNll > 0) addNll(sequences[c.at], gradients[c.at], (chosenNll * share) / chosenTokens);
        tallies.pair(scale * ratioOf(sequences[c.at], c.weights), scale * ratioOf(sequences[r.at], r.weights));
        tallies.logprobs(sumOf(sequences[c.at]), sumOf(sequences[r.at]));
      }
    };

    const addSingles = (
      sequences: readonly LossSequence[],
      gradients: readonly LossGradient[],
      places: readonly number[],
    ): void => {
      const { chosen, rejected } = sidesOf(sequences, places);
      const members = [...chosen, ...rejected];
      const share = weightOf(sequences, places) / Math.max(1, members.length);
      for (const i of members) {
        const isWanted = chosen.includes(i);
        const weights = tokenWeights(sequences[i]);
        const by = share * (isWanted ? options.wantedWeight : options.unwantedWeight);
        const ratio = ratioOf(sequences[i], weights);
        const [loss, slope] = singleLoss(isWanted, ratio, z, scale);
        addTo(gradients[i], weights, by * loss, by * slope);
        tallies.single(isWanted, scale * ratio, sumOf(sequences[i]));
      }
    };

    const sort = (name: LossName, sequences: readonly LossSequence[]): void => {
      const pairs = placesByGroup(sequences).flatMap((places) => pairsOf(sequences, places));
      const under = (which: 0 | 1, read: (sequence: LossSequence, t: number) => number): number[] =>
        pairs.map((pair) => {
          const { at, weights } = pair[which];
          return weights.reduce((sum, weight, t) => sum + (weight === 0 ? 0 : weight * read(sequences[at], t)), 0);
        });
      const own = (s: LossSequence, t: number): number => s.logprobs[t];
      const ref = (s: LossSequence, t: number): number => (hasReference ? (s.refLogprobs?.[t] ?? 0) : 0);
      const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((value, i) => value - b[i]);
      const [chosen, rejected, refChosen, refRejected] = [under(0, own), under(1, own), under(0, ref), under(1, ref)];
      const isPaired = name === 'aot';
      const high = minus(chosen, isPaired ? rejected : refChosen);
      const low = isPaired ? minus(refChosen, refRejected) : minus(rejected, refRejected);
      const { losses, byHigh, byLow } = sortedLosses(high, low, scales);
      sorted = new Map();
      for (const [k, [c, r]] of pairs.entries()) {
        const of = sorted.get(sequences[c.at].rollout) ?? new Map<Rollout, PairLoss>();
        of.set(sequences[r.at].rollout, {
          loss: losses[k],
          chosen: byHigh[k],
          rejected: isPaired ? -byHigh[k] : byLow[k],
        });
        sorted.set(sequences[c.at].rollout, of);
      }
    };

    const zOf = (sequences: readonly LossSequence[]): number => {
      const mismatched = sequences.filter(({ rollout }) => rollout.origin === ORIGIN.mismatched);
      const read = mismatched.length > 0 ? mismatched : sequences.filter(({ rollout }) => isMember(rollout));
      const ratios = read.map((sequence) => ratioOf(sequence, tokenWeights(sequence)));
      return Math.max(0, ratios.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, ratios.length));
    };
    const observes = sorts.length > 0 || only === 'kto';

    return {
      coupling: observes ? 'batch' : 'group',
      actsWithoutAdvantage: true,
      learnsWithoutRewards: true,
      ...((isWeighted || only === 'kto') && { stopsGradient: true }),
      begin(groups: readonly CreditedGroup[]) {
        tallies.clear();
        const means = groups.flatMap(({ rollouts }) => {
          const members = rollouts.filter((rollout) => lossTokens(rollout) > 0 && isMember(rollout));
          const chosen = members.filter(isChosen);
          if (chosen.length === 0 || chosen.length === members.length) return [];
          return [chosen.reduce((sum, rollout) => sum + lossTokens(rollout), 0) / chosen.length];
        });
        chosenTokens = Math.max(1, means.reduce((sum, mean) => sum + mean, 0) / Math.max(1, means.length));
      },
      ...(observes && {
        observe(sequences: readonly LossSequence[]) {
          for (const name of sorts) sort(name, sequences);
          if (only === 'kto') z = zOf(sequences);
        },
      }),
      add(sequences, gradients) {
        for (const places of placesByGroup(sequences)) {
          if (isSingle) addSingles(sequences, gradients, places);
          else addPairs(sequences, gradients, places);
        }
      },
      afterUpdate: () => ({ ...tallies.means(), ...(only === 'kto' && { 'preference/kl': z }) }),
    };
  },
});

/** A member of a pair, with the weights of its tokens; 0 masks. */
interface Weighted {
  readonly at: number;
  readonly weights: Float64Array;
}

type Pair = readonly [chosen: Weighted, rejected: Weighted];

const isMember = (rollout: Rollout): boolean =>
  rollout.origin !== ORIGIN.mismatched && (rollout.origin !== undefined || counts(rollout));

/** @param shared  tokens of weight 1; those after them weigh `tail` */
function tokenWeights({ coefficients }: LossSequence, shared = Number.POSITIVE_INFINITY, tail = 1): Float64Array {
  let seen = 0;
  return Float64Array.from(coefficients, (coefficient) => {
    if (coefficient === 0) return 0;
    return ++seen <= shared ? 1 : tail;
  });
}

const sumOf = (sequence: LossSequence): number => sumOver(sequence, sequence.logprobs);

function addTo({ losses, dLogprobs }: LossGradient, weights: Float64Array, loss: number, slope: number): void {
  const tokens = weights.filter((weight) => weight !== 0).length;
  for (let t = 0; t < weights.length; t++) {
    if (weights[t] === 0) continue;
    losses[t] += loss / tokens;
    dLogprobs[t] += slope * weights[t];
  }
}

function addNll({ logprobs, coefficients }: LossSequence, { losses, dLogprobs }: LossGradient, by: number): void {
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    losses[t] -= by * logprobs[t];
    dLogprobs[t] -= by;
  }
}

/** exp of the mean over tokens of log π(y) − log Σ_v π(v)². */
function likelihoodOf({ logprobs, coefficients, distributions: all }: LossSequence): number {
  if (all === undefined) throw new RangeError('use_weighting needs whole distributions');
  const width = all.length / coefficients.length;
  let [sum, tokens] = [0, 0];
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    let squares = 0;
    for (let v = t * width; v < (t + 1) * width; v++) squares += Math.exp(2 * all[v]);
    sum += logprobs[t] - Math.log(squares);
    tokens++;
  }
  return Math.exp(sum / tokens);
}
