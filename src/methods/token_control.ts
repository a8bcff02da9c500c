/** What a token control sees of a completion during sampling, and how it may change it. */
import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { Stateful } from './stateful.ts';
import type { StepContext } from './step_context.ts';

/** A completion during sampling; each call costs time at every token. */
export interface PartialCompletion {
  /** What it writes so far. */
  text(): string;
  /** A text in tokens: `writtenText`. */
  tokensOf(text: string): Int32Array;
  /** The verdict as if it had ended here. */
  verdict(): Verdict;
}

/** A vocabulary as text. */
export interface WrittenVocabulary {
  /** Tokens. */
  readonly size: number;
  /** Tokens that end a completion. */
  readonly ends: ReadonlySet<number>;
  /** What a token adds to a text. @param isFirst  there is nothing before it */
  text(token: number, isFirst: boolean): string;
}

/** Only a stage that has a control reads every token: one step per read. */
export interface TokenControl extends Stateful {
  /**
   * Multiplier of the sampling temperature at a position, above 0; 1: no change. Several controls multiply. A
   * completion with a token at another temperature is off-policy.
   */
  temperature?(place: number, context: StepContext): number;
  /** Called after each sampled token: ends the completion, or continues it with these tokens, which carry no loss. */
  after?(tokens: Int32Array, item: TaskItem, seen: PartialCompletion): 'stop' | readonly number[] | undefined;
  /**
   * Called when the policy has ended a completion: replaces its EOS with these tokens, which carry no loss. @param
   * tokens without EOS
   */
  atEnd?(tokens: Int32Array, item: TaskItem, seen: PartialCompletion): readonly number[] | undefined;
  /**
   * [vocabulary] 1 if a token may come next; undefined: all may. Log-probs are then relative to these tokens: the
   * sampler's, at every update, and under the reference. With several controls a token must be allowed by all. The
   * method uses `tokenSupport`.
   */
  allowed?(tokens: Int32Array, vocabulary: WrittenVocabulary): Uint8Array | undefined;
  /** The same for what top_k, top_p and min_p leave out. */
  readonly isTruncated?: true;
}
