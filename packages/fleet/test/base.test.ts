/** A base model that goes over a fleet: to workers that have not got it, in pieces whose hashes are right, and kept once. */
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CheckpointError } from '../../../src/errors.ts';
import { localGenerator } from '../../../src/grpo/generator.ts';
import { train } from '../../../src/grpo/trainer.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import { weightsSha256 } from '../../../src/run/model/model_files.ts';
import { memoryStore } from '../../../src/run/store/store.ts';
import { createTasks, openRun, parseConfig } from '../../../test/support/everything.ts';
import { folderOfTest } from '../../../test/support/folders.ts';
import { plainWasm } from '../../../test/support/small_runs.ts';
import type { ModelFiles } from '../../models/model/pretrained/source.ts';
import { folderOf, openPretrained } from '../../models/run/model/open_pretrained.ts';
import { smallPretrainedFiles } from '../../models/test/support/small_pretrained.ts';
import { decodeBaseList, encodeBaseJson } from '../base/base_list.ts';
import { folderKeeper } from '../base/folder_keeper.node.ts';
import { memoryKeeper } from '../base/memory_keeper.ts';
import { type BaseKeeper, receiveBase } from '../base/received_base.ts';
import { SentBase } from '../base/sent_base.ts';
import type { WorkerBus } from '../bus.ts';
import { encodeJson, type RunCard } from '../cards.ts';
import { Fleet } from '../fleet.ts';
import { MemoryBroker } from '../memory_bus.ts';
import { openRunModel } from '../open_model.ts';
import { MESSAGE_BYTES } from '../protocol.ts';
import { runCard } from '../run_card.ts';
import { work } from '../worker.ts';
import { honest, lossy, type WorkerFault } from './support/faulty_bus.ts';
import { RUN, VERSION } from './support/fleets.ts';

const YAML = `model_name_or_path: ./base
use_peft: true
lora_r: 2
task: reverse_text
num_generations: 2
generation_batch_size: 4
max_completion_length: 4
learning_rate: 1.0e-2
max_steps: 3
eval_strategy: 'no'
num_generations_eval: 1
reward_funcs: [letters]
`;
const letters = {
  name: 'letters',
  score: ({ completions }: { readonly completions: readonly string[] }) =>
    completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};

/** Trains an adapter, with workers that have no model of their own. @returns its weights' hash, and what was said */
async function trained(faults?: readonly WorkerFault[]): Promise<{ sha256: string; there: number; said: string[] }> {
  const files = folderOf(await smallPretrainedFiles(), 'base');
  const pretrained = await openPretrained({ name: './base', files });
  const { config } = parseConfig(YAML, { file: 'inline' });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const broker = new MemoryBroker();
  const fleet = faults && new Fleet(broker.learner(), { verifyShare: 0.2, say, joinMs: 60_000 });
  const run = await openRun(config, tasks, await plainWasm(), {
    pretrained,
    rewards: { letters },
    makeGenerator: fleet && ((policy, version) => fleet.generator(policy, localGenerator(policy, version))),
  });
  const signal = { aborted: false };
  const names = Object.keys(run.base?.files ?? {});
  await fleet?.open(RUN, runCard(run, VERSION), { files, names });
  const workers = (faults ?? []).map((fault, i) => {
    const bus = fault(broker.worker(i % 2 === 1));
    const keeper = memoryKeeper();
    return work({
      ...{ bus, name: `w${i}`, version: VERSION, say, signal },
      openModel: (card) =>
        openRunModel(card, {
          openBackend: plainWasm,
          openBase: () => Promise.reject(new CheckpointError('no-model', 'not here')),
          receiveBase: (own) => receiveBase(own, { bus, keeper, say, signal }),
        }),
    });
  });
  try {
    for await (const _ of train(run));
    const sha256 = await weightsSha256(run.engine.policy);
    return { sha256, there: fleet?.figures.groupsThere ?? 0, said };
  } finally {
    signal.aborted = true;
    await Promise.all(workers);
    await fleet?.close();
    await run.engine.policy.close();
  }
}

it('a worker and a visitor without the model get it, and the adapter is that of one machine', async () => {
  const alone = await trained();
  const { sha256, there, said } = await trained([honest, lossy(3)]);
  expect(sha256).toBe(alone.sha256);
  expect(there).toBeGreaterThan(0);
  expect(said.filter((line) => line.includes('receives its base model, ./base')).length).toBeGreaterThan(0);
  expect(said.filter((line) => line.includes('the base model is sent to a worker that lacks it'))).toHaveLength(1);
});

const BYTES = Uint8Array.from({ length: 2 * MESSAGE_BYTES + 7 }, (_, i) => (i * 31 + (i >> 8)) & 255);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const CARD = {
  run: RUN,
  base: { path: 'owner/name', files: { 'config.json': hashOf(new Uint8Array()), 'model.safetensors': hashOf(BYTES) } },
} as unknown as RunCard;

/** What a worker receives of two files over a bus. @param bytes  that the learner has */
async function received(
  keeper: BaseKeeper,
  change: (bus: WorkerBus) => WorkerBus = (bus) => bus,
  bytes = BYTES,
): Promise<ModelFiles> {
  const store = memoryStore();
  await store.writeAtomic('model.safetensors', bytes);
  await store.writeAtomic('config.json', new Uint8Array());
  const broker = new MemoryBroker();
  const learner = broker.learner();
  const base = { files: store, names: ['model.safetensors', 'config.json', 'missing.json'] };
  const sent = new SentBase(learner, base, { clock: () => performance.now(), say: () => undefined });
  const none = encodeJson({ status: 'over' });
  await learner.open(RUN, 1000, {
    ...{ presence: () => undefined, result: () => none, restart: () => sent.sendAgain() },
    base: (isMissing) => encodeBaseJson(sent.ask(isMissing)),
  });
  const bus = change(broker.worker());
  const files = await receiveBase(CARD, { bus, keeper, say: () => undefined, signal: { aborted: false } });
  await learner.close();
  return files;
}

async function expectWhole(files: ModelFiles): Promise<void> {
  expect(Buffer.compare((await files.read('model.safetensors')) as Uint8Array, BYTES)).toBe(0);
  expect([await files.size('config.json'), await files.size('missing.json')]).toEqual([0, undefined]);
}

describe('the pieces of a base', () => {
  const folder = folderOfTest();

  it('that are lost, or changed on their way, are read again', async () => {
    const rng = rngFor('pieces');
    const change = (bus: WorkerBus): WorkerBus => ({
      ...bus,
      async readWeights(run, key, part) {
        const bytes = await bus.readWeights(run, key, part);
        if (rng.float() < 0.2) return undefined;
        return rng.float() < 0.2 ? bytes?.map((byte, i) => (i === 1 ? byte ^ 1 : byte)) : bytes;
      },
    });
    await expectWhole(await received(memoryKeeper(), change));
  });

  it('are kept in a folder, which the next session finds, and of which a half is not left', async () => {
    const root = join(folder(), 'bases');
    const keeper = folderKeeper(root);
    await Promise.all([received(keeper), received(keeper)].map(async (files) => expectWhole(await files)));
    expect(readdirSync(root)).toHaveLength(1);
    const silent = (bus: WorkerBus): WorkerBus => ({ ...bus, askBase: () => Promise.reject(new Error('asked')) });
    await expectWhole(await received(folderKeeper(root), silent));
    const other = join(folder(), 'others');
    const nobody = (bus: WorkerBus): WorkerBus => ({ ...bus, askBase: async () => 'nobody' });
    await expect(received(folderKeeper(other), nobody)).rejects.toThrow('its learner sends none; fetch it');
    expect(readdirSync(other)).toEqual([]);
  });

  it.each(['a folder', 'memory'])('of another model than the card says are not kept in %s', async (where) => {
    const root = join(folder(), 'bases');
    const keeper = where === 'memory' ? memoryKeeper() : folderKeeper(root);
    const evil = Uint8Array.from(BYTES, (byte) => byte ^ 255);
    await expect(received(keeper, undefined, evil)).rejects.toThrow(
      'sends another base model: model.safetensors is another file than its card says; nothing of it is kept',
    );
    if (where !== 'memory') expect(readdirSync(root)).toEqual([]);
    await expectWhole(await received(keeper)); // a later, honest learner is asked
  });

  it('that an earlier version has kept, and that are wrong, are received anew', async () => {
    const root = join(folder(), 'bases');
    await received(folderKeeper(root));
    const [key] = readdirSync(root);
    writeFileSync(join(root, key, 'model.safetensors'), 'not the model');
    await expectWhole(await received(folderKeeper(root)));
    expect(readdirSync(root)).toEqual([key]);
  });

  it.each(['../model', '/model', 'a/../b', 'a//b', '.hidden', 'a\\b', ''])('of a file called %j are none', (name) => {
    const list = encodeBaseJson({ files: [{ name, bytes: 0, pieces: [] }] });
    expect(() => decodeBaseList(list)).toThrow('list of a base model: files.0.name');
  });

  it('are as many as the file has bytes for', () => {
    const list = encodeBaseJson({ files: [{ name: 'a', bytes: 5, pieces: [] }] });
    expect(() => decodeBaseList(list)).toThrow('a has 0 pieces');
    const files = Array.from({ length: 150 }, (_, i) => ({ name: `a${i}`, bytes: 1e12, pieces: [] }));
    expect(() => decodeBaseList(encodeBaseJson({ files }))).toThrow(
      '150000000000000 bytes, and 137438953472 are the most',
    );
    expect(() => decodeBaseList(Uint8Array.of(1))).toThrow('no JSON');
  });
});
