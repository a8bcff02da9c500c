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

/** The same, without the sequences that carry no loss, or that `isMember` leaves out. A group may be empty. */
export function membersByGroup(
  sequences: readonly LossSequence[],
  isMember: (sequence: LossSequence) => boolean = () => true,
): readonly (readonly number[])[] {
  const belongs = (i: number): boolean => extentOf(sequences[i]).tokens > 0 && isMember(sequences[i]);
  return placesByGroup(sequences).map((places) => places.filter(belongs));
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

/** What the tokens of some sequences weigh together in the policy's own term. */
export function weightOf(sequences: readonly LossSequence[], places: readonly number[]): number {
  return places.reduce((sum, i) => sum + extentOf(sequences[i]).weight, 0);
}

/** The sum of values of tokens, of those that carry a loss. */
export function sumOver({ coefficients }: LossSequence, values: ArrayLike<number>): number {
  let sum = 0;
  for (let t = 0; t < coefficients.length; t++) if (coefficients[t] !== 0) sum += values[t];
  return sum;
}

/** The mean of them. */
export function meanOver(sequence: LossSequence, values: ArrayLike<number>): number {
  return sumOver(sequence, values) / extentOf(sequence).tokens;
}

/** How much likelier the policy finds a completion than these log-probs say, in nats. @param from  the first token that counts */
export function growthOver({ logprobs, coefficients }: LossSequence, base: ArrayLike<number>, from = 0): number {
  let sum = 0;
  for (let t = from; t < coefficients.length; t++) if (coefficients[t] !== 0) sum += logprobs[t] - base[t];
  return sum;
}

/** The mean of a completion's advantages over its tokens: one number, unless a credit step tells them apart. */
export function advantageOf(sequence: LossSequence): number {
  return meanOver(sequence, sequence.advantages);
}
