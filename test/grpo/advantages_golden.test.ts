/**
 * TRL's own advantages, out of `GRPOTrainer._generate_and_score_completions`, against the `groupAdvantages` kernel.
 *
 * TRL has no rule for dead groups: there its rounding noise (1e-12 in float64) is our exact 0.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { TrlAdvantageCase } from '../golden/load.ts';
import { loadGolden } from '../golden/load.ts';
import { offsetsOf } from '../support/data.ts';
import type { KernelCase, Output } from '../support/harness.ts';
import { ids, poisoned, poisonedIds, runCases } from '../support/harness.ts';

const golden = loadGolden('trl_advantages');

/** Reward sets and aggregations that the kernel does not have, each with the reason. */
const OUT_OF_SCOPE: Readonly<Record<string, string>> = {
  'with None': 'the kernel reads scores that are there; see test/methods/trl_advantages.test.ts',
  'one scorable': 'the kernel reads scores that are there; see test/methods/trl_advantages.test.ts',
  normalize_then_sum: 'not in the kernel; see test/methods/trl_advantages.test.ts',
};

function keyOf(test: TrlAdvantageCase): string {
  return test.multi_objective_aggregation === 'sum_then_normalize' ? test.name : test.multi_objective_aggregation;
}

function isInScope(test: TrlAdvantageCase): boolean {
  const abstains = test.rewards_per_func.flat().includes(null);
  return test.multi_objective_aggregation === 'sum_then_normalize' && !abstains;
}

/** Each completion's rewards, weighted and summed. */
function rewardsOf(test: TrlAdvantageCase): number[] {
  return test.rewards_per_func.map((rewards) =>
    rewards.reduce<number>((sum, reward, f) => sum + (reward ?? Number.NaN) * test.reward_weights[f], 0),
  );
}

interface AdvantageCase {
  readonly label: string;
  readonly rewards: readonly number[];
  readonly groupSize: number;
  readonly scale: 'group' | 'batch' | 'none';
  readonly expected: Float64Array;
}

const truncation = golden.mask_truncated_completions;

const covered: readonly AdvantageCase[] = [
  ...golden.cases.filter(isInScope).map((test) => ({
    label: `${test.name}, scaled by ${test.scale_rewards}`,
    rewards: rewardsOf(test),
    groupSize: test.num_generations,
    scale: test.scale_rewards,
    expected: test.advantages.data,
  })),
  {
    label: 'truncated completions keep their rewards in the baseline',
    rewards: truncation.rewards_per_func.flat(),
    groupSize: truncation.num_generations,
    scale: 'group',
    expected: truncation.advantages.data,
  },
];

function kernelCase({ rewards, groupSize, scale }: AdvantageCase): KernelCase {
  const C = rewards.length;
  const groups = C / groupSize;
  return {
    slots: {
      rewards: { dtype: 'real', shape: [C], values: rewards, isMatrix: false },
      offsets: ids([groups + 1], offsetsOf(new Array(groups).fill(groupSize))),
      advantages: poisoned([C]),
      dead: poisonedIds([groups]),
    },
    build: (kernels, { rewards, offsets, advantages, dead }) =>
      kernels.groupAdvantages({ rewards, offsets, groups, scale, advantages, dead }),
  };
}

/** Groups as lists of places in the batch. */
function groupsOf({ rewards, groupSize }: AdvantageCase): number[][] {
  return Array.from({ length: rewards.length / groupSize }, (_, group) =>
    Array.from({ length: groupSize }, (_, member) => group * groupSize + member),
  );
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

/** TRL's n/(n − 1) is float32 whatever the rewards are; the root halves its error. */
const TRL_ROUNDING = 2 ** -25;

/** What rounding a reward and a few roundings after it can move an advantage by. */
function allowedError(test: AdvantageCase, members: readonly number[], precision: number): number {
  const rewards = members.map((index) => test.rewards[index]);
  const std = deviation(test.scale === 'batch' ? test.rewards : rewards);
  const divisor = test.scale === 'none' ? 1 : std + 1e-4;
  const largest = Math.max(...members.map((index) => Math.abs(test.expected[index])));
  const roundings = 8 * precision + (test.scale === 'none' ? 0 : TRL_ROUNDING);
  return roundings * largest + (2 * precision * Math.max(...rewards.map(Math.abs))) / divisor;
}

describe('trl_advantages.json', () => {
  it('has no case that is neither covered nor listed as out of scope', () => {
    const leftOut = golden.cases.filter((test) => !isInScope(test)).map(keyOf);
    expect([...new Set(leftOut)].sort()).toEqual(Object.keys(OUT_OF_SCOPE).sort());
    expect(covered).toHaveLength(6 * 3 + 1);
  });
});

/** Each backend with the rounding of its numbers: half a unit in the last place, relative. */
const backends: [string, () => Promise<Backend>, number][] = [
  ['reference', async () => referenceBackend, 2 ** -53],
  ['wasm', () => wasmBackend({ threads: 1 }), 2 ** -24],
  ['wasm without fma', () => wasmBackend({ inline: true, fma: false }), 2 ** -24],
];

describe.each(backends)('on %s', (name, open, precision) => {
  let outputs: readonly Record<string, Output>[];
  beforeAll(async () => {
    outputs = await runCases(await open(), covered.map(kernelCase));
  });

  it.each(covered.map((test, index) => [test.label, index] as const))("has TRL's advantages: %s", (_label, index) => {
    const test = covered[index];
    for (const members of groupsOf(test)) {
      // TRL's noise in a dead group, in float64, is not ours to have.
      const noise = deviation(members.map((i) => test.rewards[i])) < 1e-15 ? 1e-11 : 0;
      const allowed = allowedError(test, members, precision) + noise;
      for (const i of members) {
        expect(Math.abs(outputs[index].advantages[i] - test.expected[i])).toBeLessThanOrEqual(allowed);
      }
    }
  });

  it('gives dead groups exactly 0 and says that they are dead, at every scale', () => {
    covered.forEach((test, index) => {
      const stored = name === 'reference' ? test.rewards : test.rewards.map(Math.fround);
      groupsOf(test).forEach((members, group) => {
        const isDead = members.every((i) => stored[i] === stored[members[0]]);
        expect(outputs[index].dead[group], `${test.label}, group ${group}`).toBe(isDead ? 1 : 0);
        if (isDead) for (const i of members) expect(outputs[index].advantages[i]).toBe(0);
      });
    });
  });
});
