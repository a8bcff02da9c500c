/** A place that merge and export write: whole, or not there. */
import { readdirSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { writeWhole } from '../runs/give_away.ts';

eachInOwnFolder();
afterEach(() => vi.restoreAllMocks());

const bytes = new Uint8Array(10);

it('has its name once it is whole, and nothing is left of what failed', async () => {
  await writeWhole('whole.gguf', (store, file) => store.append(file, bytes));
  const failing = writeWhole('failed.gguf', async (store, file) => {
    await store.append(file, bytes);
    throw new Error('no more room');
  });
  await expect(failing).rejects.toThrow('no more room');
  expect(readdirSync('.')).toEqual(['whole.gguf']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'is gone where %s ends the process, which it then does',
  async (signal) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const listening = process.listenerCount(signal);
    const written = writeWhole('cut.gguf', async (store, file) => {
      await store.append(file, bytes);
      expect(readdirSync('.')).toHaveLength(1);
      process.emit(signal, signal);
      expect(readdirSync('.')).toEqual([]);
      expect(kill.mock.calls).toEqual([[process.pid, signal]]);
      throw new Error('the process has ended');
    });
    await expect(written).rejects.toThrow('the process has ended');
    expect(process.listenerCount(signal)).toBe(listening);
  },
);
