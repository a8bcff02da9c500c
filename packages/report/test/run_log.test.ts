/** A log that is read as it grows gives what one gives that is read at once. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/run/json.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { readRun } from '../read_run.ts';
import { RunLog } from '../run_log.ts';
import { readCurves } from './read_curves.ts';
import { directory, evaluation, step } from './run_directory.ts';

const PLANNED = [{ stage: 'grpo' }];
const text = (lines: readonly JsonObject[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const replace = (store: Store, content: string): Promise<void> =>
  store.writeAtomic('metrics.jsonl', new TextEncoder().encode(content));

it('reads what came since, whole lines alone, and no byte twice', async () => {
  const lines = [evaluation('grpo', 0, 'baseline', 0.1), ...Array.from({ length: 30 }, (_, i) => step('grpo', i + 1))];
  const store = await directory({ metrics: [] });
  const ranges: number[] = [];
  const counting: Store = {
    ...store,
    size: (path) => store.size(path),
    readRange: (path, begin, end) => {
      if (path === 'metrics.jsonl') ranges.push(begin);
      return store.readRange(path, begin, end);
    },
  };
  const log = new RunLog(counting);
  const whole = text(lines);
  for (const share of [0, 0.3, 0.31, 0.9, 1]) {
    await store.append('metrics.jsonl', whole.slice((await store.size('metrics.jsonl')) ?? 0, share * whole.length));
    await log.read(PLANNED);
  }
  expect(log.curves()).toEqual(readCurves(lines, PLANNED));
  expect(log.evaluations).toEqual(lines.slice(0, 1));
  expect(log.newestStep).toBe(30);
  const lastRead = ranges.length;
  await log.read(PLANNED);
  expect(ranges.slice(lastRead)).toEqual([whole.length - text(lines.slice(-1)).length]); // the last line, to know it
});

it('begins anew with a log that a resumed run has cut, and with other stages', async () => {
  const store = await directory({ metrics: [step('grpo', 1), step('grpo', 2, { reward: 1 }), step('grpo', 3)] });
  const log = new RunLog(store);
  await log.read(PLANNED);
  const cut = [step('grpo', 1), step('grpo', 2, { reward: 0 }), step('grpo', 3, { reward: 0 }), step('grpo', 4)];
  await replace(store, text(cut));
  await Promise.all([log.read(PLANNED), log.read(PLANNED)]);
  expect(log.curves()).toEqual(readCurves(cut, PLANNED));
  await log.read([{ stage: 'sft' }, { stage: 'grpo' }]);
  expect(log.curves().stages[0]?.index).toBe(1);
});

it('names a damaged line by its number in the file, and reads on once it is mended', async () => {
  const store = await directory({ metrics: [step('grpo', 1), step('grpo', 2)] });
  const log = new RunLog(store);
  await readRun(store, log);
  await store.append('metrics.jsonl', `{"step": 3,\n${text([step('grpo', 4)])}`);
  for (let i = 0; i < 2; i++) await expect(readRun(store, log)).rejects.toThrow('metrics.jsonl:3  not a JSON object');
  await replace(store, text([step('grpo', 1), step('grpo', 2), step('grpo', 3)]));
  const { newestStep, curves } = await readRun(store, log);
  expect([newestStep, curves.stages[0]?.steps]).toEqual([{ stage: 0, step: 3 }, [1, 2, 3]]);
});
