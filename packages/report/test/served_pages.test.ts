/** What the server of the pages reads of a run's directory for them. */
import { expect, it } from 'vitest';
import { writeChange } from '../../../src/run/checkpoint/setting_changes.ts';
import { readOutline } from '../outline.ts';
import { RunLog } from '../run_log.ts';
import { newestCompletions } from '../served_pages.ts';
import { completion, directory, SUMMARY, step } from './run_directory.ts';

const STEPS = 750;
/** Six megabytes of them in all. */
const LONG = 'x'.repeat(1000);

const logOf = (more: Parameters<typeof directory>[0] = {}) => {
  const numbers = Array.from({ length: STEPS }, (_, i) => i + 1);
  const completions = numbers.flatMap((number) =>
    Array.from({ length: 8 }, (_, i) => completion(number, i >> 2, { completion: LONG })),
  );
  return directory({ metrics: numbers.map((number) => step('grpo', number)), completions, ...more });
};

it('a run that is over has all of its steps counted, and those that are left out spread evenly', async () => {
  const store = await logOf({ summary: SUMMARY });
  const data = await newestCompletions({ store, log: new RunLog(store) });
  expect([data.stepsRecorded, data.isEnd]).toEqual([STEPS, false]);
  expect(data.stepsKept).toBeLessThan(STEPS);
  const steps = [...new Set(data.groups.map(({ step: number }) => number))];
  expect([steps[0], steps.at(-1)]).toEqual([1, STEPS]);
});

it('of a run under way the end of the log is read, and no step of which a part is missing', async () => {
  const store = await logOf();
  const data = await newestCompletions({ store, log: new RunLog(store) });
  expect(data.isEnd).toBe(true);
  expect(data.stepsKept).toBe(data.stepsRecorded);
  const [first] = data.groups;
  expect(data.groups.filter(({ step: number }) => number === first?.step)).toHaveLength(2);
  expect(first?.members).toHaveLength(4);
  expect(data.groups.at(-1)?.step).toBe(STEPS);
});

it('steps that were changed after the start are those that a page counts to', async () => {
  const store = await directory({});
  await writeChange(store, { stageIndex: 0, step: 600, settings: { max_steps: 900 } });
  await writeChange(store, { stageIndex: 0, step: 700, settings: { learning_rate: 1e-4 } });
  expect((await readOutline(store)).outline.stages).toEqual([{ stage: 'grpo', max_steps: 900 }]);
});
