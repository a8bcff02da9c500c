/**
 * Losses of preferences, under the names that TRL 1.16 gives them. u_c and u_r are how much likelier a policy finds the
 * chosen and the rejected completion than the reference does, summed over tokens; s are their scores (u, or what another
 * f-divergence makes of it), β the scale, ε the label smoothing.
 */
import { sigmoid, softplus } from './logistic.ts';

/** A value with its derivative. */
type Curve = readonly [value: number, slope: number];

/** What the losses depend on besides the completions. */
export interface PreferenceScales {
  /** β, above 0. */
  readonly beta: number;
  /** ε, in [0, 0.5). */
  readonly smoothing: number;
  /** τ of DiscoPOP. */
  readonly tau: number;
  /** γ of SimPO. */
  readonly gamma: number;
}

/** One completion of a pair. */
export interface PreferenceSide {
  /** Sum of log-probs over its tokens, minus the reference's, if there is one. */
  readonly ratio: number;
  /** Tokens, at least 1. */
  readonly tokens: number;
  /** What the f-divergence makes of the ratio. */
  readonly score: Curve;
}

/** A loss with its derivatives by the summed log-probs of both completions. */
export interface PairLoss {
  readonly loss: number;
  readonly chosen: number;
  readonly rejected: number;
}

/** −(1 − ε)·ln σ(x) − ε·ln σ(−x). */
function smoothed(x: number, epsilon: number): Curve {
  return [(1 - epsilon) * softplus(-x) + epsilon * softplus(x), -(1 - epsilon) * sigmoid(-x) + epsilon * sigmoid(x)];
}

type OfDifference = (x: number, scales: PreferenceScales) => Curve;

const logistic: OfDifference = (x, { smoothing }) => smoothed(x, smoothing);

/** Of x = β·(s_c − s_r), by x. */
const OF_DIFFERENCE = {
  sigmoid: logistic,
  hinge: (x) => (x < 1 ? [1 - x, -1] : [0, 0]),
  exo_pair(x, { smoothing }) {
    const q = sigmoid(x);
    const [kept, flipped] = [-softplus(-x) - Math.log1p(-smoothing), -softplus(x) - Math.log(smoothing)];
    return [q * kept + (1 - q) * flipped, q * (1 - q) * (kept - flipped)];
  },
  robust: (x, { smoothing }) => smoothed(x, -smoothing / (1 - 2 * smoothing)), // the flipped share is taken off
  discopop(x, { tau }) {
    const w = sigmoid(x / tau);
    const moved = (w * (1 - w)) / tau;
    const [log, exp] = [softplus(-x), Math.exp(-x)];
    return [(1 - w) * log + w * exp, moved * (exp - log) - (1 - w) * sigmoid(-x) - w * exp];
  },
} as const satisfies Readonly<Record<string, OfDifference>>;

/** The same of x = β·(s_c/|c| − s_r/|r|), per token. */
const OF_MEANS = {
  ipo: (x, { beta }) => [(x / beta - 0.5 / beta) ** 2, (2 * (x - 0.5)) / beta ** 2],
  sigmoid_norm: logistic,
  simpo: (x, { gamma, smoothing }) => smoothed(x - gamma, smoothing),
} as const satisfies Readonly<Record<string, OfDifference>>;

type OfSides = (c: number, r: number) => readonly [value: number, byChosen: number, byRejected: number];

const bump = (x: number): number => sigmoid(x) * sigmoid(-x);

/** Of c = β·u_c and r = β·u_r, by both. */
const OF_SIDES = {
  nca_pair: (c, r) => [
    softplus(-c) + 0.5 * softplus(c) + 0.5 * softplus(r),
    -sigmoid(-c) + 0.5 * sigmoid(c),
    0.5 * sigmoid(r),
  ],
  bco_pair: (c, r) => [softplus(-c) + softplus(r), -sigmoid(-c), sigmoid(r)],
  apo_zero: (c, r) => [sigmoid(-c) + sigmoid(r), -bump(c), bump(r)],
  apo_down: (c, r) => [sigmoid(c) + sigmoid(r - c), bump(c) - bump(c - r), bump(c - r)],
} as const satisfies Readonly<Record<string, OfSides>>;

/** Losses of pairs that need only the pair. */
const PAIR_LOSSES = {
  ...mapped(OF_DIFFERENCE, (curve) => (chosen: PreferenceSide, rejected: PreferenceSide, scales: PreferenceScales) => {
    const [loss, slope] = curve(scales.beta * (chosen.score[0] - rejected.score[0]), scales);
    const by = scales.beta * slope;
    return { loss, chosen: by * chosen.score[1], rejected: -by * rejected.score[1] };
  }),
  ...mapped(OF_MEANS, (curve) => (chosen: PreferenceSide, rejected: PreferenceSide, scales: PreferenceScales) => {
    const apart = chosen.score[0] / chosen.tokens - rejected.score[0] / rejected.tokens;
    const [loss, slope] = curve(scales.beta * apart, scales);
    const by = scales.beta * slope;
    return {
      loss,
      chosen: (by * chosen.score[1]) / chosen.tokens,
      rejected: (-by * rejected.score[1]) / rejected.tokens,
    };
  }),
  ...mapped(OF_SIDES, (sides) => (chosen: PreferenceSide, rejected: PreferenceSide, { beta }: PreferenceScales) => {
    const [loss, byChosen, byRejected] = sides(beta * chosen.ratio, beta * rejected.ratio);
    return { loss, chosen: beta * byChosen, rejected: beta * byRejected };
  }),
  sppo_hard({ ratio: c }: PreferenceSide, { ratio: r }: PreferenceSide, { beta }: PreferenceScales): PairLoss {
    const [above, below] = [c - 0.5 / beta, r + 0.5 / beta];
    return { loss: above ** 2 + below ** 2, chosen: 2 * above, rejected: 2 * below };
  },
  /** The odds ratio of ORPO, of mean log-probs. */
  orpo(chosen: PreferenceSide, rejected: PreferenceSide, { beta }: PreferenceScales): PairLoss {
    const [a, b] = [chosen.ratio / chosen.tokens, rejected.ratio / rejected.tokens];
    const odds = a - Math.log(-Math.expm1(a)) - (b - Math.log(-Math.expm1(b)));
    const by = -beta * sigmoid(-odds);
    return {
      loss: beta * softplus(-odds),
      chosen: by / (-Math.expm1(a) * chosen.tokens),
      rejected: -by / (-Math.expm1(b) * rejected.tokens),
    };
  },
} as const satisfies Readonly<
  Record<string, (chosen: PreferenceSide, rejected: PreferenceSide, scales: PreferenceScales) => PairLoss>
>;

export type PairLossName = keyof typeof PAIR_LOSSES;

export const pairLoss = (
  name: PairLossName,
): ((chosen: PreferenceSide, rejected: PreferenceSide, scales: PreferenceScales) => PairLoss) => PAIR_LOSSES[name];

/** Losses that compare scores, which another f-divergence than the reverse KL may make. */
export const COMPARES_SCORES: readonly string[] = [...Object.keys(OF_DIFFERENCE), 'ipo', 'sigmoid_norm'];
/** Losses that read `label_smoothing`. */
export const READS_SMOOTHING: readonly string[] = [
  'sigmoid',
  'exo_pair',
  'robust',
  'aot',
  'aot_unpaired',
  'sigmoid_norm',
  'simpo',
];

/**
 * Losses that sort a batch (Alignment via Optimal Transport): the k-th smallest of one list beside the k-th smallest of the other.
 *
 * @param low, high  [pairs]
 * @returns [pairs] losses of the ranks, with derivatives by `high`; those by `low` are their negatives at `lowRank`
 */
export function sortedLosses(
  high: readonly number[],
  low: readonly number[],
  { beta, smoothing }: PreferenceScales,
): { readonly losses: number[]; readonly byHigh: number[]; readonly byLow: number[] } {
  const order = (values: readonly number[]): number[] => [...values.keys()].sort((a, b) => values[a] - values[b]);
  const [highs, lows] = [order(high), order(low)];
  const [losses, byHigh, byLow] = [high, high, high].map(() => new Array<number>(high.length).fill(0));
  highs.forEach((i, rank) => {
    const j = lows[rank];
    const [loss, slope] = smoothed(beta * (high[i] - low[j]), smoothing);
    losses[i] = loss;
    byHigh[i] = beta * slope;
    byLow[j] = -beta * slope;
  });
  return { losses, byHigh, byLow };
}

/** KTO of a single completion: 1 − σ(±β(u − z)), by u. */
export function singleLoss(isChosen: boolean, ratio: number, z: number, beta: number): Curve {
  const x = (isChosen ? beta : -beta) * (ratio - z);
  return [sigmoid(-x), (isChosen ? -beta : beta) * bump(x)];
}

/** The exponent of the α-divergence is cut here, as float32 needs it. */
const LARGEST_EXPONENT = 80;

/** f'(e^u) of the f-divergences that a policy may be held to the reference by, with its derivative by u. */
export const F_DIVERGENCES = {
  reverse_kl: (u: number): Curve => [u, 1],
  forward_kl: (u: number): Curve => [1 - Math.exp(-u), Math.exp(-u)],
  js_divergence: (u: number): Curve => [Math.LN2 - softplus(-u), sigmoid(-u)],
  alpha_divergence(u: number, alpha: number): Curve {
    const by = alpha - 1;
    if (Math.abs(by) < 1e-6) return [u, 1];
    const power = Math.exp(Math.min(by * u, LARGEST_EXPONENT));
    return [(power - 1) / by, by * u > LARGEST_EXPONENT ? 0 : power];
  },
} as const satisfies Readonly<Record<string, (u: number, alpha: number) => Curve>>;

function mapped<Name extends string, From, To>(
  table: Readonly<Record<Name, From>>,
  make: (from: From) => To,
): Readonly<Record<Name, To>> {
  const entries = Object.entries<From>(table).map(([name, from]) => [name, make(from)]);
  return Object.fromEntries(entries) as Readonly<Record<Name, To>>; // one for each name
}
