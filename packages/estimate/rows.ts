/** Rows that go through the network, as `Work` counts them. */
import { TYPICAL_DEAD_SHARE, type TypicalLengths } from '../../src/methods/work.ts';

/** A row's passes, in forward passes. */
export const FORWARD = 1;
export const BACKWARD = 2;

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
