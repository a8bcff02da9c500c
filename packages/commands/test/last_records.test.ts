import { expect, it } from 'vitest';
import { memoryStore } from '../../../src/run/store/store.ts';
import { lastRecords } from '../runs/last_records.ts';

const LINES = ['{"i":1}', '{"i":2}', '{"i":3}'];

it('the end of a log begins with the first line that is whole there, to the byte', async () => {
  const store = memoryStore();
  await store.append('log', `${LINES.join('\n')}\n`);
  const last = async (mostBytes: number) => {
    const { records, isWhole } = await lastRecords(store, 'log', mostBytes);
    return [records.map(({ i }) => i), isWhole];
  };
  const line = LINES[0].length + 1;
  expect(await last(2 * line)).toEqual([[2, 3], false]);
  expect(await last(2 * line - 1)).toEqual([[3], false]);
  expect(await last(3 * line)).toEqual([[1, 2, 3], true]);
  expect(await last(3 * line - 2)).toEqual([[2, 3], false]);
  expect(await last(1)).toEqual([[], false]);
});
