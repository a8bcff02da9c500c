/**
 * Draws tokens on the host, among those that a caller allows or that top-k, top-p and min-p keep. The engine gives the
 * whole distribution, as it does in scoring, so that a token's log-prob is the scorer's (`../support.ts`), bit for bit.
 * If everything is allowed, the engine's draw stays.
 *
 * The uniform numbers are those of the engine's draw.
 */
import { BackendError } from '../../errors.ts';
import { inverseCdf, keptMasses, philoxUniform } from '../../kernels/reference/sample.ts';
import { TOKEN } from '../../token_kinds.ts';
import type { Policy } from '../policy.ts';
import { holds, isWhole, narrowed, supportBytes, supportOf } from '../support.ts';
import type { Sampled } from './decoder.ts';
import type { SamplerSettings, TokenDraws } from './sample_request.ts';
import type { SampleSteps } from './sample_steps.ts';
import type { SampledSequence } from './sampled_sequence.ts';
import type { StepSettings } from './settings.ts';

/** What may be sampled next. */
export interface Narrowing {
  /** The tokens that may come next, as bits (`../support.ts`); undefined: all of them. */
  readonly allowed?: (tokens: Int32Array, rolloutNumber: number) => Uint8Array | undefined;
  /** Tokens that top-k, top-p and min-p leave out count as not allowed, so that log-probs are relative to the rest. */
  readonly isTruncated?: boolean;
}

type DrawSettings = Pick<SamplerSettings, 'sampling' | 'samplingKey'> & StepSettings;

export class NarrowedDraws implements TokenDraws {
  readonly most: number;
  readonly #policy: Policy;
  readonly #settings: DrawSettings;
  readonly #steps: SampleSteps;
  readonly #narrowing: Narrowing;
  readonly #supports = new WeakMap<SampledSequence, Map<number, Uint8Array>>();

  constructor(policy: Policy, settings: DrawSettings, narrowing: Narrowing) {
    this.most = policy.capacity.outputRows?.distributions ?? 0;
    if (this.most === 0) {
      throw new BackendError('capacity', 'this policy was opened without distributions, of which tokens are drawn.');
    }
    this.#policy = policy;
    this.#settings = settings;
    this.#steps = policy.stepsOf(settings);
    this.#narrowing = narrowing;
  }

  async redraw(sequences: readonly SampledSequence[], sampled: Sampled, temperature: number): Promise<Sampled> {
    const { allowed, isTruncated = false } = this.#narrowing;
    const masks = sequences.map(({ tokens, rolloutNumber }) => allowed?.(tokens, rolloutNumber));
    if (!isTruncated && masks.every((mask) => mask === undefined)) return sampled;
    const width = this.#policy.shape.vocabSize;
    const all = await this.#steps.distributions(sequences.length, temperature || 1);
    const tokens = Array.from(sampled.tokens);
    const drawn = {
      logprobs: Array.from(sampled.logprobs),
      entropies: Array.from(sampled.entropies),
      keptLogMass: Array.from(sampled.keptLogMass),
    };
    sequences.forEach((sequence, i) => {
      if (masks[i] === undefined && !isTruncated) return;
      const tokenLogprobs = all.subarray(i * width, (i + 1) * width);
      const { token, kept, keptLogMass } = this.#draw(tokenLogprobs, sequence, masks[i], temperature);
      const support = isTruncated ? kept : (masks[i] ?? kept);
      const { logprob, entropy } = narrowed(tokenLogprobs, support, token);
      tokens[i] = token;
      drawn.logprobs[i] = logprob;
      drawn.entropies[i] = entropy;
      drawn.keptLogMass[i] = keptLogMass;
      this.#supportsOf(sequence).set(sequence.tokens.length, support);
    });
    return { tokens, ...drawn };
  }

  #draw(
    logprobs: Float32Array,
    { rolloutNumber, tokens }: SampledSequence,
    mask: Uint8Array | undefined,
    temperature: number,
  ): { readonly token: number; readonly kept: Uint8Array; readonly keptLogMass: number } {
    const { sampling, samplingKey } = this.#settings;
    const isGreedy = temperature === 0;
    const among = Float64Array.from(logprobs, (logprob, v) =>
      mask === undefined || holds(mask, v) ? logprob : Number.NEGATIVE_INFINITY,
    );
    const filters = {
      topK: isGreedy ? 1 : sampling.topK,
      topP: isGreedy ? 1 : sampling.topP,
      minP: isGreedy ? 0 : (sampling.minP ?? 0),
    };
    const masses = keptMasses(among, filters);
    const counter = [tokens.length, rolloutNumber | 0, Math.floor(rolloutNumber / 2 ** 32), 0];
    const total = (values: Float64Array): number => values.reduce((sum, mass) => sum + mass, 0);
    const everything = (): Float64Array => keptMasses(among, { topK: 0, topP: 1, minP: 0 });
    const isRenormalised = isGreedy || this.#narrowing.isTruncated === true;
    return {
      token: inverseCdf(masses, philoxUniform(counter, samplingKey)),
      kept: supportOf(masses.length, (v) => masses[v] > 0),
      keptLogMass: isRenormalised ? 0 : Math.log(total(masses) / total(everything())),
    };
  }

  /** Support of each token of a sequence; undefined if it was everything, throughout. */
  supportOf(sequence: SampledSequence): Uint8Array | undefined {
    const tokenSupports = this.#supports.get(sequence);
    const width = supportBytes(this.#policy.shape.vocabSize);
    const all = new Uint8Array(sequence.tokens.length * width).fill(255);
    for (const [at, support] of tokenSupports ?? []) {
      if (at < sequence.tokens.length && sequence.labels[at] === TOKEN.sampled) all.set(support, at * width);
    }
    return isWhole(all) ? undefined : all;
  }

  #supportsOf(sequence: SampledSequence): Map<number, Uint8Array> {
    const tokenSupports = this.#supports.get(sequence) ?? new Map<number, Uint8Array>();
    this.#supports.set(sequence, tokenSupports);
    return tokenSupports;
  }
}
