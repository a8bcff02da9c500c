/** Runs that are given out whole: whatever becomes of workers and messages, each directory comes back as one machine leaves it. */
import { expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import type { WorkerBus } from '../bus.ts';
import { MemoryBroker } from '../memory_bus.ts';
import { PROTOCOL } from '../protocol.ts';
import { RunReceiver } from '../series/run_files.ts';
import { Series } from '../series/series.ts';
import { decodeSeriesReply, decodeSeriesRequest, encodeSeries, type SeriesRequest } from '../series/series_messages.ts';
import { type OwnRunFolder, type OwnTraining, serveSeries } from '../series/series_worker.ts';

const SERIES = '0123456789abcdef';
const STEPS = 6;
/** More than one message. */
const WEIGHTS = 1_500_000;
const WORKERS = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = async (store: Store, path: string): Promise<string> =>
  new TextDecoder().decode((await store.read(path)) ?? new Uint8Array());

/** A training that appends a line a step, saves a checkpoint, and may die at one. */
function training(store: Store, config: string, dies: (step: number) => boolean): OwnTraining {
  const state = { step: 0, saved: 0, isStopped: false, isKilled: false };
  const work = async (): Promise<Awaited<OwnTraining['ended']>> => {
    await store.writeAtomic('fingerprint.json', bytes(config));
    const [kept] = (await store.list('checkpoints')).sort().reverse();
    state.step = kept === undefined ? 0 : Number(await textOf(store, `checkpoints/${kept}/manifest.json`));
    const log = (await textOf(store, 'metrics.jsonl')).split('\n').slice(0, state.step);
    await store.writeAtomic('metrics.jsonl', bytes(log.map((line) => `${line}\n`).join('')));
    while (state.step < STEPS && !state.isStopped && !state.isKilled) {
      await new Promise((done) => setTimeout(done, 1));
      if (dies(state.step)) throw new Error('killed');
      state.step++;
      await store.append('metrics.jsonl', `${config} step ${state.step}\n`);
      const before = (await store.list('checkpoints'))[0];
      const name = `checkpoints/grpo-${state.step}`;
      await store.writeAtomic(`${name}/weights`, new Uint8Array(WEIGHTS).fill(state.step));
      await store.writeAtomic(`${name}/manifest.json`, bytes(String(state.step)));
      if (before !== undefined) await store.remove(`checkpoints/${before}`);
      state.saved++;
    }
    if (state.step < STEPS) return { outcome: 'stopped' };
    await store.writeAtomic('summary.json', bytes(config));
    return { outcome: 'finished' };
  };
  return {
    ended: work(),
    get step() {
      return state.step;
    },
    get saved() {
      return state.saved;
    },
    stop: () => {
      state.isStopped = true;
    },
    kill: () => {
      state.isKilled = true;
    },
  };
}

/** Serves a series until it is over; what kills a training kills its worker, which says no more. */
async function serve(
  broker: MemoryBroker,
  worker: string,
  { dies = () => false, loses = () => false }: { dies?: (step: number) => boolean; loses?: () => boolean } = {},
): Promise<void> {
  const bus = broker.worker();
  const ask: typeof bus.ask = async (run, request) => {
    if (loses()) return undefined;
    const reply = await bus.ask(run, request);
    return loses() ? undefined : reply;
  };
  const makeFolder = (): OwnRunFolder => {
    const store = memoryStore();
    return {
      store,
      refuses: async () => undefined,
      train: ({ config }) => training(store, config, dies),
      remove: () => undefined,
    };
  };
  const how = { run: SERIES, backend: 'wasm', name: worker.slice(0, 1), say: () => undefined, aliveMs: 2 };
  for (;;) {
    const options = { ...how, bus: { ...bus, ask }, worker, makeFolder, signal: { aborted: false } };
    const served = await serveSeries(options).catch((error: Error) => error);
    if (served === 'over' || (served instanceof Error && served.message === 'killed')) return;
    await new Promise((done) => setTimeout(done, 2));
  }
}

interface Given {
  readonly series: Series;
  readonly stores: readonly Store[];
  readonly said: string[];
  readonly broker: MemoryBroker;
  /** Until all runs are done. */
  finish(): Promise<void>;
}

async function give(runs: number, silenceMs = 60): Promise<Given> {
  const said: string[] = [];
  const stores = Array.from({ length: runs }, () => memoryStore());
  const series = new Series(
    stores.map((store, i) => ({ name: `seed ${i}`, config: `config ${i}`, store })),
    { say: (line) => said.push(line), nameOf: (worker) => `worker ${worker.slice(0, 1)}`, silenceMs },
  );
  const broker = new MemoryBroker();
  const bus = broker.learner();
  await bus.open(SERIES, 1000, {
    presence: () => undefined,
    result: () => new Uint8Array(),
    restart: () => undefined,
    series: (request) => series.hear(request),
  });
  const finish = async (): Promise<void> => {
    try {
      while (!series.isDone) {
        await series.look(2);
        await new Promise((done) => setTimeout(done, 2));
      }
    } finally {
      await series.close();
      await bus.close();
    }
  };
  return { series, stores, said, broker, finish };
}

async function expectWhole(stores: readonly Store[]): Promise<void> {
  for (const [i, store] of stores.entries()) {
    const lines = Array.from({ length: STEPS }, (_, step) => `config ${i} step ${step + 1}\n`).join('');
    expect(await textOf(store, 'metrics.jsonl')).toBe(lines);
    expect(await textOf(store, 'summary.json')).toBe(`config ${i}`);
    expect(await store.list('checkpoints')).toEqual([`grpo-${STEPS}`]);
    const weights = (await store.read(`checkpoints/grpo-${STEPS}/weights`)) ?? new Uint8Array();
    expect(Buffer.compare(weights, new Uint8Array(WEIGHTS).fill(STEPS))).toBe(0);
  }
}

it('every run is trained once, by the workers that there are', async () => {
  const { broker, stores, said, finish } = await give(4, 10_000);
  const serving = WORKERS.slice(0, 2).map((worker) => serve(broker, worker));
  await finish();
  await Promise.all(serving);
  await expectWhole(stores);
  expect(said.filter((line) => line.includes('begins'))).toHaveLength(4);
});

it('the run of a worker that died is continued by another one, from its newest checkpoint', async () => {
  const { broker, stores, said, finish } = await give(2, 300);
  const serving = [serve(broker, WORKERS[0], { dies: (step) => step === 4 })];
  while (!said.some((line) => line.includes('begins'))) await new Promise((done) => setTimeout(done, 1));
  serving.push(serve(broker, WORKERS[1]));
  await finish();
  await Promise.all(serving);
  await expectWhole(stores);
  expect(said.join('\n')).toMatch(/worker a is silent; seed 0 is given to another worker/);
  expect(said).toContain('fleet: worker b continues seed 0');
});

it.each([1, 2, 3])('messages and replies are lost, by seed %i', async (seed) => {
  const rng = rngFor(`series|${seed}`);
  const { broker, stores, finish } = await give(2);
  const serving = WORKERS.map((worker) => serve(broker, worker, { loses: () => rng.float() < 0.05 }));
  await finish();
  await Promise.all(serving);
  await expectWhole(stores);
});

it('a run that fails on two workers ends the series, with what the first one says', async () => {
  const { series } = await give(1);
  const ask = async (worker: string, request: object) =>
    decodeSeriesReply(await series.hear(encodeSeries({ protocol: PROTOCOL, worker, ...request } as SeriesRequest)))
      .head;
  for (const worker of WORKERS.slice(0, 2)) {
    expect(await ask(worker, { ask: 'take', name: 'x' })).toMatchObject({ status: 'run', run: 0 });
    await ask(worker, { ask: 'leave', run: 0, outcome: 'failed', reason: `no memory on ${worker[0]}` });
    expect(await ask(worker, { ask: 'take', name: 'x' })).toEqual({ status: 'none' });
  }
  await expect(series.look(3)).rejects.toThrow('seed 0 fails, on worker a: no memory on a');
});

it('only who has a run may write to it, and nothing outside of its directory', async () => {
  const { series, stores } = await give(1);
  const ask = async (worker: string, request: object) =>
    decodeSeriesReply(
      await series.hear(encodeSeries({ protocol: PROTOCOL, worker, ...request } as SeriesRequest, bytes('x'))),
    ).head;
  const write = { ask: 'write', run: 0, path: 'metrics.jsonl', from: 0, offset: 0, size: 1 };
  expect(await ask(WORKERS[0], write)).toEqual({ status: 'lost' });
  await ask(WORKERS[0], { ask: 'take', name: 'x' });
  expect(await ask(WORKERS[1], write)).toEqual({ status: 'lost' });
  expect(await ask(WORKERS[0], write)).toEqual({ status: 'ok' });
  for (const path of ['../x', '/x', 'a/../../x', '.lock', 'checkpoints/.tmp-a/x', 'a\\b'])
    expect(await ask(WORKERS[0], { ...write, path })).toMatchObject({ status: 'refused' });
  expect(await stores[0].list('')).toEqual(['metrics.jsonl']);
  expect(await series.hear(bytes('nonsense'))).toBeInstanceOf(Uint8Array);
});

it('a part that comes twice is there once, and one that is missing is refused', async () => {
  const store = memoryStore();
  const receiver = new RunReceiver(store);
  const part = (path: string, text: string, offset: number, from = 0) =>
    receiver.write(path, bytes(text), { from, offset, size: 6 });
  for (const path of ['model/a', 'checkpoints/grpo-1/manifest.json']) {
    await part(path, 'abc', 0);
    await part(path, 'def', 3);
    await part(path, 'def', 3);
    await expect(part(path, 'xyz', 2)).rejects.toThrow(/a part was lost|cannot be taken/);
  }
  await receiver.write('log', bytes('abc'), { from: 0, offset: 0, size: 3 });
  await part('log', 'def', 3, 3);
  await part('log', 'def', 3, 3);
  await receiver.place(['model/a', 'log', 'checkpoints/grpo-1/manifest.json']);
  for (const path of ['model/a', 'log', 'checkpoints/grpo-1/manifest.json'])
    expect(await textOf(store, path)).toBe('abcdef');
  await receiver.place(['log']);
  expect(await store.list('')).toEqual(['log']);
});

const AS_WORKER = { run: SERIES, backend: 'wasm', worker: WORKERS[0], name: 'w', say: () => undefined };

it.each([
  ['names what a worker does not train', { config: 'bad' }, 'bad'],
  ['announces more than a disk holds', { files: [{ path: 'a.bin', size: 2 ** 36 }] }, '68719476736 bytes'],
  ['leads out of its directory', { files: [{ path: '../../x', size: 1 }] }, '"../../x" is no file'],
  ['names a lock', { files: [{ path: '.lock', size: 1 }] }, '".lock" is no file'],
])('a run that %s is given back before anything of it is fetched', async (_, given, why) => {
  const asked: string[] = [];
  const reasons: string[] = [];
  const bus: WorkerBus = {
    ...new MemoryBroker().worker(),
    ask: async (_run, message) => {
      const { head } = decodeSeriesRequest(message);
      asked.push(head.ask);
      if (head.ask === 'leave') reasons.push(head.reason ?? '');
      return encodeSeries(
        head.ask === 'take' ? { status: 'run', run: 0, name: 'one', config: '', ...given } : { status: 'ok' },
      );
    },
  };
  const makeFolder = (): OwnRunFolder => ({
    store: memoryStore(),
    refuses: async (config) => (config === 'bad' ? 'it is bad' : undefined),
    train: () => expect.unreachable(),
    remove: () => undefined,
  });
  const serving = serveSeries({ ...AS_WORKER, bus, makeFolder, signal: { aborted: false } });
  await expect(serving).rejects.toMatchObject({ code: 'fleet-not-taken', message: expect.stringContaining(why) });
  expect(asked).toEqual(['take', 'leave']);
  expect(reasons[0]).toContain(why);
});

it('a file that is announced takes no memory before it comes', async () => {
  const bus: WorkerBus = {
    ...new MemoryBroker().worker(),
    ask: async (_run, message) => {
      const { ask } = decodeSeriesRequest(message).head;
      const files = [{ path: 'a.bin', size: 2 ** 33 }];
      return encodeSeries(
        ask === 'take' ? { status: 'run', run: 0, name: 'one', config: '', files } : { status: 'lost' },
      );
    },
  };
  const before = process.memoryUsage().arrayBuffers;
  const makeFolder = (): OwnRunFolder => ({
    ...{ store: memoryStore(), refuses: async () => undefined, remove: () => undefined },
    train: () => expect.unreachable(),
  });
  expect(await serveSeries({ ...AS_WORKER, bus, makeFolder, signal: { aborted: false } })).toBe('trained'); // by another, as far as it knows
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
});

it('a file that a worker announces takes no memory of the learner before it comes', async () => {
  const receiver = new RunReceiver(memoryStore());
  const before = process.memoryUsage().arrayBuffers;
  for (const path of ['a', 'b', 'c'])
    await receiver.write(path, new Uint8Array(10), { from: 0, offset: 0, size: 2 ** 31 });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
});
