/**
 * Many requests in one batch: each joins as soon as there is room, and leaves at its end (continuous batching).
 *
 * A token depends on weights, prompt, seed, sample and place alone, so an answer has the bits that it has when it is asked
 * alone. Requests are taken in their order; one that samples otherwise than those that are being answered waits for
 * their end, since a step has one temperature and one seed.
 */
import { samplingKey } from '../../src/grpo/run.ts';
import type { Policy } from '../../src/model/policy.ts';
import { type Completion, completionOf } from '../../src/model/sampling/generation.ts';
import type { SampledSequence } from '../../src/model/sampling/sampled_sequence.ts';
import { openSampler, type Sampler } from '../../src/model/sampling/sampler.ts';
import type { SamplingSettings } from '../../src/model/sampling/settings.ts';

/** A prompt, and how it is answered. */
export interface Question {
  readonly prompt: Int32Array;
  readonly sampling: SamplingSettings;
  /** Answers to it. */
  readonly n: number;
  /** Equal seeds give equal answers; absent: draws that no other question has. */
  readonly seed?: number;
  readonly maxTokens: number;
  readonly stopIds: readonly number[];
  /** An answer has as many tokens as it may have, whatever they are. */
  readonly isFixed?: boolean;
  /** Called with each answer as it grows; `true` ends it. */
  readonly onToken?: (sample: number, answer: SampledSequence) => boolean;
  /** Ends it: whoever asked has gone. */
  readonly signal?: AbortSignal;
}

/** One answer to a question, from when it is asked to its end. */
interface Part {
  readonly question: Question;
  readonly key: string;
  readonly sample: number;
  readonly rolloutNumber: number;
  readonly resolve: (completion: Completion) => void;
  readonly reject: (error: unknown) => void;
}

/** A part that is being sampled. */
interface OpenPart extends Part {
  readonly sequence: SampledSequence;
}

/** Draws of questions without a seed: the n-th of them has the n-th rollout number. */
const UNSEEDED = 'served';

export class AnswerQueue {
  readonly #policy: Policy;
  readonly #waiting: Part[] = [];
  #open: OpenPart[] = [];
  #sampler: { readonly key: string; readonly sampler: Sampler } | undefined;
  #isServing = false;
  #unseeded = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Answers that are being sampled, and those that wait. */
  get load(): { readonly open: number; readonly waiting: number } {
    return { open: this.#open.length, waiting: this.#waiting.length };
  }

  /**
   * @returns [n] completions
   * @throws BackendError where the policy has no room for it; the reason of its signal
   */
  async ask(question: Question): Promise<Completion[]> {
    const { n, seed, sampling } = question;
    const key = JSON.stringify([seed, sampling]);
    const answers = Array.from({ length: n }, (_, sample) => {
      const rolloutNumber = seed === undefined ? this.#unseeded++ : sample;
      return new Promise<Completion>((resolve, reject) =>
        this.#waiting.push({ question, key, sample, rolloutNumber, resolve, reject }),
      );
    });
    if (!this.#isServing) void this.#serve();
    return Promise.all(answers);
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.length > 0 || this.#open.length > 0) {
      this.#admit();
      if (this.#open.length === 0) continue;
      const sampler = this.#sampler?.sampler as Sampler; // `#admit` has opened it
      try {
        const sequences = this.#open.map(({ sequence }) => sequence);
        await sampler.run(sequences, 'one ends');
        this.#open = this.#open.filter((part) => this.#isOpenAfterTurn(sampler, part));
      } catch (error) {
        for (const { reject } of this.#open) reject(error);
        this.#open = [];
        this.#sampler = undefined;
      }
    }
    this.#isServing = false;
  }

  /** Takes those that come next, as far as there is room. */
  #admit(): void {
    while (this.#waiting.length > 0 && this.#open.length < this.#policy.capacity.completions) {
      const [part] = this.#waiting;
      const { question, key, rolloutNumber, reject } = part;
      const { prompt, stopIds, maxTokens, signal } = question;
      if (signal?.aborted) {
        this.#waiting.shift();
        reject(signal.reason);
        continue;
      }
      if (key !== this.#sampler?.key) {
        if (this.#open.length > 0) return;
        const { seed, sampling } = question;
        const words = seed === undefined ? samplingKey(0, UNSEEDED) : samplingKey(seed, 'sample');
        this.#sampler = { key, sampler: openSampler(this.#policy, { sampling, samplingKey: words }) };
      }
      try {
        // Turns of one token: after each of them an answer may end, and others may join.
        const request = { prefix: prompt, rolloutNumbers: [rolloutNumber], stopIds, maxTokens: 1, room: maxTokens };
        const [sequence] = this.#sampler.sampler.tryAdd(request) ?? [];
        if (sequence === undefined) return;
        this.#open.push({ ...part, sequence });
      } catch (error) {
        reject(error);
      }
      this.#waiting.shift();
    }
  }

  /** After a turn of one token: whether another follows. */
  #isOpenAfterTurn(sampler: Sampler, part: OpenPart): boolean {
    const { sequence, sample, resolve, reject } = part;
    const { maxTokens, isFixed = false, onToken, signal } = part.question;
    if (sequence.finishReason === undefined) return true; // its prompt is not all read yet
    const isStopped = signal?.aborted === true || onToken?.(sample, sequence) === true;
    const isEnded = sequence.finishReason === 'eos' || sequence.tokens.length >= maxTokens;
    if (!isStopped && !isEnded) {
      sampler.append(sequence, []);
      return true;
    }
    const reason = sequence.finishReason === 'eos' ? 'eos' : isFixed || isStopped ? 'stop' : 'length';
    if (signal?.aborted) reject(signal.reason);
    else resolve(completionOf(sequence, reason));
    sampler.release([sequence]);
    return false;
  }
}
