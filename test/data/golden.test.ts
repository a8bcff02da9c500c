import { expect, it } from 'vitest';
import type { TaskItem } from '../../src/data/task.ts';
import { murmur3OfText } from '../../src/kernels/murmur3.ts';
import { createTask, onlyTask } from '../support/tasks.ts';

/**
 * Digest of the first training items, demonstrations and held-out items of a task. When it changes, checkpoints
 * and published results no longer mean the same problems: raise the task's version, then write the new digest here.
 */
function digestOf(name: string): string {
  const task = createTask({ name });
  const text = (item: TaskItem) =>
    JSON.stringify(item, (key, value) => (key === 'weight' && value === 1 ? undefined : value));
  const lines = Array.from({ length: 300 }, (_, index) => {
    const item = task.trainItem(0, index);
    return `${text(item)} ${task.demonstrationTokens(item, 0, index).join(' ')}`;
  });
  lines.push(...task.heldOutItems().map(text));
  const digest = new Uint32Array(4);
  murmur3OfText(lines.join('\n'), digest);
  return `v${onlyTask(task).version} ${[...digest].map((word) => word.toString(16).padStart(8, '0')).join('')}`;
}

it.each([
  ['countdown', 'v2 a854fc74c81e4b0f7e96af10d9a792a6'],
  ['sort_digits', 'v1 0f4a94ce498334b0e71d968ae42c0953'],
  ['reverse_text', 'v1 9a9a6e629d4ec825abee838696b8e96c'],
])('%s draws the same problems as when version and digest were written', (name, expected) => {
  expect(digestOf(name)).toBe(expected);
});
