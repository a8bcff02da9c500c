/** What a token control sees of a completion while it is sampled, and what it may do to it. */
import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { Stateful } from './stateful.ts';
import type { StepContext } from './step_context.ts';

/** A completion while it is sampled; what is asked of it costs time at each token. */
export interface PartialCompletion {
  /** What it writes so far. */
  text(): string;
  /** A text in tokens: `writtenText`. */
  tokensOf(text: string): Int32Array;
  /** As if it had ended here. */
  verdict(): Verdict;
}

/** A vocabulary as text. */
export interface WrittenVocabulary {
  /** Tokens. */
  readonly size: number;
  /** Those that end a completion. */
  readonly ends: ReadonlySet<number>;
  /** What a token adds to a text. @param isFirst  there is nothing before it */
  text(token: number, isFirst: boolean): string;
}

/** Only a stage that has a control reads every token: one step per read. */
export interface TokenControl extends Stateful {
  /**
   * By how much the temperature at a place of a completion is another one than that which it is sampled at, above 0; 1: not
   * at all. Of several controls they multiply. A completion that has a token at another temperature is off-policy.
   */
  temperature?(place: number, context: StepContext): number;
  /** After each sampled token of a completion: ends it, or continues it with these tokens, which carry no loss. */
  after?(tokens: Int32Array, item: TaskItem, seen: PartialCompletion): 'stop' | readonly number[] | undefined;
  /**
   * Where the policy has ended a completion: continues it with these tokens in the place of its end, which is taken back.
   * They carry no loss. @param tokens  without the end
   */
  atEnd?(tokens: Int32Array, item: TaskItem, seen: PartialCompletion): readonly number[] | undefined;
  /**
   * [vocabulary] 1 where a token may come next; undefined: all of them may. Log-probs are then of the policy among these: the
   * sampler's, at every update, and under the reference. Of several controls a token needs the leave of all. The method uses
   * `tokenSupport`.
   */
  allowed?(tokens: Int32Array, vocabulary: WrittenVocabulary): Uint8Array | undefined;
  /** The same of what top_k, top_p and min_p leave out. */
  readonly isTruncated?: true;
}
