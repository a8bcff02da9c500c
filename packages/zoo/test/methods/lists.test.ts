/** What is looked up by name is what every file declares: the names that are known before anything is loaded are true. */
import { expect, it } from 'vitest';
import { CORE } from '../../../../src/core_registries.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { zooLibrary } from '../../library.ts';
import { ZOO } from '../../registries.ts';

it('the names of each point are the ids of its methods', () => {
  const { at, demonstrations, names } = ZOO.methods;
  for (const point of METHOD_POINTS) expect(names[point]).toEqual(at[point].map(({ id }) => id));
  expect(names.demonstrations).toEqual(demonstrations.map(({ id }) => id));
  expect(ZOO.tasks.names).toEqual(Object.keys(ZOO.tasks.loaded));
  expect(ZOO.rewards.names).toEqual(Object.keys(ZOO.rewards.loaded));
});

it('a text loads the lists that it names, and no other', async () => {
  const nothing = await zooLibrary.naming('task: countdown # or gcd\nloss_type: dapo\n');
  expect(nothing.methods.at.groupSteps).toEqual([]);
  expect(Object.keys(nothing.tasks.loaded)).not.toContain('gcd');
  const { methods, tasks, rewards } = await zooLibrary.naming('task: {name: gcd}', 'group_steps=[majority]');
  expect(methods.at.groupSteps).toEqual(ZOO.methods.at.groupSteps);
  expect(methods.at.creditSteps).toHaveLength(2);
  expect(tasks.loaded.gcd).toBe(ZOO.tasks.loaded.gcd);
  expect(Object.keys(rewards.loaded)).not.toContain('kendall');
  expect(rewards.names).toContain('kendall');
});

it('what follows a number sign in quotes is named too', async () => {
  const { tasks } = await zooLibrary.naming('{system: "Problem # 1:", task: gcd}');
  expect(tasks.loaded.gcd).toBe(ZOO.tasks.loaded.gcd);
});

it('what a key switches on or a loss type names is loaded with every config', () => {
  const { at } = CORE.methods;
  for (const point of METHOD_POINTS) {
    const unnamed = ZOO.methods.at[point].filter(
      ({ switchedOnBy, lossTypes, optionsAreStageKeys }) => switchedOnBy ?? lossTypes ?? optionsAreStageKeys,
    );
    expect(at[point]).toEqual(expect.arrayContaining(unnamed));
  }
});
