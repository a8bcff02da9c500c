/** How often a verifier errs on texts whose truth is known without it, as `tasks check` prints it. */
import { expect, it } from 'vitest';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { checkTask } from '../../data/check/check_task.ts';

const options = { items: 20, attempts: 200, settings: [{ level: 0 }] };
const definition = getTaskDefinition('sort_digits');

it('is never for a task that keeps its rules', () => {
  const [{ known }] = checkTask(definition, options).settings;
  expect(known.right).toBeGreaterThan(20);
  expect(known.wrong).toBeGreaterThan(100);
  expect([known.refused, known.accepted]).toEqual([0, 0]);
});

it('counts near misses that are accepted, and right answers that are refused', () => {
  const turned = (score: 0 | 1) => ({
    ...definition,
    verify: (...given: Parameters<typeof definition.verify>) => ({
      ...definition.verify(...given),
      score,
      status: score === 1 ? ('correct' as const) : ('incorrect' as const),
    }),
  });
  const [{ known: lenient }] = checkTask(turned(1), options).settings;
  expect(lenient.refused).toBe(0);
  expect(lenient.accepted).toBe(lenient.wrong);
  const [{ known: strict }] = checkTask(turned(0), options).settings;
  expect(strict.accepted).toBe(0);
  expect(strict.refused).toBe(strict.right);
});
