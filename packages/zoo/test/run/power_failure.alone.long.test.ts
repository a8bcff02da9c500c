/**
 * Three faults of a disk under a whole session: power failures that lose and reorder what was not fsync'ed, a disk that
 * is full at any write, and one flipped bit in any file of a checkpoint.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CheckpointError } from '../../../../src/errors.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { finish, metricsOf, YAML } from '../../../../test/run/tiny_run.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { refusalOf } from '../../../../test/support/refusals.ts';
import { type Loss, SimulatedDisk } from './simulated_disk.ts';

/** Every n-th moment is tried; all of them where the release check asks for 20 kills or more. */
const EVERY = Number(process.env.RLVR_KILLS ?? 3) >= 20 ? 1 : budget({ quick: 23, all: 23, release: 11 });

const held = vi.hoisted(() => ({ disk: undefined as unknown }));
vi.mock('node:fs/promises', () => {
  const calls = ['open', 'mkdir', 'readdir', 'readFile', 'writeFile', 'rename', 'rm', 'stat'] as const;
  const asked = (name: (typeof calls)[number]) =>
    ((...given: never[]) =>
      ((held.disk as SimulatedDisk).calls[name] as (...args: never[]) => unknown)(...given)) as never;
  return Object.fromEntries(calls.map((name) => [name, asked(name)]));
});

// A lock whose text was lost is looked at twenty times, 50 ms apart: nobody is there who would write it meanwhile.
const wait = setTimeout;
vi.stubGlobal('setTimeout', (done: () => void, ms?: number) => wait(done, ms === 50 ? 0 : ms));

const yaml = YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001');
const PLACE = '/runs/one';
let whole: Store;
let sha256: string;
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  whole = memoryStore();
  sha256 = (await finish({ store: whole, yaml })).weightsSha256;
});

function insert(disk: SimulatedDisk): Store {
  held.disk = disk;
  return fileStore(PLACE);
}

/** What a power failure left, on the machine that was started again: a lock is of another boot. */
async function insertAfterReboot(disk: SimulatedDisk): Promise<Store> {
  const store = insert(disk);
  const lock = await store.read('.lock');
  if (lock !== undefined) {
    const text = new TextDecoder().decode(lock).replace(/"boot":"[^"]*"/, '"boot":"before"');
    await store.writeAtomic('.lock', new TextEncoder().encode(text));
  }
  return store;
}

/** Everything that a finished run promises, whatever came before. */
async function expectWhole(store: Store): Promise<void> {
  const summary = JSON.parse(new TextDecoder().decode(await store.read('summary.json')));
  expect(summary.weightsSha256).toBe(sha256);
  expect(await metricsOf(store)).toEqual(await metricsOf(whole));
  expect(await store.read('completions.jsonl')).toEqual(await whole.read('completions.jsonl'));
  expect(await store.read('model/model.safetensors')).toEqual(await whole.read('model/model.safetensors'));
  const names = [...(held.disk as SimulatedDisk).files().keys()];
  expect(names.filter((name) => /\/\./.test(name))).toEqual([]);
}

/** Goes on, or starts where nothing of a run was left. @returns the checkpoint that it went on from */
async function goOn(store: Store): Promise<string | undefined> {
  const resume = await store.exists('fingerprint.json');
  let from: string | undefined;
  await finish({
    store,
    yaml,
    resume,
    heard: (event) => {
      if (event.type === 'note') from ??= /^resumed from checkpoint (.*)\.$/.exec(event.message)?.[1];
    },
  });
  return from;
}

const stepOf = (name: string | undefined): number => Number(name?.split('-')[1] ?? 0);

describe('after a power failure at any fsync', () => {
  const rng = rngFor('power failures');
  const half = (): boolean => rng.float() < 0.5;
  const losses: [string, Loss][] = [
    ['everything that was not fsynced is lost', { keepsEntry: () => false, bytesOf: (durable) => durable }],
    ['names are kept, and bytes are lost', { keepsEntry: () => true, bytesOf: (durable) => durable }],
    ['bytes are kept, and names are lost', { keepsEntry: () => false, bytesOf: (_, written) => written }],
    ['nothing is lost', { keepsEntry: () => true, bytesOf: (_, written) => written }],
    [
      'any part is lost, in any order',
      {
        keepsEntry: half,
        bytesOf: (durable, written) => {
          if (half()) return durable;
          const added = Math.max(0, written.length - durable.length);
          return written.subarray(0, written.length - Math.floor(rng.float() * (added + 1)));
        },
      },
    ],
  ];

  it.each(losses)(
    '%s: the run goes on from a checkpoint that was saved, to the same bits',
    async (_, loss) => {
      const states: { readonly disk: SimulatedDisk; readonly saved: number }[] = [];
      const disk = new SimulatedDisk();
      let saved = 0;
      let moment = 0;
      disk.onSync = () => {
        if (moment++ % EVERY === 0) states.push({ disk: disk.afterPowerFailure(loss), saved });
      };
      await finish({
        store: insert(disk),
        yaml,
        heard: (event) => {
          if (event.type === 'checkpoint') saved = stepOf(event.name);
        },
      });
      expect(moment).toBeGreaterThan(80);
      for (const state of states) {
        const store = await insertAfterReboot(state.disk);
        const from = await goOn(store);
        expect(stepOf(from)).toBeGreaterThanOrEqual(state.saved);
        await expectWhole(store);
      }
    },
    600_000,
  );
});

describe('on a disk that is full', () => {
  it('at any write, the run says so, touches nothing that is whole, and goes on when there is room', async () => {
    const counted = new SimulatedDisk();
    await finish({ store: insert(counted), yaml });
    expect(counted.writes).toBeGreaterThan(60);
    let refused = 0;
    for (let from = 0; from < counted.writes; from += EVERY) {
      const disk = new SimulatedDisk();
      disk.fullFrom = from;
      const store = insert(disk);
      let saved = 0;
      const failed = finish({
        store,
        yaml,
        heard: (event) => {
          if (event.type === 'checkpoint') saved = stepOf(event.name);
        },
      });
      expect(await refusalOf(CheckpointError, failed)).toMatchObject({ code: 'disk-full' });
      refused++;
      disk.fullFrom = Number.POSITIVE_INFINITY;
      expect(stepOf(await goOn(store))).toBeGreaterThanOrEqual(saved);
      await expectWhole(store);
    }
    expect(refused).toBeGreaterThan(60 / EVERY - 1);
  }, 600_000);
});

describe('with one flipped bit', () => {
  /** A run that was stopped behind its third checkpoint, and two of them on the disk. */
  async function stopped(): Promise<Store> {
    const store = insert(new SimulatedDisk());
    const failed = finish({
      store,
      yaml,
      heard: (event) => {
        if (event.type === 'checkpoint' && event.name === 'grpo-3') throw new Error('stopped');
      },
    });
    await expect(failed).rejects.toThrow('stopped');
    expect(await store.list('checkpoints')).toEqual(['grpo-2', 'grpo-3']);
    return store;
  }

  const damaged = async (path: string, position: number, bit: number): Promise<void> => {
    const store = await stopped();
    const bytes = (await store.read(path)) as Uint8Array;
    bytes[position] ^= 1 << bit;
    await store.writeAtomic(path, bytes);
    const notes: string[] = [];
    const before = (held.disk as SimulatedDisk).files();
    await finish({
      store,
      yaml,
      resume: true,
      heard: (event) => {
        if (event.type === 'note') notes.push(event.message);
        // Nothing is touched before it is said what is wrong.
        if (event.type === 'note') files = (held.disk as SimulatedDisk).files();
      },
    });
    expect(notes[0]).toMatch(/^checkpoint grpo-3 is damaged \(.+\); the one before it is used\.$/);
    expect(notes[1]).toBe('resumed from checkpoint grpo-2.');
    for (const [name, text] of before) if (name.includes('checkpoints')) expect(files.get(name)).toBe(text);
    await expectWhole(store);
  };

  it.each(['weights.safetensors', 'optimizer.safetensors', 'state.json'])(
    'in %s the one before is used',
    async (name) => {
      const path = `checkpoints/grpo-3/${name}`;
      const { length } = (await (await stopped()).read(path)) as Uint8Array;
      const rng = rngFor(`flips|${name}`);
      for (let flip = 0; flip < 44 / EVERY; flip++) {
        await damaged(path, Math.floor(rng.float() * length), Math.floor(rng.float() * 8));
      }
    },
    600_000,
  );

  it('in each field of the manifest the one before is used', async () => {
    const path = 'checkpoints/grpo-3/manifest.json';
    const text = new TextDecoder().decode(await (await stopped()).read(path));
    const fields = [...text.matchAll(/"(\w[\w.]*)": (?:"?)([\w.-])/g)];
    expect(fields.map(([, name]) => name)).toEqual(
      expect.arrayContaining(['format', 'sequence', 'stage', 'step', 'metricsBytes', 'configHash', 'seed', 'checksum']),
    );
    const places: number[] = [];
    for (const field of fields) {
      const value = field.index + field[0].length - 1;
      places.push(field.index + 1, value);
    }
    // An odd number of them, so that names and values are among those that are tried.
    for (const position of fewOf(places, { quick: 9, all: 11 })) await damaged(path, position, 0);
  }, 600_000);
});
