/**
 * What a method adds to the work of a step, for the estimate of time: in rows that go through the network, 1 for a row that
 * is prefilled, sampled or scored, 3 for one that is trained on (its backward pass is twice its forward pass).
 */

/** Mean tokens of a training prompt, and of a demonstrated answer, EOS included. */
export interface TypicalLengths {
  readonly prompt: number;
  readonly completion: number;
}

/** A row's passes, in forward passes. */
export const FORWARD = 1;
export const BACKWARD = 2;

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

/** Rows of a prompt and its completions. */
export function groupRows(samples: number, { prompt, completion }: TypicalLengths): number {
  return samples === 0 ? 0 : prompt + samples * completion;
}

/**
 * Rows of groups that are asked again, with help, where they have no right completion: on average. The share of dead groups
 * stands for that of groups without a right one, and for that of groups that a hint does not help.
 */
export function helpedRows(samples: number, lengths: TypicalLengths): number {
  return TYPICAL_DEAD_SHARE * groupRows(samples, lengths);
}
