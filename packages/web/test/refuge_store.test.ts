/** A full disk ends no training: what was there moves into memory, and the page hears of it once. */
import { expect, it } from 'vitest';
import { CheckpointError } from '../../../src/errors.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import { allFiles, refugeStore } from '../store/refuge_store.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A store that takes `writes` of them, and then is full. */
function small(writes: number): Store {
  const store = memoryStore();
  let left = writes;
  return new Proxy(store, {
    get: (_, name: keyof Store) => {
      const method = (store[name] as (...words: unknown[]) => unknown).bind(store);
      if (!['writeAtomic', 'append'].includes(name)) return method;
      return async (...words: unknown[]) => {
        if (left-- <= 0) throw new CheckpointError('disk-full', 'the storage of this site is full.');
        return method(...words);
      };
    },
  });
}

it('goes on in memory with everything that was there, and says why, once', async () => {
  const said: string[] = [];
  const store = refugeStore(small(2), (reason) => said.push(reason));
  await store.writeAtomic('config.yaml', bytes('task'));
  await store.append('logs/metrics.jsonl', 'one\n');
  await store.append('logs/metrics.jsonl', 'two\n');
  await store.writeAtomic('summary.json', bytes('{}'));
  const files = await allFiles(store);
  const texts = [...files].map(([path, content]) => [path, new TextDecoder().decode(content)]);
  expect(Object.fromEntries(texts)).toEqual({
    'config.yaml': 'task',
    'logs/metrics.jsonl': 'one\ntwo\n',
    'summary.json': '{}',
  });
  expect(said).toEqual(['the storage of this site is full.']);
});

it('leaves mistakes of the caller as they are', async () => {
  const said: string[] = [];
  const store = refugeStore(memoryStore(), (reason) => said.push(reason));
  await expect(store.writeAtomic('../outside', bytes(''))).rejects.toThrow(/not a path inside/);
  expect(said).toEqual([]);
});
