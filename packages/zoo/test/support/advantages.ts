/** Advantage estimators by a line of YAML, on groups of rewards. */
import type { AdvantageEstimator } from '../../../../src/methods/points.ts';
import type { CreditedGroup } from '../../../../src/methods/records.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';

export interface EstimatorUnderTest {
  readonly part: AdvantageEstimator;
  /** [groups][rollouts] */
  advantages(groups: readonly CreditedGroup[]): number[][];
  /** The same for completions of one token each. */
  ofRewards(...rewards: readonly (readonly (number | null)[])[]): number[][];
  /** [groups][rollouts][tokens] */
  byToken(groups: readonly CreditedGroup[]): number[][][];
}

/** @param written  its name, or a mapping with options; further lines of the stage behind it */
export function estimatorOf(written: string, ...lines: readonly string[]): EstimatorUnderTest {
  const stage = stageOf(`advantage_estimator: ${written}`, ...lines);
  const { part } = createMethods(stage).advantageEstimator;
  const estimate = (groups: readonly CreditedGroup[]) => part.estimate(groups, stepContext(stage));
  const advantages = (groups: readonly CreditedGroup[]): number[][] =>
    estimate(groups).map((credit) => [...credit.advantages]);
  return {
    part,
    advantages,
    ofRewards: (...rewards) => advantages(rewards.map(rewarded)),
    byToken: (groups) => estimate(groups).map(({ tokenAdvantages = [] }) => tokenAdvantages.map((own) => [...own])),
  };
}

/** A group of completions of one token each. */
export function rewarded(rewards: readonly (number | null)[]): CreditedGroup {
  return groupOf(rewards.map((reward) => rolloutOf(1, reward)));
}

/** Every outcome of so many draws of arms: their indices. */
export function* draws(arms: number, count: number): Generator<number[]> {
  for (let code = 0; code < arms ** count; code++) {
    yield Array.from({ length: count }, (_, i) => Math.floor(code / arms ** i) % arms);
  }
}

export function softmax(logits: readonly number[]): number[] {
  const powers = logits.map(Math.exp);
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

/** d/dlogits of log p(arm) of a softmax. */
export function scoreOf(arm: number, probabilities: readonly number[]): number[] {
  return probabilities.map((probability, a) => (a === arm ? 1 : 0) - probability);
}

/** Central differences of a function of logits. */
export function slopesOf(
  value: (logits: readonly number[]) => number,
  logits: readonly number[],
  step = 1e-5,
): number[] {
  return logits.map((_, i) => {
    const at = (by: number): number => value(logits.map((logit, j) => (i === j ? logit + by : logit)));
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
  });
}

/** Every set of `size` of the numbers 0 … count − 1. */
export function* subsets(count: number, size: number): Generator<number[]> {
  for (let mask = 0; mask < 2 ** count; mask++) {
    const members = Array.from({ length: count }, (_, i) => i).filter((i) => (mask >> i) & 1);
    if (members.length === size) yield members;
  }
}

export function expectAll(found: readonly number[], expected: readonly number[], digits = 5): void {
  if (found.length !== expected.length) throw new Error(`${found.length} numbers instead of ${expected.length}`);
  found.forEach((value, i) => {
    if (Math.abs(value - expected[i]) > 0.5 * 10 ** -digits) {
      throw new Error(`place ${i}: ${value} instead of ${expected[i]} (${found.join(', ')})`);
    }
  });
}
