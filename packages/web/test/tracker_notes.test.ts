import { expect, it } from 'vitest';
import { parseConfig } from '../../../test/support/everything.ts';
import { trackerNotes } from '../tracker_notes.ts';

const notesOf = (...lines: string[]): string[] =>
  trackerNotes(parseConfig(['task: sort_digits', 'max_steps: 1', ...lines].join('\n'), { file: 'a.yaml' }).config);

it('a browser says which trackers and reporters it does not heed, and nothing of those that it does', () => {
  expect(notesOf()).toEqual([]);
  expect(notesOf('report_to: all')).toEqual([]);
  expect(notesOf('report_to: [tensorboard]')).toEqual([]);
  const [tracker, reporter, ...others] = notesOf('report_to: [tensorboard, mlflow]', 'reporters: [./mine.ts]');
  expect(tracker).toMatch(/^report_to: mlflow — .*rlvr-train track/);
  expect(reporter).toMatch(/^reporters: \.\/mine\.ts — /);
  expect(others).toEqual([]);
});
