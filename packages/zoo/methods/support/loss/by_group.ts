/** Sequences of a micro-batch by group, for objectives in which the completions of a group depend on each other. */
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { ownWeight } from '../../../../../src/methods/support/loss/surrogate_term.ts';

/** The places of each group's sequences: a micro-batch is whole groups, one after the other. */
export function placesByGroup(sequences: readonly LossSequence[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  sequences.forEach(({ group }, i) => {
    if (i > 0 && sequences[i - 1].group === group) groups[groups.length - 1].push(i);
    else groups.push([i]);
  });
  return groups;
}

/** Tokens that carry a loss, and the sum of what they weigh in the policy's own term. */
export function extentOf(sequence: LossSequence): { readonly tokens: number; readonly weight: number } {
  let [tokens, weight] = [0, 0];
  for (let t = 0; t < sequence.coefficients.length; t++) {
    if (sequence.coefficients[t] === 0) continue;
    tokens++;
    weight += ownWeight(sequence, t);
  }
  return { tokens, weight };
}

/** The mean of a completion's advantages over its tokens: one number, unless a credit step tells them apart. */
export function advantageOf(sequence: LossSequence): number {
  const { advantages, coefficients } = sequence;
  let sum = 0;
  for (let t = 0; t < coefficients.length; t++) if (coefficients[t] !== 0) sum += advantages[t];
  return sum / extentOf(sequence).tokens;
}
