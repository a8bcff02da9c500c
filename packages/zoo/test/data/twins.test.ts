/** Problems under a second prompt: of the same key, with the same right answers, in both directions. */
import { describe, expect, it } from 'vitest';
import { registeredTasks } from '../../../../test/support/everything.ts';
import { createTask, onlyTask } from '../../../../test/support/tasks.ts';

const TAKES_ANOTHER = [
  'mask_fill',
  'reorder',
  'corrupt_span',
  'mcq_fim',
  'vmr',
  'next_segment',
  'ssl_tasks',
  'verify_tasks',
  'critique_tasks',
  'retry',
];
const names = Object.keys(registeredTasks).filter(
  (name) => !TAKES_ANOTHER.includes(name) && !['dataset', 'openenv', 'sessions'].includes(name),
);
const tasks = names.flatMap((name) => {
  const set = createTask({ name }, { heldOutSample: 2 });
  return onlyTask(set).twin === undefined ? [] : [{ name, set }];
});

it('are there in fifteen tasks at least', () => expect(tasks.length).toBeGreaterThanOrEqual(15));

describe.each(tasks)('the twin of $name', ({ set }) => {
  it('has another prompt for most problems, the same key, and accepts what its problem accepts', () => {
    let others = 0;
    for (let index = 0; index < 20; index++) {
      const item = set.trainItem(1, index);
      const twin = set.twin?.(item);
      if (twin === undefined) continue;
      if (twin.prompt !== item.prompt) others++;
      expect(twin.key).toBe(item.key);
      if (set.environment.plays(item)) continue;
      for (const [asked, answer] of [
        [item, twin.answer],
        [twin, item.answer],
        [twin, twin.answer],
      ] as const) {
        expect(set.verify(asked, answer, { finishReason: 'eos' }), item.prompt).toMatchObject({ score: 1 });
      }
    }
    expect(others).toBeGreaterThan(5);
  });
});
