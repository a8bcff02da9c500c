/** A sequence while it is sampled: a prefix that others may share, and its own tokens, turn by turn. */
import { BackendError } from '../../errors.ts';
import type { FinishReason } from '../../finish_reason.ts';
import { TOKEN } from '../../token_kinds.ts';

/**
 * Tokens that a sampler grows. With its `prefix`, `tokens` and `labels` it is a `Sequence`, ready to be packed. The
 * arrays are views of what there is so far; they do not grow.
 */
export interface SampledSequence {
  readonly prefix: Int32Array;
  /** Keys its random draws, together with each token's position among `tokens`. */
  readonly rolloutNumber: number;
  /** As sampled and as given, in order; a stop id that was sampled is one of them. */
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN: sampled, or given (forced, or inherited by a fork). */
  readonly labels: Uint8Array;
  /** [tokens] tempered, full vocabulary; 0 where a token was forced, and the parent's where it was inherited. */
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  /** [tokens] log of the probability mass that top-k, top-p and min-p kept; 0 when they are off. */
  readonly keptLogMass: Float32Array;
  /** Why the last turn ended: a stop id came (`eos`), or a limit (`length`). undefined where a turn is open. */
  readonly finishReason: FinishReason | undefined;
}

/** A prefix in the cache. */
export interface CachedPrefix {
  readonly key: string;
  readonly tokens: Int32Array;
  readonly kvBegin: number;
  /** Sequences that read it. */
  users: number;
  /** Its tokens whose keys and values are in the cache. */
  fed: number;
  /** The step in which its last token went in, and the row that it had. */
  lastStep: number;
  lastRow: number;
  /** [tokens] the rows of `slots.rollout` that they went in by. */
  readonly inputRows: Int32Array;
  /** What it begins with as another does, whose rows may be copied. */
  readonly opening: Opening | undefined;
  /** The step in which it attended to the rows of the other, which are copied after it. */
  openedIn: number;
}

/** The first tokens of a prefix, where another has the same. */
export interface Opening {
  readonly of: CachedPrefix;
  readonly length: number;
}

/** Limits and ends of a sequence's turns. */
export interface TurnRules {
  /** Tokens that end a turn; the one that came stays in the sequence. */
  readonly stopIds: readonly number[];
  /** Tokens that a turn samples at most. */
  readonly maxTokens: number;
  /** Tokens that a sequence may have after its prefix, over all turns and forced ones included. */
  readonly room: number;
}

/** What the sampler knows of a sequence; arrays have its whole room. */
export class SequenceState implements SampledSequence {
  readonly source: CachedPrefix;
  readonly rolloutNumber: number;
  readonly rules: TurnRules;
  /** First cache row of its own tokens; all but the last that it may have take one. */
  readonly kvBegin: number;
  finishReason: FinishReason | undefined;
  count = 0;
  /** Its tokens whose keys and values are in the cache: never the newest, since sampling reads its output. */
  fed = 0;
  /** The step in which rows of its own tokens were computed last, and how many there were before it. */
  fedIn = -1;
  fedBefore = 0;
  /** Another sequence that has the rows of its first `held` tokens (`shared_rows.ts`); it has none of its own then. */
  holder: SequenceState | undefined;
  held = 0;
  /** The row of its newest token in the step. */
  row = 0;
  /** Tokens sampled in this turn. */
  turnTokens = 0;
  isActive = false;
  readonly inputRows: Int32Array;
  readonly #tokens: Int32Array;
  readonly #labels: Uint8Array;
  readonly #logprobs: Float32Array;
  readonly #entropies: Float32Array;
  readonly #keptLogMass: Float32Array;

  constructor(
    source: CachedPrefix,
    rolloutNumber: number,
    rules: TurnRules,
    { kvBegin, keeps }: { readonly kvBegin: number; readonly keeps: boolean },
  ) {
    this.source = source;
    this.rolloutNumber = rolloutNumber;
    this.rules = rules;
    this.kvBegin = kvBegin;
    // One buffer: there are hundreds of sequences in a step, and each buffer costs more than its bytes.
    const { room } = rules;
    const kept = keeps ? room : 0;
    const buffer = new ArrayBuffer(17 * room + 4 * kept);
    this.#tokens = new Int32Array(buffer, 0, room);
    this.#logprobs = new Float32Array(buffer, 4 * room, room);
    this.#entropies = new Float32Array(buffer, 8 * room, room);
    this.#keptLogMass = new Float32Array(buffer, 12 * room, room);
    this.inputRows = new Int32Array(buffer, 16 * room, kept);
    this.#labels = new Uint8Array(buffer, 16 * room + 4 * kept, room);
  }

  get prefix(): Int32Array {
    return this.source.tokens;
  }

  get tokens(): Int32Array {
    return this.#tokens.subarray(0, this.count);
  }

  get labels(): Uint8Array {
    return this.#labels.subarray(0, this.count);
  }

  get logprobs(): Float32Array {
    return this.#logprobs.subarray(0, this.count);
  }

  get entropies(): Float32Array {
    return this.#entropies.subarray(0, this.count);
  }

  get keptLogMass(): Float32Array {
    return this.#keptLogMass.subarray(0, this.count);
  }

  token(index: number): number {
    return this.#tokens[index] as number;
  }

  /** Tokens that this turn may still sample. */
  get remaining(): number {
    return Math.min(this.rules.maxTokens - this.turnTokens, this.rules.room - this.count);
  }

  /** Takes a sampled token; the turn may end with it. */
  push(token: number, logprob: number, entropy: number, keptLogMass: number): void {
    const at = this.count++;
    this.#tokens[at] = token;
    this.#logprobs[at] = logprob;
    this.#entropies[at] = entropy;
    this.#keptLogMass[at] = keptLogMass;
    this.turnTokens++;
    if (this.rules.stopIds.includes(token)) this.finishReason = 'eos';
    else if (this.remaining <= 0) this.finishReason = 'length';
  }

  /** Without its newest token, which no step has read yet. */
  takeBack(): void {
    if (this.finishReason !== 'eos') throw new BackendError('sequence', 'no stop id has ended the sequence — append.');
    this.count--;
    this.#logprobs[this.count] = 0;
    this.#entropies[this.count] = 0;
    this.#keptLogMass[this.count] = 0;
  }

  /** Forced tokens; the next turn is open. */
  append(tokens: ArrayLike<number>): void {
    this.#tokens.set(tokens, this.count);
    this.#labels.fill(TOKEN.given, this.count, this.count + tokens.length);
    this.count += tokens.length;
    this.turnTokens = 0;
    this.finishReason = undefined;
  }

  /** The first `cut` tokens of another sequence, with what is known of them. */
  inherit(parent: SampledSequence, cut: number): void {
    this.append(parent.tokens.subarray(0, cut));
    this.#logprobs.set(parent.logprobs.subarray(0, cut));
    this.#entropies.set(parent.entropies.subarray(0, cut));
    this.#keptLogMass.set(parent.keptLogMass.subarray(0, cut));
  }
}
