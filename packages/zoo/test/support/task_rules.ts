/** Tests that the tasks of a category all have: the suite of `checkTask`, a second checker, and a digest per level. */
import { describe, expect, it } from 'vitest';
import type { Knobs, TaskDefinition } from '../../../../src/data/task.ts';
import type { Json } from '../../../../src/options/json.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { registeredTasks } from '../../../../test/support/everything.ts';
import { type AnyTaskDefinition, checkTask, findingText, type SecondChecker, takeKnobs } from '../../data/index.ts';
import { digestsOf } from './task_digests.ts';

/** Problems that are drawn at each setting, and answers that are tried. */
const EFFORT = {
  items: budget({ quick: 6, all: 6, release: 40 }),
  attempts: budget({ quick: 60, all: 60, release: 800 }),
};

/**
 * @param checkers  a second checker of each task, written apart from it
 * @param share     of the usual effort, where verdicts take time
 * @param digests   of each task, per level. One that changes means other problems: raise the task's version, then write
 *                  what the failure shows here
 */
export function describeTasks(
  checkers: Readonly<Record<string, SecondChecker>>,
  digests: Readonly<Record<string, readonly string[]>>,
  share = 1,
): void {
  const effort = { items: Math.ceil(EFFORT.items * share), attempts: Math.ceil(EFFORT.attempts * share) };
  it('every task has its digests', () => {
    expect(Object.keys(digests).sort()).toEqual(Object.keys(checkers).sort());
  });

  describe.each(Object.keys(checkers))('%s', (name) => {
    it('keeps the rules of a task, and agrees with its second checker', async () => {
      const definition = await registeredTasks[name]?.load();
      if (definition === undefined) throw new RangeError(`${name} is not in the registry`);
      const second = checkers[name] as SecondChecker; // it is one of them
      // The levels between are drawn for their digests, and checked whole by `tasks check` and `npm run attack`.
      const levels = [...new Set([0, definition.levels.length - 1])].map((level) => ({ level }));
      const plain = definition.question === undefined ? [] : [{ style: 'plain' }];
      const settings = fewOf([...levels, ...plain], { quick: 2 });
      const { findings } = checkTask(definition, { ...effort, settings, second });
      expect(findings.map(findingText).join('\n')).toBe('');
    }, 120_000);

    it('takes every value of its attributes, each of a knob', async () => {
      const definition = await registeredTasks[name]?.load();
      for (const [knob, values = []] of Object.entries(definition?.attributes ?? {})) {
        for (const value of values)
          expect(takeKnobs(definition as AnyTaskDefinition, { [knob]: value })).toMatchObject({ [knob]: value });
      }
    });

    it('draws the same problems at each level as when its digests were written', async () => {
      expect(await digestsOf(name)).toEqual(digests[name]);
    }, 60_000);
  });
}

/** What a task's verifier gives an answer that ended by itself, at its default knobs. */
export function scoreOf<I extends Json, K extends Knobs>(
  definition: TaskDefinition<I, K>,
  item: I,
  answer: string,
): number | null {
  const knobs = takeKnobs(definition as unknown as AnyTaskDefinition, {}) as K; // its own
  return definition.verify(item, answer, knobs, { finishReason: 'eos' }).score;
}

/** Answers to a problem, by the score that each of them gets. */
export function itScores<I extends Json, K extends Knobs>(
  definition: TaskDefinition<I, K>,
  { problem, ...answers }: { readonly problem: I; readonly [score: number]: readonly string[] },
): void {
  const rows = Object.entries(answers).flatMap(([score, texts]) => texts.map((text) => [text, Number(score)] as const));
  it.each(rows)('%j scores %d', (answer, score) => expect(scoreOf(definition, problem, answer)).toBe(score));
}
