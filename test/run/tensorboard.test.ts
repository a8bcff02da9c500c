import { describe, expect, it } from 'vitest';
import type { TrainEvent } from '../../src/grpo/events.ts';
import { crc32c, encodeEvent, joinBytes, type TensorBoardEvent } from '../../src/run/event_file.ts';
import { memoryStore, type Store } from '../../src/run/store.ts';
import { TensorBoardLog } from '../../src/run/tensorboard.ts';
import { loadGolden } from '../golden/load.ts';
import { fullStore } from './faulty_store.ts';

const NOW = 1_700_000_000;
const FIRST = 'tensorboard/2-grpo/events.out.tfevents.000000.rlvr-train';
const SECOND = 'tensorboard/2-grpo/events.out.tfevents.000001.rlvr-train';

type Said = TensorBoardEvent extends infer E ? (E extends unknown ? Omit<E, 'wallSeconds'> : never) : never;

/** The bytes of a file that says these things at the moment NOW. */
const fileOf = (...said: readonly Said[]) =>
  joinBytes(said.map((event) => encodeEvent({ wallSeconds: NOW, ...event } as TensorBoardEvent)));
const opening = (step: number): Said[] => [
  { type: 'version', step: 0 },
  { type: 'session', step },
];
const scalars = (step: number, ...list: [string, number][]): Said => ({ type: 'scalars', step, scalars: list });

const stage = (step: number): TrainEvent => ({ type: 'stage', stage: 'grpo', index: 1, step, maxSteps: 9 });
const stepEvent = (step: number, metrics: Record<string, number | string>): TrainEvent => ({
  type: 'step',
  stage: 'grpo',
  step,
  metrics: { step, stage: 'grpo', ...metrics },
});

async function write(store: Store, ...events: readonly TrainEvent[]): Promise<TensorBoardLog> {
  const log = new TensorBoardLog(store, () => NOW);
  for (const event of events) await log.handle(event);
  await log.flush();
  return log;
}

describe('event records', () => {
  it('have the bytes that TensorBoard writes itself', () => {
    const golden = loadGolden('tensorboard');
    const records = golden.events.map(({ type, wall_seconds: wallSeconds, step, scalars: list }) =>
      encodeEvent({ type, wallSeconds, step, scalars: list.map(([tag, value]) => [tag, value ?? Number.NaN]) }),
    );
    expect(Buffer.from(joinBytes(records)).toString('base64')).toBe(golden.bytes);
  });

  it('carry the CRC-32C of RFC 3720', () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  });
});

describe('the TensorBoard log', () => {
  it("keeps a stage's numbers under the tags of Hugging Face's trainer", async () => {
    const store = memoryStore();
    const evaluation = {
      accuracy: { mean: 0.5, low: 0.4, high: 0.6, count: 10 },
      meanAtK: { mean: 0.25, low: 0.2, high: 0.3, count: 10 },
      passAtK: {},
      samples: 4,
      meanLength: 7,
      examples: [],
    };
    const event: TrainEvent = { type: 'evaluation', moment: 'baseline', stage: 'grpo', step: 0, evaluation };
    await write(store, stage(0), event, stepEvent(1, { reward: 0.75, 'completions/mean_length': 6, loss: Number.NaN }));
    expect(await store.read(FIRST)).toEqual(
      fileOf(
        ...opening(0),
        scalars(
          0,
          ['eval/accuracy', 0.5],
          ['eval/accuracy_low', 0.4],
          ['eval/accuracy_high', 0.6],
          ['eval/mean@4', 0.25],
          ['eval/mean@4_low', 0.2],
          ['eval/mean@4_high', 0.3],
          ['eval/completions/mean_length', 7],
          ['eval/problems', 10],
        ),
        scalars(1, ['train/reward', 0.75], ['train/completions/mean_length', 6], ['train/loss', Number.NaN]),
      ),
    );
  });

  it('goes on in a new file that voids what was written beyond the checkpoint', async () => {
    const store = memoryStore();
    await write(store, stage(0), stepEvent(1, { reward: 1 }), stepEvent(2, { reward: 2 }), stepEvent(3, { reward: 3 }));
    const before = await store.read(FIRST);
    await write(store, stage(2), stepEvent(3, { reward: 3 }));
    expect(await store.read(FIRST)).toEqual(before);
    expect(await store.read(SECOND)).toEqual(fileOf(...opening(3), scalars(3, ['train/reward', 3])));
  });

  it('voids everything where a stage begins again', async () => {
    const store = memoryStore();
    await write(store, stage(0), stepEvent(1, { reward: 1 }));
    await write(store, stage(0));
    expect(await store.read(SECOND)).toEqual(fileOf(...opening(0)));
  });

  it('writes again whole what a full disk cut short', async () => {
    const store = memoryStore();
    let full = false;
    const log = await write(
      fullStore(store, () => full),
      stage(0),
    );
    full = true;
    await log.handle(stepEvent(1, { reward: 1 }));
    await expect(log.flush()).rejects.toMatchObject({ code: 'disk-full' });
    full = false;
    await log.flush();
    expect(await store.read(FIRST)).toEqual(fileOf(...opening(0), scalars(1, ['train/reward', 1])));
  });
});
