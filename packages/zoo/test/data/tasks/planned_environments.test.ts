/** Environments in which a plan wins: what their actions lead to, by hand. */
import { describe, expect, it } from 'vitest';
import { bindTask } from '../../../data/index.ts';
import { stepsToGoal } from '../../../data/search/distances.ts';
import { formState } from '../../../data/tasks/form_state/form_state.ts';
import { fsmSite } from '../../../data/tasks/fsm_site/fsm_site.ts';
import { answersTo, playActions } from '../../support/play_actions.ts';

it('steps to a goal are counted back from it, along the edges', () => {
  const edges = [[1], [2, 0], [], [3, 2], [4]];
  expect([
    ...stepsToGoal(
      5,
      (state) => edges[state] ?? [],
      (state) => state === 2,
    ),
  ]).toEqual([2, 1, 0, 1, -1]);
});

describe('fsm_site', () => {
  // a → b, c;  b → c, d;  c → a, b;  d → e, a;  e → a, f;  f → a, b
  const item = { site: ['bc', 'cd', 'ab', 'ae', 'af', 'ab'], page: 0, goal: 5 };
  const knobs = { pages: 6, links: 2, turns: 5, site: 0 };
  const answers = (...actions: string[]) => answersTo(fsmSite, item, knobs, actions);

  it('lists the links of each page that it leads to, and is won on the page that is looked for', () => {
    expect(fsmSite.prompt(item, knobs)).toBe('a f bc>');
    expect(answers('b', 'd', 'e', 'f')).toEqual(['cd', 'ae', 'af', '1: the page is found']);
    expect(fsmSite.oracle(item, knobs)).toBe('b\nd\ne\nf');
  });

  it('has a potential that falls with the links that are left', () => {
    const potentials = playActions(fsmSite, item, knobs, ['b', 'c', 'b', 'd', 'e']).map(({ potential }) => potential);
    expect(potentials).toEqual([3, 4, 3, 2, 1].map((left) => 1 - left / 6));
  });

  it('follows no link that the page does not have, nor two at once', () => {
    expect(answers('f', 'bc', '')).toEqual(['?', '?', '0: 3 actions broke the rules']);
    expect(answers('f', 'b', 'd')).toEqual(['?', 'cd', 'ae']);
    expect(playActions(fsmSite, item, knobs, ['f'])[0]?.next.state).toEqual(item);
  });

  it('is lost after its turns', () => {
    expect(answers('b', 'c', 'b', 'd', 'e').at(-1)).toBe('0: not won within 5 turns');
  });

  it('has one site where it has a number, whose pages all lead to all others, and a site by problem where it has none', () => {
    const sites = (knobs: Readonly<Record<string, unknown>>) => {
      const task = bindTask(fsmSite, knobs);
      const drawn = Array.from({ length: 20 }, (_, index) => task.trainItem(0, index));
      return new Set(drawn.map(({ identity }) => JSON.stringify(Object(identity).site)));
    };
    expect([sites({ site: 1 }).size, sites({ site: 2 }).size]).toEqual([1, 1]);
    expect(sites({ site: 1 })).not.toEqual(sites({ site: 2 }));
    expect(sites({ site: 0, pages: 8 }).size).toBe(20);
  });
});

describe('form_state', () => {
  const item = { record: '102', goal: '132' };
  const knobs = { fields: 3, values: 4, changes: 1, resets: false };
  const resetting = { ...knobs, resets: true };
  const answers = (...actions: string[]) => answersTo(formState, item, knobs, actions);

  it('shows the record after each field, and is won when the right one is submitted', () => {
    expect(formState.prompt(item, knobs)).toBe('a1b0c2 a1b3c2>');
    expect(answers('b3', '!')).toEqual(['a1b3c2', '1: the record is as it should be']);
    expect(answers('a0', 'b3', 'a1', '!').at(-1)).toBe('1: the record is as it should be');
  });

  it('pays nothing for a record that is not right, or not submitted', () => {
    expect(answers('!')).toEqual(['0: 2 of 3 fields are right in the record that was submitted']);
    expect(answers('b3', 'b3', 'b3', 'b3', 'b3').at(-1)).toBe('0: not won within 5 turns');
    expect(answers('b3', 'a0', '!').at(-1)).toBe('0: 2 of 3 fields are right in the record that was submitted');
  });

  it('sets no field and no value that there is not, and not two at once', () => {
    for (const action of ['d1', 'b4', 'b', '3', 'b3c2', 'B3', ' b3', 'b3!']) expect(answers(action)).toEqual(['?']);
    expect(answers('b4', 'b3', '!')).toEqual(['?', 'a1b3c2', '1: the record is as it should be']);
  });

  it('counts the right fields as milestones, and the submission as the last', () => {
    const potentials = playActions(formState, item, knobs, ['a0', 'a1', 'b3', '!']).map(({ potential }) => potential);
    expect(potentials).toEqual([1 / 4, 2 / 4, 3 / 4, 1]);
  });

  it('sets the next field to 0 where fields do, so that the order counts', () => {
    expect(answersTo(formState, item, resetting, ['b3', 'c2', '!'])).toEqual([
      'a1b3c0',
      'a1b3c2',
      '1: the record is as it should be',
    ]);
    expect(answersTo(formState, item, resetting, ['c2', 'b3', '!']).at(-1)).toMatch(/^0: 2 of 3/);
    expect(formState.oracle(item, resetting)).toBe('b3\nc2\n!');
  });
});
