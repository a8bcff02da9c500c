/** A sequence while it is sampled: a prefix that others may share, and its own tokens, turn by turn. */
import { BackendError } from '../../errors.ts';
import type { FinishReason } from '../../finish_reason.ts';
import { TOKEN } from '../../token_kinds.ts';

/**
 * Tokens that a sampler grows. With its `prefix`, `tokens` and `labels` it is a `Sequence`, ready to be packed. The
 * arrays are views of the tokens so far; they do not grow.
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
  /** A sequence that had a row of its first token in step `branchedIn`; its `nextBranch` is another, of another token. */
  branch: SequenceState | undefined;
  branchedIn: number;
  /** The opening that it shares with another prefix, whose rows may be copied. */
  readonly opening: Opening | undefined;
  /** The step in which it attended to the other's rows, which are copied afterwards. */
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

/** Cache rows of a sequence's own tokens: its last token is sampled, never read. */
export function ownRows({ room }: TurnRules): number {
  return Math.max(0, room - 1);
}

/**
 * Token arrays of sequences that are added together, one after the other. A step has hundreds of sequences, and
 * separate arrays would cost each of them more than its tokens.
 */
export class TokenArrays {
  readonly tokens: Int32Array;
  readonly labels: Uint8Array;
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  readonly keptLogMass: Float32Array;
  /** The rows of `slots.rollout` that tokens went in by; empty where these are not kept. */
  readonly inputRows: Int32Array;
  #taken = 0;

  constructor(tokens: number, { keeps }: { readonly keeps: boolean }) {
    this.tokens = new Int32Array(tokens);
    this.labels = new Uint8Array(tokens);
    this.logprobs = new Float32Array(tokens);
    this.entropies = new Float32Array(tokens);
    this.keptLogMass = new Float32Array(tokens);
    this.inputRows = new Int32Array(keeps ? tokens : 0);
  }

  /** Room of a sequence. @returns where it begins */
  take(room: number): number {
    this.#taken += room;
    return this.#taken - room;
  }
}

/** The sampler's state of a sequence. */
export class SequenceState implements SampledSequence {
  readonly source: CachedPrefix;
  readonly rolloutNumber: number;
  readonly rules: TurnRules;
  /** First cache row of its own tokens; each but the last takes a row. */
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
  /** A sequence that had a row of the token after those held here, in step `branchedIn`: itself, or one that shared them. */
  branch: SequenceState | undefined;
  branchedIn = -1;
  /** Another one of the same step and trunk (`shared_rows.ts`), of another token. */
  nextBranch: SequenceState | undefined;
  /** The row of its newest token in the step. */
  row = 0;
  /** Tokens sampled in this turn. */
  turnTokens = 0;
  isActive = false;
  readonly #arrays: TokenArrays;
  /** Where its own tokens begin in the arrays. */
  readonly #begin: number;

  /** @param place  its cache rows, and arrays that have room for it */
  constructor(
    source: CachedPrefix,
    rolloutNumber: number,
    rules: TurnRules,
    { kvBegin, arrays }: { readonly kvBegin: number; readonly arrays: TokenArrays },
  ) {
    this.source = source;
    this.rolloutNumber = rolloutNumber;
    this.rules = rules;
    this.kvBegin = kvBegin;
    this.#arrays = arrays;
    this.#begin = arrays.take(rules.room);
  }

  get prefix(): Int32Array {
    return this.source.tokens;
  }

  get tokens(): Int32Array {
    return this.#arrays.tokens.subarray(this.#begin, this.#begin + this.count);
  }

  get labels(): Uint8Array {
    return this.#arrays.labels.subarray(this.#begin, this.#begin + this.count);
  }

  get logprobs(): Float32Array {
    return this.#arrays.logprobs.subarray(this.#begin, this.#begin + this.count);
  }

  get entropies(): Float32Array {
    return this.#arrays.entropies.subarray(this.#begin, this.#begin + this.count);
  }

  get keptLogMass(): Float32Array {
    return this.#arrays.keptLogMass.subarray(this.#begin, this.#begin + this.count);
  }

  token(index: number): number {
    return this.#arrays.tokens[this.#begin + index] as number;
  }

  /** Notes the row of `slots.rollout` that a token goes in by, where these are kept. */
  setInputRow(index: number, row: number): void {
    this.#arrays.inputRows[this.#begin + index] = row;
  }

  /** The rows of `slots.rollout` that its first `length` tokens went in by; empty where these are not kept. */
  inputRows(length: number): Int32Array {
    return this.#arrays.inputRows.subarray(this.#begin, this.#begin + length);
  }

  /** Takes over the rows of its first `length` tokens from another sequence. */
  takeInputRows(from: SequenceState, length: number): void {
    const { inputRows } = this.#arrays;
    if (inputRows.length > 0) inputRows.set(from.inputRows(length), this.#begin);
  }

  /** Tokens that this turn may still sample. */
  get remaining(): number {
    return Math.min(this.rules.maxTokens - this.turnTokens, this.rules.room - this.count);
  }

  /** Takes a sampled token; the turn may end with it. */
  push(token: number, logprob: number, entropy: number, keptLogMass: number): void {
    const { tokens, logprobs, entropies, keptLogMass: masses } = this.#arrays;
    const at = this.#begin + this.count++;
    tokens[at] = token;
    logprobs[at] = logprob;
    entropies[at] = entropy;
    masses[at] = keptLogMass;
    this.turnTokens++;
    if (this.rules.stopIds.includes(token)) this.finishReason = 'eos';
    else if (this.remaining <= 0) this.finishReason = 'length';
  }

  /** Removes its newest token, which no step has read yet. */
  takeBack(): void {
    if (this.finishReason !== 'eos') throw new BackendError('sequence', 'no stop id has ended the sequence — append.');
    const at = this.#begin + --this.count;
    this.#arrays.logprobs[at] = 0;
    this.#arrays.entropies[at] = 0;
    this.#arrays.keptLogMass[at] = 0;
  }

  /** Appends forced tokens and opens the next turn. */
  append(tokens: ArrayLike<number>): void {
    const at = this.#begin + this.count;
    this.#arrays.tokens.set(tokens, at);
    this.#arrays.labels.fill(TOKEN.given, at, at + tokens.length);
    this.count += tokens.length;
    this.turnTokens = 0;
    this.finishReason = undefined;
  }

  /** Copies the first `cut` tokens of another sequence, with their log-probs. */
  inherit(parent: SampledSequence, cut: number): void {
    this.append(parent.tokens.subarray(0, cut));
    this.#arrays.logprobs.set(parent.logprobs.subarray(0, cut), this.#begin);
    this.#arrays.entropies.set(parent.entropies.subarray(0, cut), this.#begin);
    this.#arrays.keptLogMass.set(parent.keptLogMass.subarray(0, cut), this.#begin);
  }
}
