/**
 * What a method adds to the work of a step, for the estimate of time: in rows that go through the network, 1 for a row that
 * is prefilled, sampled or scored, 3 for one that is trained on (its backward pass is twice its forward pass).
 */

/** Mean tokens of a training prompt, and of a demonstrated answer, EOS included. */
export interface TypicalLengths {
  readonly prompt: number;
  readonly completion: number;
}

/** Share of dead groups over a whole run, as the shipped configs with refill have it. */
export const TYPICAL_DEAD_SHARE = 0.2;

/** What is not said is as in plain sampling. */
export interface Work {
  /** Groups that are asked for each that is trained on. */
  readonly groups?: number;
  /** Completions that are sampled for each of a group. */
  readonly samples?: number;
  /** Rows that are sampled or scored besides, for each group that is asked. */
  readonly rows?: number;
  /** Rows besides, for each optimizer step. */
  readonly stepRows?: number;
  /** It scores what was sampled, after which the update computes the forward pass again. */
  readonly scores?: true;
}
