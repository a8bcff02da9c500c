import { describe, expect, it } from 'vitest';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { bindTask } from '../../../data/index.ts';
import { knightsKnaves } from '../../../data/tasks/knights_knaves/knights_knaves.ts';
import { propositionalLogic } from '../../../data/tasks/propositional_logic/propositional_logic.ts';
import { syllogism } from '../../../data/tasks/syllogism/syllogism.ts';
import { describeTasks, itScores, scoreOf } from '../../support/task_rules.ts';
import { DEDUCTION } from '../second_checkers/deduction.ts';

describeTasks(DEDUCTION, {
  knights_knaves: ['b5c28740', '55987425', '97d4c591', '77f99a89'],
  syllogism: ['65049f9d', 'aa124cb4'],
  propositional_logic: ['0182ce59', '28d790fd', '3b09ce18', '863c0f5f'],
});

describe('Ann is a knight and Bob is a knave', () => {
  const identity = { statements: ['!B', 'B&!A'], roles: '10' };
  itScores(knightsKnaves, {
    problem: identity,
    1: ['10', ' 10\n', 'Ann is a knight, and Bob is a knave.', 'Bob is a knave, Ann is a knight'],
    // biome-ignore format: a list
    0: [
      'Ann is a knight', 'Ann is a knight, Bob is a knight', 'Ann is a knight, Ann is a knave, Bob is a knave',
      'Ann is a knight, Bob is a knave, Cy is a knave', '1', '100', '1 0', '01',
    ],
  });
});

it('half of the roles earn nothing', async () => {
  const definition = await registeredTasks.knights_knaves?.load();
  if (definition === undefined) throw new RangeError('no such task');
  const task = bindTask(definition, { people: 4 });
  for (let index = 0; index < 50; index++) {
    const item = task.trainItem(0, index);
    const half = item.answer.slice(0, 2) + [...item.answer.slice(2)].map((role) => (role === '1' ? '0' : '1')).join('');
    expect(task.verify(item, half, { finishReason: 'eos' }).score).toBe(0);
    expect(task.verify(item, item.answer.slice(0, 2), { finishReason: 'eos' }).score).toBe(0);
  }
});

describe('from P → Q and P follows', () =>
  itScores(propositionalLogic, {
    problem: { premises: ['P->Q', 'P'] },
    1: ['Q', 'P ∧ Q', 'P & Q', '¬¬Q', 'P <-> Q'],
    // biome-ignore format: a list
    0: [
      'P', 'P → Q', '!PvQ', 'P ∨ ¬P', 'Q ∨ R',
      'Q ∨ P', // P alone says it
      '¬Q', 'P ∧ ¬P',
      '(P → Q) ∧ P', // all premises in one
      'Q, P', 'Q and P', '',
    ],
  }));

it('a premise said again, and all of them in one, are no conclusion', async () => {
  const definition = await registeredTasks.propositional_logic?.load();
  if (definition === undefined) throw new RangeError('no such task');
  const task = bindTask(definition);
  for (let index = 0; index < 100; index++) {
    const item = task.trainItem(0, index);
    const { premises } = item.identity as { premises: string[] };
    for (const answer of [...premises, premises.map((premise) => `(${premise})`).join('&')]) {
      expect(task.verify(item, answer, { finishReason: 'eos' }).score).toBe(0);
    }
  }
});

/** The forms that are valid where there is something of each kind: first letter of each statement, and the figure. */
const VALID = new Set(
  [
    'AAA1 EAE1 AII1 EIO1 AAI1 EAO1 EAE2 AEE2 EIO2 AOO2 EAO2 AEO2',
    'AAI3 IAI3 AII3 EAO3 OAO3 EIO3 AAI4 AEE4 IAI4 EAO4 EIO4 AEO4',
  ].flatMap((line) => line.split(' ')),
);

it('the 24 valid syllogisms are valid, and none of the other 232', () => {
  const letters = [...'AEIO'];
  const wrong: string[] = [];
  for (const major of letters) {
    for (const minor of letters) {
      for (const claimed of letters) {
        for (const [i, [first, second]] of [
          ['mp', 'sm'],
          ['pm', 'sm'],
          ['mp', 'ms'],
          ['pm', 'ms'],
        ].entries()) {
          const form = `${major}${minor}${claimed}${i + 1}`;
          const identity = { premises: [`${major}${first}`, `${minor}${second}`], conclusion: `${claimed}sp` };
          if (scoreOf(syllogism, identity, 'yes') !== Number(VALID.has(form))) wrong.push(form);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});
