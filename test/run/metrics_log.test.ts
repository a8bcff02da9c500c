import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MetricsLog } from '../../src/run/logs/metrics_log.ts';
import { fileStore } from '../../src/run/store/files.node.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { folderOfTest } from '../support/folders.ts';
import { fullStore } from './faulty_store.ts';

const PATH = 'metrics.jsonl';

async function readText(store: Store): Promise<string> {
  return new TextDecoder().decode((await store.read(PATH)) ?? new Uint8Array(0));
}

async function readSteps(store: Store): Promise<number[]> {
  const lines = (await readText(store)).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { step: number }).step);
}

/** A log whose clock stands still, so that it writes only when asked. */
const openStill = (store: Store) => MetricsLog.open(store, PATH, { clock: () => 0 });

describe('the metrics log', () => {
  it('writes one object per line, in order, under the names given', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ step: 1, 'completions/mean_length': 12.5 });
    await log.append({ step: 2, eval_reward: 0.25 });
    await log.flush();
    expect(await readText(store)).toBe('{"step":1,"completions/mean_length":12.5}\n{"step":2,"eval_reward":0.25}\n');
  });

  it('knows its length in bytes, held lines included', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ message: 'ü 漢 😀' });
    await log.append({ message: 'plain' });
    const { end } = log;
    await log.flush();
    expect(end).toBe(await store.size(PATH));
    expect(log.end).toBe(end);
  });

  it('shows NaN and infinities as strings, nested ones too', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ loss: Number.NaN, grad_norm: Number.POSITIVE_INFINITY, list: [Number.NEGATIVE_INFINITY] });
    await log.flush();
    expect(await readText(store)).toBe('{"loss":"NaN","grad_norm":"Infinity","list":["-Infinity"]}\n');
  });

  it('any record comes back from its line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), async (record) => {
        const store = memoryStore();
        const log = await openStill(store);
        const plain = JSON.parse(JSON.stringify(record));
        await log.append(plain);
        await log.flush();
        const text = await readText(store);
        expect(text.indexOf('\n')).toBe(text.length - 1);
        expect(JSON.parse(text)).toEqual(plain);
      }),
    );
  });

  it('holds lines back until a second has passed', async () => {
    const store = memoryStore();
    let now = 0;
    const log = await MetricsLog.open(store, PATH, { clock: () => now });
    await log.append({ step: 1 });
    expect(await readSteps(store)).toEqual([]);
    now = 1_000;
    await log.append({ step: 2 });
    expect(await readSteps(store)).toEqual([1, 2]);
  });

  it('holds at most 64 lines', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    for (let step = 1; step <= 65; step++) await log.append({ step });
    expect(await readSteps(store)).toHaveLength(64);
  });

  it('bytes() writes what is held and is the length of the file in bytes', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ step: 1, note: 'µ' });
    expect(await log.bytes()).toBe(await store.size(PATH));
    expect(await readSteps(store)).toEqual([1]);
  });

  it('writes the log before it first, so that nothing is told of what is not there', async () => {
    const store = memoryStore();
    const before = await MetricsLog.open(store, 'completions.jsonl', { clock: () => 0 });
    const log = await MetricsLog.open(store, PATH, { clock: () => 0, after: before });
    await before.append({ step: 1 });
    await log.append({ step: 1 });
    await log.flush();
    expect(await store.size('completions.jsonl')).toBe(11);
  });

  it('bytes() of a log that the store does not keep is 0', async () => {
    const store = memoryStore();
    const log = await openStill({ ...fullStore(store, () => false), append: async () => {} });
    await log.append({ step: 1 });
    expect(await log.bytes()).toBe(0);
  });

  it('bytes() of an empty log is 0', async () => {
    expect(await (await openStill(memoryStore())).bytes()).toBe(0);
  });

  it('keeps the order of calls that nobody awaits', async () => {
    const store = memoryStore();
    const log = await MetricsLog.open(store, PATH, { flushMs: 0 });
    await Promise.all(Array.from({ length: 20 }, (_, step) => log.append({ step })));
    expect(await readSteps(store)).toEqual(Array.from({ length: 20 }, (_, step) => step));
  });
});

describe('a log beyond 2 GiB', () => {
  const root = folderOfTest();

  it('is opened and cut back by its tail alone', async () => {
    const size = 2.5 * 1024 ** 3;
    await writeFile(join(root(), PATH), '');
    await truncate(join(root(), PATH), size); // a hole, which takes no room on the disk
    await appendFile(join(root(), PATH), '\n{"step":1}\n{"step":2}\n{"st');
    const log = await openStill(fileStore(root()));
    expect(await log.bytes()).toBe(size + 23);
    expect(await log.truncateTo(size + 15)).toEqual({ bytes: size + 12, cutBytes: 11, missingBytes: 3 });
    await log.append({ step: 3 });
    expect(await log.bytes()).toBe(size + 23);
  });
});

describe('resuming a metrics log', () => {
  it('cut back to a checkpoint, it goes on as if the later steps had never been', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ step: 1 });
    const position = await log.bytes();
    await log.append({ step: 2 });
    await log.flush();

    const resumed = await openStill(store);
    expect(await resumed.truncateTo(position)).toEqual({ bytes: position, cutBytes: 11, missingBytes: 0 });
    await resumed.append({ step: 22 });
    expect(await resumed.bytes()).toBe(position + 12);
    expect(await readSteps(store)).toEqual([1, 22]);
  });

  it('a kill in the middle of an append, anywhere, leaves only whole lines after opening', async () => {
    const whole = '{"step":1}\n{"step":2,"note":"µ"}\n';
    const bytes = new TextEncoder().encode(whole);
    for (let length = 0; length <= bytes.length; length++) {
      const store = memoryStore();
      await store.writeAtomic(PATH, bytes.subarray(0, length));
      const log = await openStill(store);
      await log.append({ step: 3 });
      await log.flush();
      const steps = await readSteps(store);
      expect(steps).toEqual(length === bytes.length ? [1, 2, 3] : length >= 11 ? [1, 3] : [3]);
    }
  });

  it('a log that is shorter than the checkpoint says is kept, and the gap reported', async () => {
    const store = memoryStore();
    await store.append(PATH, '{"step":1}\n');
    expect(await (await openStill(store)).truncateTo(30)).toEqual({ bytes: 11, cutBytes: 0, missingBytes: 19 });
  });

  it('a position within a line cuts that line', async () => {
    const store = memoryStore();
    await store.append(PATH, '{"step":1}\n{"step":2}\n');
    expect(await (await openStill(store)).truncateTo(15)).toEqual({ bytes: 11, cutBytes: 11, missingBytes: 4 });
    expect(await readSteps(store)).toEqual([1]);
  });

  it('held lines are dropped with the steps they belong to', async () => {
    const store = memoryStore();
    const log = await openStill(store);
    await log.append({ step: 1 });
    await log.truncateTo(0);
    expect(await log.bytes()).toBe(0);
  });
});

describe('a metrics log on a full disk', () => {
  it('fails loudly, and once there is room again has every line once', async () => {
    const inner = memoryStore();
    let isFull = false;
    const log = await openStill(fullStore(inner, () => isFull));
    await log.append({ step: 1 });
    await log.flush();
    isFull = true;
    await log.append({ step: 2 });
    await expect(log.flush()).rejects.toMatchObject({ code: 'disk-full' });
    isFull = false;
    await log.append({ step: 3 });
    expect(await log.bytes()).toBe(33);
    expect(await readSteps(inner)).toEqual([1, 2, 3]);
  });
});
