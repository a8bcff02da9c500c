/** A state in a checkpoint is its part's, whatever else the stage holds; those of old checkpoints find theirs by place. */
import { expect, it } from 'vitest';
import { type Method, method } from '../../../../src/methods/method.ts';
import { methodStates, restoreMethods } from '../../../../src/methods/part_states.ts';
import type { Controller, TokenWeight } from '../../../../src/methods/points.ts';
import type { Stateful } from '../../../../src/methods/stateful.ts';
import type { Json } from '../../../../src/options/json.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';

/** Keeps the last state that it was given. */
function keeping(first: Json): Required<Pick<Stateful, 'state' | 'restore'>> {
  let kept = first;
  return {
    state: () => kept,
    restore(state) {
      kept = state;
    },
  };
}

const ABOUT = { does: 'Keeps.', formula: 'none', source: 'own', certainty: 'own' } as const;
const keeper: Method<unknown> = method({
  id: 'keeper',
  about: ABOUT,
  options: {},
  create: (): Controller => keeping('new'),
});
const weight: Method<unknown> = method({
  id: 'weight',
  about: ABOUT,
  options: {},
  create: (): TokenWeight => ({ ...keeping('new'), coupling: 'token', weigh: () => undefined }),
});
const own = { './a.ts': keeper, './b.ts': keeper, './weight.ts': weight };
const LINES = [
  'group_steps: [appeal, noise-backward, {name: reward-transform, reward: accuracy}]',
  'controllers: [./a.ts, kl-trust, ./b.ts]',
  'token_weights: [./weight.ts]',
  'beta: 0.01',
];

it('states are named by point and method, with a number where one comes again', () => {
  expect(Object.keys(methodStates(createMethods(stageOf(...LINES), own)))).toEqual([
    'groupSteps/appeal',
    'controllers/keeper',
    'controllers/kl-trust',
    'controllers/keeper#2',
    'tokenWeights/weight',
  ]);
});

it('a state comes back where other methods have joined the stage', () => {
  const states = { ...methodStates(createMethods(stageOf(...LINES), own)), 'controllers/keeper#2': 'mine' };
  const more = createMethods(stageOf('prompt_source: prefilter', 'rollout_strategies: [refill]', ...LINES), own);
  restoreMethods(more, states);
  expect(methodStates(more)).toMatchObject({ 'controllers/keeper': 'new', 'controllers/keeper#2': 'mine' });
});

it('states of an old checkpoint, which numbers all parts of a stage, come back to the same parts', () => {
  const methods = createMethods(stageOf(...LINES), own);
  restoreMethods(methods, {
    '1/appeal': { overturned: 0.25, right: 0.5 },
    '7/keeper': 'first',
    '8/kl-trust': { first: 0.01 },
    '9/keeper': 'second',
    '10/weight': 'third',
  });
  expect(methodStates(methods)).toEqual({
    'groupSteps/appeal': { overturned: 0.25, right: 0.5 },
    'controllers/keeper': 'first',
    'controllers/kl-trust': { first: 0.01 },
    'controllers/keeper#2': 'second',
    'tokenWeights/weight': 'third',
  });
});
