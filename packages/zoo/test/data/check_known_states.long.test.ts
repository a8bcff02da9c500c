/** What `tasks check` says of an environment that is wrong about its own states. */
import { describe, expect, it } from 'vitest';
import type { AnyEnvironment } from '../../../../src/data/play.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { type AnyTaskDefinition, checkTask, findingText } from '../../data/index.ts';

/** The findings on a task whose environment has these members in the place of its own. */
function findingsOn(name: 'form_state' | 'fsm_site' | 'frozen_lake', members: Partial<AnyEnvironment>): string {
  const definition: AnyTaskDefinition = getTaskDefinition(name);
  const environment = { ...(definition.environment as AnyEnvironment), ...members };
  const { findings } = checkTask({ ...definition, environment }, { items: 3, settings: [{ level: 0 }] });
  return findings.map(findingText).join('\n');
}

describe('an environment is wrong about its states', () => {
  it.each<[string, 'form_state' | 'fsm_site' | 'frozen_lake', Partial<AnyEnvironment>, string]>([
    ['a distance that is no count', 'fsm_site', { distance: () => 0.5 }, 'distance() gives 0.5; give a whole number'],
    ['a distance where it is won', 'fsm_site', { distance: () => 2 }, 'distance() gives 2 where the episode is won'],
    [
      'an expert who comes no nearer',
      'fsm_site',
      { distance: () => 2 },
      'the expert goes from a distance of 2 to one of 2',
    ],
    ['no milestones', 'form_state', { milestones: () => [] }, 'milestones() gives none, or other ones'],
    [
      'won without a milestone',
      'form_state',
      { milestones: () => [false] },
      'milestones() says that one is not reached',
    ],
    [
      'lists of two lengths',
      'form_state',
      { compared: () => ({ cells: ['a'], goal: [] }) },
      'cells and a goal of other lengths',
    ],
    [
      'another goal',
      'form_state',
      { compared: () => ({ cells: ['a'], goal: ['b'] }) },
      'other cells than those of the goal',
    ],
    ['an expert who is denied', 'frozen_lake', { guard: () => '#' }, 'guard() denies what the expert does'],
    [
      'a reason without room',
      'frozen_lake',
      { guard: () => '####' },
      'guard() says "####", which an observation has no room',
    ],
  ])('%s is found', (_, name, members, finding) => {
    expect(findingsOn(name, members)).toContain(finding);
  });

  it('and nothing is found where it is right', () => {
    expect(findingsOn('form_state', {})).toBe('');
    expect(findingsOn('fsm_site', {})).toBe('');
  });
});
