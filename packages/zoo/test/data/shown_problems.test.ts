/** Problems that are trained on and held out under two keys, though nobody who plays them can tell them apart. */
import { expect, it } from 'vitest';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { ShownProblems } from '../../data/check/shown.ts';
import {
  type AnyTaskDefinition,
  bindTask,
  checkTask,
  environmentTask,
  judgeNumber,
  type Knobs,
  options,
} from '../../data/index.ts';

/** A number is asked for and may be hidden; `unseen` is part of the problem, and nobody is shown it. */
type Item = { readonly number: number; readonly unseen: number };

const card = { name: 'hidden', version: 1, category: 'own', tier: 1, knobs: options({}), levels: [] } as const;

/** @param isShown  in the prompt; else what an action is answered with tells the numbers apart */
function hidden(isShown: boolean, keyOf: (item: Item) => string): AnyTaskDefinition {
  return environmentTask<Item, Item, Knobs>(card, {
    family: 'hidden',
    characters: '0123456789>?',
    generate: (rng) => ({ number: rng.int(10, 99), unseen: rng.int(0, 99) }),
    key: keyOf,
    prompt: ({ number }) => (isShown ? `${number}>` : '?>'),
    start: (item) => item,
    step: (state, action) =>
      action === '?'
        ? { state, observation: String(state.number) }
        : { state, verdict: judgeNumber(action, state.number) },
    expert: ({ number }) => String(number),
    random: (_, __, rng) => (rng.float() < 0.5 ? '?' : String(rng.int(10, 99))),
    mutants: () => ({ 'a number more': '100' }),
    chance: () => 0.1,
    longest: () => ({ turns: 4, prompt: 3, action: 3, observation: 2 }),
  }) as unknown as AnyTaskDefinition; // its identities are its own
}

const splitFindings = (definition: AnyTaskDefinition): number =>
  checkTask(definition, { items: 40, settings: [{}] }).findings.filter(({ rule }) => rule === 'split').length;

it.each([true, false])('a key of what nobody is shown is found, the number in the prompt: %s', (isShown) => {
  expect(splitFindings(hidden(isShown, ({ number, unseen }) => `${number} ${unseen}`))).toBeGreaterThan(0);
  expect(splitFindings(hidden(isShown, ({ number }) => `${number}`))).toBe(0);
});

it('minesweeper keyed by the first field, as it was, is found; by the board it is not', () => {
  const minesweeper = getTaskDefinition('minesweeper');
  const byField: AnyTaskDefinition = {
    ...minesweeper,
    generate: (rng, knobs) => ({ ...(minesweeper.generate(rng, knobs) as object), first: rng.int(0, 15) }),
    key: (identity) => JSON.stringify(identity),
    splitKey: (identity) => JSON.stringify(identity),
  };
  const alike = (definition: AnyTaskDefinition): number => {
    const task = bindTask(definition, {}, { heldOutSample: 60 });
    const shown = new ShownProblems(definition, task.knobs, task.heldOutItems());
    const trained = Array.from({ length: 60 }, (_, index) => task.trainItem(0, index));
    return trained.filter((item) => shown.like(item) !== undefined).length + shown.doubled().length;
  };
  expect(alike(byField)).toBeGreaterThan(0);
  expect(alike(minesweeper)).toBe(0);
});
