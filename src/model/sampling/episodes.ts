/**
 * Samples episodes: the policy writes a turn, a caller answers it, and the policy writes the next one, until the
 * episode ends. The answer's tokens follow the turn's, of kind `given`, and go in with the same step as the first token
 * after them; nothing is computed twice, so that an episode costs what its tokens would cost in one turn.
 *
 * A turn that has ended leaves the batch until its answer arrives, while the others continue; the next episode takes
 * the cache rows of one that has ended. Neither changes what is sampled: a token is a function of (weights, tokens
 * before it, sampling key, rollout number, position) alone.
 */
import type { FinishReason } from '../../finish_reason.ts';
import { nextTask } from '../../kernels/next_task.ts';
import type { Policy } from '../policy.ts';
import type { Completion, GenerationRequest, GenerationSettings, KeptGeneration } from './generation.ts';
import { completionOf, fitsKept, maxTokens } from './generation.ts';
import type { SampledSequence } from './sampled_sequence.ts';
import { openSampler, type Sampler } from './sampler.ts';

/** A turn that has just ended. */
export interface EndedTurn {
  /** Index of its request, and of its completion in it. */
  readonly request: number;
  readonly completion: number;
  /** All tokens of the episode so far; the turn's are those from `begin`. Valid until the turn is answered. */
  readonly tokens: Int32Array;
  readonly begin: number;
  /** [tokens] as `Completion` has them. */
  readonly logprobs: Float32Array;
  readonly keptLogMass: Float32Array;
  /** Why the turn ended. */
  readonly finishReason: FinishReason;
}

/** The tokens between a turn and the next one, or the end of the episode. */
export type TurnAnswer = readonly number[] | Int32Array | 'stop';

/** What answers the policy's turns. */
export interface TurnControl {
  /** Most tokens of a turn of each request. */
  readonly turnTokens: readonly number[];
  /** Most episodes that may be under way at once; default: as many as the cache has room for. */
  readonly mostAtOnce?: number;
  /** [ended] answers to turns that have ended, in order. No other episode waits for a promise. */
  after(ended: readonly EndedTurn[]): readonly (TurnAnswer | Promise<TurnAnswer>)[];
}

/** An episode under way. */
interface Episode {
  readonly request: number;
  readonly completion: number;
  readonly sequence: SampledSequence;
  /** Where its turn begins. */
  begin: number;
}

/**
 * Episodes of each request, in order; their activations stay if `keep` is set and there is room for all of them. An
 * episode's prefix is given, and its first turn follows it. An episode that has no room for an answer and a token after
 * it ends with reason `length`.
 */
export async function generateEpisodes(
  policy: Policy,
  requests: readonly GenerationRequest[],
  settings: GenerationSettings & { readonly keep?: boolean },
  turns: TurnControl,
): Promise<KeptGeneration> {
  const keep = fitsKept(policy, requests, maxTokens(settings)) && settings.keep;
  return new EpisodeRun(openSampler(policy, { ...settings, keep }), requests, settings, turns).toTheEnd();
}

class EpisodeRun {
  readonly #sampler: Sampler;
  readonly #requests: readonly GenerationRequest[];
  readonly #settings: GenerationSettings;
  readonly #turns: TurnControl;
  /** [requests][completions] */
  readonly #completions: Completion[][];
  readonly #sequences: SampledSequence[][];
  /** Not begun yet, in order. */
  readonly #waiting: { readonly request: number; readonly completion: number }[];
  readonly #sampling = new Set<Episode>();
  /** Answers that are still to come. */
  readonly #answering = new Set<Promise<void>>();
  /** Episodes that have begun and not ended. */
  #underWay = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    sampler: Sampler,
    requests: readonly GenerationRequest[],
    settings: GenerationSettings,
    turns: TurnControl,
  ) {
    this.#sampler = sampler;
    this.#requests = requests;
    this.#settings = settings;
    this.#turns = turns;
    this.#completions = requests.map(() => []);
    this.#sequences = requests.map(() => []);
    this.#waiting = requests.flatMap(({ rolloutNumbers }, request) =>
      rolloutNumbers.map((_, completion) => ({ request, completion })),
    );
  }

  async toTheEnd(): Promise<KeptGeneration> {
    while (this.#waiting.length + this.#sampling.size + this.#answering.size > 0) {
      if (this.#failure) throw this.#failure.error;
      this.#beginWaiting();
      if (this.#sampling.size === 0) await Promise.race(this.#answering);
      else await this.#untilTurnsEnd();
    }
    if (this.#failure) throw this.#failure.error;
    return {
      completions: this.#completions,
      places: this.#sampler.keeps ? this.#sequences.map((group) => this.#sampler.keptRows(group)) : undefined,
    };
  }

  /** Begins episodes while the cache has room for their greatest length. */
  #beginWaiting(): void {
    const { mostAtOnce = Number.POSITIVE_INFINITY } = this.#turns;
    while (this.#waiting.length > 0 && this.#underWay < mostAtOnce) {
      const [{ request, completion }] = this.#waiting;
      const { prompt: prefix, rolloutNumbers, prefixes } = this.#requests[request];
      const { stopIds } = this.#settings;
      const added = this.#sampler.tryAdd({
        prefix,
        rolloutNumbers: [rolloutNumbers[completion]],
        stopIds,
        maxTokens: this.#turns.turnTokens[request],
        room: maxTokens(this.#settings),
      });
      if (added === undefined) return;
      this.#waiting.shift();
      this.#underWay++;
      const [sequence] = added;
      this.#sequences[request][completion] = sequence;
      const opening = prefixes?.[completion] ?? [];
      if (opening.length > 0) this.#sampler.append(sequence, opening);
      this.#sampling.add({ request, completion, sequence, begin: opening.length });
    }
  }

  async #untilTurnsEnd(): Promise<void> {
    const sequences = [...this.#sampling].map(({ sequence }) => sequence);
    await this.#sampler.run(sequences, 'one ends');
    const ended = [...this.#sampling].filter(({ sequence }) => sequence.finishReason !== undefined);
    for (const episode of ended) this.#sampling.delete(episode);
    const answers = this.#turns.after(
      ended.map(({ request, completion, sequence, begin }) => {
        const { tokens, logprobs, keptLogMass, finishReason = 'length' } = sequence;
        return { request, completion, tokens, begin, logprobs, keptLogMass, finishReason };
      }),
    );
    ended.forEach((episode, i) => {
      const answer = answers[i];
      if (answer instanceof Promise) this.#goOnAfter(episode, answer);
      else this.#goOn(episode, answer);
    });
    if (answers.some((answer) => answer instanceof Promise)) await nextTask(); // what was asked goes out, and answers come in, while the others are sampled on
  }

  #goOnAfter(episode: Episode, answer: Promise<TurnAnswer>): void {
    const answering: Promise<void> = answer
      .then((given) => this.#goOn(episode, given))
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }

  #goOn(episode: Episode, answer: TurnAnswer): void {
    const { sequence } = episode;
    if (answer === 'stop') this.#end(episode, sequence.finishReason ?? 'length');
    else if (sequence.tokens.length + answer.length >= maxTokens(this.#settings)) this.#end(episode, 'length');
    else {
      this.#sampler.append(sequence, answer);
      episode.begin = sequence.tokens.length;
      this.#sampling.add(episode);
    }
  }

  #end({ request, completion, sequence }: Episode, finishReason: FinishReason): void {
    this.#completions[request][completion] = completionOf(sequence, finishReason);
    this.#underWay--;
    if (!this.#sampler.keeps) this.#sampler.release([sequence]); // else it keeps its place in the cache
  }
}
