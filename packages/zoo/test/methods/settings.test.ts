/** What a controller sets is an option of one method, and of old checkpoints what it was when it was set. */
import { describe, expect, it } from 'vitest';
import type { StageMethods } from '../../../../src/methods/create.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { Controller } from '../../../../src/methods/points.ts';
import { namedSettings, optionsNamed, type Settings } from '../../../../src/methods/settings.ts';
import { integer, key } from '../../../../src/options/keys.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';

/** Two methods take a `share`, one of them twice a `factor`. */
const LINES = [
  'prompt_source: weakness',
  'group_steps: [appeal, {name: reward-transform, kind: tanh}, {name: reward-transform, kind: tanh, factor: 3}]',
  'temperature: 0.9',
];

const namesOf = ({ options }: StageMethods, asked: string) => optionsNamed(options, asked).map(({ name }) => name);

function settingOf({ options }: StageMethods, name: string, settings: Settings): number | undefined {
  return optionsNamed(options, name)[0]?.at(0, settings);
}

describe('the options of a stage', () => {
  const methods = createMethods(stageOf(...LINES));

  it('are named by their method, of a repeated one by its number', () => {
    expect(namesOf(methods, 'appeal.share')).toEqual(['appeal.share']);
    expect(namesOf(methods, 'share')).toEqual(['weakness.share', 'appeal.share']);
    expect(namesOf(methods, 'factor')).toEqual(['reward-transform.factor', 'reward-transform#2.factor']);
    expect(namesOf(methods, 'beta')).toEqual([]);
  });

  it('have names of their own where two files call their methods the same', () => {
    const own: Method<unknown> = method({
      id: 'own',
      about: { does: 'Acts.', formula: 'none', source: 'own', certainty: 'own' },
      options: { every: key('every', integer({ min: 1, example: 2 }).default(1).describe('Steps.')) },
      create: (): Controller => ({}),
    });
    const stage = stageOf('controllers: [./a.ts, ./b.ts]');
    const both = createMethods(stage, { './a.ts': own, './b.ts': own });
    expect(namesOf(both, 'every')).toEqual(['own.every', 'own#2.every']);
  });

  it('move alone where one of them is set', () => {
    const made = createMethods(stageOf(...LINES));
    const [before, beforeSteps] = [made.promptSources[0].part, made.groupSteps.map(({ part }) => part)];
    made.moveTo(0, { 'appeal.share': 0.5, 'reward-transform#2.factor': 4 });
    expect(made.promptSources[0].part).toBe(before);
    expect(made.groupSteps.map(({ part }, i) => part === beforeSteps[i])).toEqual([false, true, false]);
    expect(settingOf(made, 'reward-transform.factor', { 'reward-transform#2.factor': 4 })).toBe(1);
    expect(settingOf(made, 'reward-transform#2.factor', { 'reward-transform#2.factor': 4 })).toBe(4);
  });
});

it('a setting of an old checkpoint is one of every method that takes an option of its spelling', () => {
  const { options } = createMethods(stageOf(...LINES));
  const old = { share: 0.4, temperature: 0.7, learning_rate: 1e-4, epsilon: 0.1, forgotten: 1 };
  const named = {
    'weakness.share': 0.4,
    'appeal.share': 0.4,
    temperature: 0.7,
    learning_rate: 1e-4,
    'ppo-clip.epsilon': 0.1,
    forgotten: 1,
  };
  expect(namedSettings(options, old)).toEqual(named);
  expect(namedSettings(options, named)).toEqual(named);
});
