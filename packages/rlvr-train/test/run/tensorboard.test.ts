import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import type { TrainEvent } from '../../../../src/grpo/events.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { flatStage } from '../../../../src/run/flat_config.ts';
import { joinBytes, memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { loadGolden } from '../../../../test/golden/load.ts';
import { fullStore } from '../../../../test/run/faulty_store.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { crc32c, encodeEvent, type TensorBoardEvent } from '../../../trackers/event_file.ts';
import { TensorBoardLog } from '../../../trackers/tensorboard.ts';
import { session } from '../../session.ts';

const SMALL = `model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2}
stages: [{stage: sft, max_steps: 1, per_device_train_batch_size: 8}]`;
const NOW = 1_700_000_000;
const FIRST = 'tensorboard/2-grpo/events.out.tfevents.000000.rlvr-train';
const SECOND = 'tensorboard/2-grpo/events.out.tfevents.000001.rlvr-train';

type Said = TensorBoardEvent extends infer E ? (E extends unknown ? Omit<E, 'wallSeconds'> : never) : never;

/** The bytes of a file that says these things at the moment NOW. */
const fileOf = (...said: readonly Said[]) =>
  joinBytes(said.map((event) => encodeEvent({ wallSeconds: NOW, ...event } as TensorBoardEvent)));
const YAML = `
task: {name: sort_digits, digits: 3}
stages: [{stage: sft, max_steps: 5}, {stage: grpo, max_steps: 9, learning_rate: 0.01}]`;
const { config: CONFIG } = parseConfig(YAML, { file: 'inline' });
const CONFIG_CELL = `\`\`\`yaml\n${resolvedYaml(CONFIG).trimEnd()}\n\`\`\``;

/** A file that goes on at a step. */
const opening = (step: number): Said[] => [
  { type: 'version', step: 0 },
  { type: 'session', step },
];
/** The file of a stage that begins. */
const start: Said[] = [
  ...opening(0),
  { type: 'hparams', step: 0, hparams: flatStage(CONFIG, 1) },
  { type: 'texts', step: 0, tag: 'config', rows: [[CONFIG_CELL]] },
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
  const log = new TensorBoardLog(store, CONFIG, () => NOW);
  for (const event of events) await log.handle(event);
  await log.flush();
  return log;
}

describe('event records', () => {
  it('have the bytes that TensorBoard writes itself', () => {
    const golden = loadGolden('tensorboard');
    const records = golden.events.map(({ wall_seconds: wallSeconds, scalars: list, ...event }) => {
      const numbers = list?.map(([tag, value]) => [tag, value ?? Number.NaN]);
      return encodeEvent({ ...event, wallSeconds, ...(numbers && { scalars: numbers }) } as TensorBoardEvent);
    });
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
    const event: TrainEvent = {
      type: 'evaluation',
      moment: 'baseline',
      stage: 'grpo',
      step: 0,
      evaluation,
      problems: [],
      seconds: 1,
    };
    await write(store, stage(0), event, stepEvent(1, { reward: 0.75, 'completions/mean_length': 6, loss: Number.NaN }));
    expect(await store.read(FIRST)).toEqual(
      fileOf(
        ...start,
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

  it('shows completions as they are, whatever Markdown would make of them', async () => {
    const store = memoryStore();
    const log = await write(store, stage(0));
    const completion = {
      prompt: 'a|*b* `c`',
      completion: '1\n```2',
      status: 'wrong-value',
      reward: 1 / 3,
      advantage: -1,
    };
    await log.completions(4, [completion, { ...completion, prompt: '`', completion: '', reward: null }]);
    await log.flush();
    const heading = ['prompt', 'completion', 'status', 'reward', 'advantage'].map((name) => `**${name}**`);
    const rows = [
      heading,
      ['`` a|*b* `c` ``', '````\n1\n```2\n````', '`wrong-value`', '0.3333', '-1'],
      ['`` ` ``', '', '`wrong-value`', '', '-1'],
    ];
    expect(await store.read(FIRST)).toEqual(
      fileOf(...start, { type: 'texts', step: 4, tag: 'train/completions', rows }),
    );
  });

  it('says where a stage has ended', async () => {
    const store = memoryStore();
    await write(store, { ...stage(0), stage: 'sft', index: 0 } as TrainEvent, stage(0), { type: 'end', step: 9 });
    const end: Said = { type: 'hparams-end', step: 0 };
    expect(await store.read(FIRST)).toEqual(fileOf(...start, end));
    const sft = await store.read(FIRST.replace('2-grpo', '1-sft'));
    expect(sft?.subarray(-fileOf(end).length)).toEqual(fileOf(end));
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
    expect(await store.read(SECOND)).toEqual(fileOf(...start));
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
    expect(await store.read(FIRST)).toEqual(fileOf(...start, scalars(1, ['train/reward', 1])));
  });
});

it.each([
  ['tensorboard', ['tensorboard/1-sft/events.out.tfevents.000000.rlvr-train']],
  ['none', []],
])('a session of the library with report_to: %s writes %s', async (reportTo, files) => {
  const yaml = `task: {name: sort_digits, digits: 3}\n${SMALL}\nreport_to: ${reportTo}`;
  const { config } = parseConfig(yaml, { file: 'inline' });
  const store = memoryStore();
  const run = await openRun(config, await createTasks(config), await wasmBackend({ inline: true }));
  try {
    const fingerprint = await fingerprintOf(run);
    for await (const event of session({ run, store, fingerprint, resume: false, force: false })) void event;
    expect(await store.list('tensorboard/1-sft')).toEqual(files.map((path) => path.split('/').at(-1)));
  } finally {
    await closeEngine(run.engine);
  }
});
