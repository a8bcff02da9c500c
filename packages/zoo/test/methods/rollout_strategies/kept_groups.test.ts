/** A strategy that keeps groups or completions from step to step gives them back as it took them, with all that credit reads. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { Rollout, RolloutGroup } from '../../../../../src/methods/records.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { createMethods, METHODS } from '../../../../../test/support/everything.ts';
import { FIGURES, FULL_GROUP, FULL_ROLLOUT } from '../../../../../test/support/full_rollouts.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';
import { requireStored, restored, stored } from '../../../methods/support/rollouts/stored_groups.ts';
import { estimatorOf } from '../../support/advantages.ts';

/** Those that give nothing back of what they keep as they are by default. */
const GIVING_BACK: Readonly<Record<string, string>> = { 'step-dpo-stage': 'pairs_from: stored' };

const STEPS = 4;
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const bare = { isOffPolicy: undefined, origin: undefined, age: undefined, inLoss: undefined };
const lineOf = (id: string): string => `rollout_strategies: [{name: ${[id, GIVING_BACK[id] ?? []].flat().join(', ')}}]`;

/** A group with every field that a group may have before it is credited, whose tokens tell it from all others. */
function sampledGroup({ item, samples }: GroupRequest, number: number, step: number): RolloutGroup {
  const rollouts = Array.from({ length: samples }, (_, i): Rollout => {
    const isSolved = i === 0 && step === 0;
    const { verdict } = FULL_ROLLOUT;
    return {
      ...rolloutOf(3, 0.25 + (isSolved ? 1 : 0)),
      tokens: Int32Array.of(step, number, i),
      verdict: { ...verdict, score: isSolved || (i === 1 && step === 1) ? 1 : 0 },
      tokenRewards: Float32Array.of(0, i, 1),
      given: { rewardParts: [0.125], reward: 0.125 },
      weightsVersion: 40,
    };
  });
  const { greedyReward, kind } = FULL_GROUP;
  return { item, prompt: Int32Array.of(9, number), rollouts, dead: false, greedyReward: greedyReward ?? 0, kind };
}

const items = ['a', 'b', 'c', 'd'].map((key) => ({ ...groupOf([]).item, id: key, key }));

/** What the strategy gives over some steps, restored at each; and all that it was given, by the tokens of a completion. */
async function played(id: string) {
  const stage = stageOf(lineOf(id));
  const given = new Map<string, { readonly group: RolloutGroup; readonly rollout: Rollout }>();
  const back: { readonly step: number; readonly group: RolloutGroup }[] = [];
  let state: Json | undefined;
  for (let step = 0; step < STEPS; step++) {
    const [{ part }] = createMethods(stage).rolloutStrategies;
    if (state !== undefined) part.restore?.(throughJson(state));
    const next = async (requests: readonly GroupRequest[]) =>
      requests.map((request) => {
        const group = sampledGroup(request, given.size, step);
        for (const rollout of group.rollouts) given.set(rollout.tokens.join(), { group, rollout });
        return group;
      });
    const draw = async (count: number) => items.slice(0, count).map((item) => ({ item, samples: 3 }));
    const requests = items.map((item) => ({ item, samples: 3 }));
    for (const group of await part.rollOut(requests, next, rolloutTools(stage, { step, draw }))) {
      back.push({ step, group });
    }
    state = part.state?.();
  }
  return { given, back, state };
}

const keeping = METHODS.rolloutStrategies.flatMap(({ id }) => {
  const [{ part }] = createMethods(stageOf(lineOf(id))).rolloutStrategies;
  return part.state === undefined ? [] : [id];
});

describe.each(keeping)('%s', (id) => {
  it('gives back what it took', async () => {
    const { given, back, state } = await played(id);
    const isOld = ({ tokens }: Rollout, step: number): boolean => tokens[0] < step;
    const old = back.flatMap(({ step, group }) =>
      group.rollouts.flatMap((rollout) => (isOld(rollout, step) ? [{ rollout, group }] : [])),
    );
    expect(old.length > 0).toBe(JSON.stringify(state).includes('"tokens"'));
    for (const { rollout } of old) {
      const { figures: _, ...taken } = given.get(rollout.tokens.join())?.rollout ?? rolloutOf(1, 0);
      expect({ ...rollout, ...bare }).toEqual({ ...taken, ...bare });
    }
    const whole = back.filter(({ step, group }) => group.rollouts.every((rollout) => isOld(rollout, step)));
    for (const { group } of whole) {
      const taken = given.get(group.rollouts[0].tokens.join())?.group;
      expect({ ...group, rollouts: [] }).toStrictEqual({ ...taken, rollouts: [] });
    }
  });
});

it('there are strategies that keep whole groups', () => {
  expect(keeping).toEqual(expect.arrayContaining(['replay-buffer', 'recompose', 'segment-rollout', 'step-dpo-stage']));
});

describe('a kept group', () => {
  const { advantages: _, tokenAdvantages: __, tokenWeights: ___, tokenSelection: ____, ...before } = FULL_GROUP;
  const rollouts = before.rollouts.map((rollout): Rollout => ({ ...rollout, ...FIGURES }));
  const kept = (): RolloutGroup =>
    restored(requireStored(throughJson([stored({ ...before, rollouts }, 3)]) as unknown as Json)[0]);

  it('has every field that a group has before it is credited, and none of its credit', () => {
    expect({ ...kept(), rollouts: [] }).toStrictEqual({ ...before, rollouts: [] });
    expect(kept().rollouts.map(({ tokenRewards }) => tokenRewards)).toEqual(rollouts.map(() => FIGURES.tokenRewards));
  });

  it('is credited as it was: beside the reward of its greedy completion', () => {
    const { advantages } = estimatorOf('greedy');
    const group = { ...groupOf([rolloutOf(2, 0), rolloutOf(2, 1)]), greedyReward: 0.5 };
    const [back] = requireStored(throughJson([stored(group, 0)]) as unknown as Json);
    expect(advantages([group])).toEqual([[-0.5, 0.5]]);
    expect(advantages([{ ...restored(back), advantages: new Float32Array(2) }])).toEqual([[-0.5, 0.5]]);
  });

  it.each([
    ['without a prompt', { prompt: undefined }, 'prompt: '],
    ['of a kind that is no text', { kind: 4 }, 'kind: '],
    ['with a completion that has no tokens', { rollouts: [{}] }, 'rollout of another form: '],
  ])('%s is refused where it is restored', (_, change, says) => {
    const state = throughJson([{ ...stored(before, 3), ...change }]) as unknown as Json;
    expect(() => requireStored(state)).toThrow(says);
  });

  it('of a checkpoint that did not say whether it is dead is live', () => {
    const { dead: _, ...rest } = stored(before, 3);
    expect(restored(requireStored([rest])[0]).dead).toBe(false);
  });
});
