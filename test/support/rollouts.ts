/** Rollouts, groups and sequences of a loss, by hand. */
import { rngFor } from '../../src/kernels/philox.ts';
import type { LossGradient, LossSequence } from '../../src/methods/points.ts';
import type { CreditedGroup, Rollout, Turn } from '../../src/methods/records.ts';
import { logSoftmaxRows } from '../../src/model/distributions.ts';
import { TOKEN } from '../../src/token_kinds.ts';

/** Figures by token that a method of the registry cannot do without. */
const FIGURES = ['refLogprobs', 'firstLogprobs', 'uniformKl'];

export function rolloutOf(tokens: number, reward: number | null): Rollout {
  return {
    tokens: new Int32Array(tokens),
    logprobs: new Float32Array(tokens),
    entropies: new Float32Array(tokens),
    keptLogMass: new Float32Array(tokens),
    figures: Object.fromEntries(FIGURES.map((id) => [id, new Float32Array(tokens)])),
    finishReason: 'eos',
    text: '',
    verdict: { score: reward ?? 0, status: 'correct', reason: '' },
    rewardParts: [reward],
    reward,
  };
}

/** An episode of turns of `own` tokens, an observation of `said` ones after all but the last. */
export function episodeOf(own: readonly number[], said: number, reward: number | null): Rollout {
  const lengths = own.flatMap((length, k) => (k + 1 < own.length ? [length, said] : [length]));
  const whole = rolloutOf(
    lengths.reduce((sum, length) => sum + length, 0),
    reward,
  );
  const labels = Uint8Array.from(
    lengths.flatMap((length, k) => Array<number>(length).fill(k % 2 === 0 ? TOKEN.sampled : TOKEN.given)),
  );
  let begin = 0;
  const turns = lengths.map((length, k): Turn => {
    const tokens = whole.tokens.subarray(begin, begin + length);
    begin += length;
    return { tokens, label: k % 2 === 0 ? 'policy' : 'environment', text: '' };
  });
  return { ...whole, labels, turns };
}

export function groupOf(rollouts: readonly Rollout[]): CreditedGroup {
  const item = { id: 'a', key: 'a', split: 'train', prompt: '', answer: '', identity: 'a', weight: 1 } as const;
  return { item, prompt: new Int32Array(1), rollouts, dead: false, advantages: new Float32Array(rollouts.length) };
}

/** A group of completions of these lengths and rewards. */
export function groupOfRewards(lengths: readonly number[], rewards: readonly (number | null)[]): CreditedGroup {
  return groupOf(lengths.map((length, i) => rolloutOf(length, rewards[i] ?? null)));
}

export function emptyGradients(sequences: readonly LossSequence[]): LossGradient[] {
  return sequences.map(({ logprobs: { length } }) => ({
    losses: new Float64Array(length),
    dLogprobs: new Float64Array(length),
    dEntropies: new Float64Array(length),
    dLogits: new Float64Array(length * VOCABULARY),
    dHidden: new Float64Array(length * HIDDEN),
  }));
}

/** Words of the distributions of random sequences, and numbers of their hidden rows. */
export const VOCABULARY = 5;
export const HIDDEN = 3;

/** [tokens × VOCABULARY] log-probs of random distributions, and of one near by. */
function randomDistributions(
  name: string,
  tokens: number,
): Required<Pick<LossSequence, 'distributions' | 'refDistributions'>> {
  const rng = rngFor(name);
  const logits = Float32Array.from({ length: tokens * VOCABULARY }, () => 4 * rng.float());
  const near = logits.map((value) => value + rng.float() - 0.5);
  return {
    distributions: logSoftmaxRows(logits, VOCABULARY, 1),
    refDistributions: logSoftmaxRows(near, VOCABULARY, 1),
  };
}

/** Sequences of random numbers in groups of `members`, the last token of each masked where there are several. */
export function randomSequences(seed: number, count: number, members = 4): LossSequence[] {
  const rng = rngFor(`sequences|${seed}`);
  const critic = rngFor(`critic|${seed}`);
  const real = (low: number, high: number): number => low + (high - low) * rng.float();
  const groups: CreditedGroup[] = [];
  for (let first = 0; first < count; first += members) {
    const size = Math.min(members, count - first);
    const rollouts = Array.from({ length: size }, (): Rollout => {
      const plain = rolloutOf(rng.int(1, 4), rng.int(0, 1));
      const learned = (): Float32Array => Float32Array.from(plain.tokens, () => 2 * critic.float() - 1);
      const rollout = { ...plain, values: learned(), returns: learned() };
      rollout.keptLogMass.forEach((_, t, masses) => {
        masses[t] = real(-0.3, 0);
      });
      return rollout;
    });
    groups.push(groupOf(rollouts));
  }
  return groups.flatMap((group) =>
    group.rollouts.map((rollout, place): LossSequence => {
      const { length } = rollout.tokens;
      const each = (low: number, high: number): Float32Array => Float32Array.from({ length }, () => real(low, high));
      const logprobs = each(-3, -0.1);
      const near = (): Float32Array => logprobs.map((value, t) => value + each(-0.5, 0.5)[t]);
      const [oldLogprobs, refLogprobs] = [near(), near()];
      const distributions = randomDistributions(`distributions|${seed}|${place}`, length);
      return {
        group,
        rollout,
        logprobs,
        oldLogprobs,
        refLogprobs,
        entropies: each(0, 2),
        advantages: each(-2, 2),
        weights: each(0.5, 1),
        coefficients: each(0.1, 1).map((value, t) => (length > 1 && t === length - 1 ? 0 : value)),
        ...distributions,
        hidden: Float32Array.from({ length: length * HIDDEN }, () => 2 * critic.float() - 1),
        teacher: {
          logprobs: refLogprobs,
          distributions: randomDistributions(`teacher|${seed}|${place}`, length).distributions,
        },
      };
    }),
  );
}
