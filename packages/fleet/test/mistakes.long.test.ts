/** What goes wrong with a fleet is one message each, which names what is wrong and what to do. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { MemoryPlanError } from '../../../src/errors.ts';
import { looked, parseConfig } from '../../../test/support/everything.ts';
import { plainWasm, smallConfig } from '../../../test/support/small_runs.ts';
import { FLEET } from '../../commands/commands/fleet.ts';
import { WORKER } from '../../commands/commands/worker.ts';
import { whyNotGiven, whyNotTaken } from '../../commands/training/given_config.ts';
import { encodeJson, type RunCard } from '../cards.ts';
import { MemoryBroker } from '../memory_bus.ts';
import { startLocalServer } from '../nats/local_server.node.ts';
import { connectLearner, connectWorker, serverPlace } from '../nats/nats_connect.node.ts';
import { openRunModel } from '../open_model.ts';
import { planTasks } from '../plan_tasks.ts';
import { encodeTask, MESSAGE_BYTES, PROTOCOL } from '../protocol.ts';
import { type MachineClass, requireMachine, seriesCard } from '../series/series_card.ts';
import { work } from '../worker.ts';
import { honest, liar } from './support/faulty_bus.ts';
import { trainSmall } from './support/fleets.ts';

const RUN = '0123456789abcdef';
const SHAPE = {
  ...{ vocabSize: 8, hiddenSize: 4, intermediateSize: 4, numLayers: 1, numHeads: 1, numKvHeads: 1, headDim: 4 },
  ...{ ropeTheta: 10_000, rmsNormEps: 1e-6, tieWordEmbeddings: true, attentionBias: false, qkNorm: false },
};
const CARD: RunCard = {
  ...{ protocol: PROTOCOL, version: 'test', run: RUN, session: RUN, shape: SHAPE, backend: 'wasm' },
  ...{ features: { fma: 'none' }, capacity: { rows: 8, completions: 4, kvRows: 16, context: 8 } },
  partBytes: MESSAGE_BYTES,
};
const sources = { openBackend: plainWasm, openBase: () => Promise.reject(new Error('none')) };

describe('a server that is not fit', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** Speaks as much of the protocol as a connection takes. */
  function serve(info: object): Promise<string> {
    return new Promise((resolve) => {
      server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.write(`INFO ${JSON.stringify({ server_id: 'x', proto: 1, headers: true, ...info })}\r\n`);
        socket.on('data', (bytes) => /PING/.test(bytes.toString()) && socket.write('PONG\r\n'));
      }).listen(0, '127.0.0.1', () => {
        const { port } = (server as Server).address() as { port: number };
        resolve(`nats://someone:secret@127.0.0.1:${port}`);
      });
    });
  }

  it.each([
    ['an old one', { version: '2.9.9', max_payload: 2 ** 20 }, 'is nats-server 2.9.9; use 2.9.10 or later'],
    [
      'small messages',
      { version: '2.11.0', max_payload: 1024 },
      'takes messages of 1024 bytes, and a fleet sends up to',
    ],
  ])('%s', async (_, info, message) => {
    const url = await serve(info);
    const connections = [() => connectLearner(url), () => connectWorker(url, () => undefined, { aborted: false })];
    for (const connect of connections) {
      const said = await connect().then(
        () => 'connected',
        (error: Error) => error.message,
      );
      expect(said).toContain(message);
      expect(said).not.toContain('secret');
    }
  });
});

describe('an address', () => {
  it.each(['', 'host:4222', 'http://host', 'ws://host:8080', 'nats://', 'nats:'])('%j is none', (url) => {
    expect(() => serverPlace(url)).toThrow('no address of a NATS server; give one as nats://host:4222');
  });

  it('that is missing is asked for', async () => {
    const before = process.env.RLVR_FLEET;
    delete process.env.RLVR_FLEET;
    onTestFinished(() => {
      if (before !== undefined) process.env.RLVR_FLEET = before;
    });
    await expect((async () => WORKER.run?.([], {} as never, []))()).rejects.toThrow('--fleet: missing');
  });
});

describe('a command', () => {
  it('without nats-server on the PATH says how to get one', async () => {
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    onTestFinished(() => {
      process.env.PATH = PATH;
    });
    await expect(startLocalServer()).rejects.toThrow(
      'there is none on the PATH; install it (apt-get install nats-server',
    );
  });

  it('that would write over passwords in use does not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-init-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [init] = FLEET.inner ?? [];
    const flags = { output: folder, host: '127.0.0.1', port: 4222 } as never;
    await init.run?.([], flags, []);
    await expect((async () => init.run?.([], flags, []))()).rejects.toThrow(
      'is there already, with passwords that are in use',
    );
  });

  it.each([
    [{ page: 'here' }, 'no address of a page; give one as https://host/path/'],
    [{ page: 'https://host/page/' }, 'opens no connection without TLS; give --tls-cert and --tls-key'],
    [{ page: 'https://host/page/', 'tls-cert': 'a.pem' }, 'one is of no use without the other'],
  ])('for tabs of a page that could not reach it is not written: %o', async (flags, message) => {
    const [init] = FLEET.inner ?? [];
    const all = { output: join(tmpdir(), 'rlvr-train-never'), host: 'nats', port: 4222, ...flags } as never;
    await expect((async () => init.run?.([], all, []))()).rejects.toThrow(message);
  });
});

describe('a worker says why it does not take part', () => {
  /** What a worker says of a run with this card, and a task of weights that nobody has. */
  async function said(card: RunCard, openModel = (own: RunCard) => openRunModel(own, sources)): Promise<string> {
    const broker = new MemoryBroker();
    const learner = broker.learner();
    const hear = { presence: () => undefined, result: () => new Uint8Array(), restart: () => undefined };
    await learner.open(RUN, 10_000, hear);
    const settings = {
      ...{ sampling: { temperature: 1, topK: 0, topP: 1, minP: null }, samplingKey: [1, 2] as const },
      ...{ maxCompletionTokens: 2, stopIds: [0] },
    };
    const weights = { version: 0, sha256: 'ab'.repeat(32), bytes: 4 };
    const requests = [{ prompt: Int32Array.of(1), rollouts: [{ rollout: 0 }] }];
    await learner.give(0, encodeTask({ id: 0, weights, settings, requests }));
    learner.announce(encodeJson(card));
    const stop = { aborted: false };
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      if (!line.endsWith('joined')) stop.aborted = true;
    };
    await work({ bus: honest(broker.worker()), name: 'w', version: 'test', openModel, say, signal: stop });
    await learner.close();
    return lines.join('\n');
  }

  it.each<readonly [string, RunCard, string]>([
    [
      'another version',
      { ...CARD, version: '9.9.9' },
      'it is trained by version 9.9.9, and this is test; use the same',
    ],
    ['another protocol', { ...CARD, protocol: PROTOCOL + 1 } as never, 'give learner and workers the same version'],
    [
      'another class',
      { ...CARD, features: { fma: 'fused' } },
      'computes by wasm, fma none, and the learner by wasm, fma fused',
    ],
    [
      'keys and values in other bits',
      { ...CARD, features: { fma: 'none', keys: 'bfloat16' } },
      'computes by wasm, fma none, and the learner by wasm, fma none, keys bfloat16',
    ],
    ['weights of another model', CARD, 'its weights are of another model'],
    ['a card that is none', { ...CARD, backend: 7 } as never, 'card of a run: backend:'],
  ])('%s', async (_, card, message) => {
    expect(await said(card)).toContain(message);
  });

  it('a machine without the memory', async () => {
    const refuse = () => Promise.reject(new MemoryPlanError('too-large', 'the model needs 90 GiB; this machine has 4'));
    expect(await said(CARD, refuse)).toBe(`run ${RUN}: does not take part: the model needs 90 GiB; this machine has 4`);
  });

  it('a machine whose runs have other bits', () => {
    const own: MachineClass = { backend: 'wasm', features: { fma: 'fused' }, mathematics: 'a', platform: 'linux x64' };
    const card = seriesCard(own, { run: RUN, session: RUN, version: 'test' });
    expect(() => requireMachine(card, own)).not.toThrow();
    for (const change of [{ features: { fma: 'none' } }, { mathematics: 'b' }, { platform: 'darwin arm64' }])
      expect(() => requireMachine(card, { ...own, ...change })).toThrow("use a machine like the learner's");
  });
});

describe('a learner', () => {
  it('is the only one of its run', async () => {
    const broker = new MemoryBroker();
    const hear = { presence: () => undefined, result: () => new Uint8Array(), restart: () => undefined };
    await broker.learner().open(RUN, 1000, hear);
    await expect(broker.learner().open(RUN, 1000, hear)).rejects.toThrow('has a learner');
  });

  it('does not wait for what a worker with a wrong clock claims, nor refuses it', async () => {
    const late = liar((result) => ({ ...result, seconds: 999_999 }));
    const { figures, said: _, ...run } = await trainSmall(smallConfig(''), { workers: [late, honest] });
    expect(figures?.refused).toBe(0);
    expect({ ...run, said: [] }).toEqual(await trainSmall(smallConfig('')));
  });

  it('whose server is full says so once, and samples by itself', async () => {
    const full = new Error('maximum bytes exceeded');
    const { FleetError } = await import('../../../src/errors.ts');
    const {
      figures,
      said: lines,
      ...run
    } = await trainSmall(smallConfig(''), {
      workers: [honest],
      learner: (bus) => ({
        ...bus,
        give: () =>
          Promise.reject(new FleetError('fleet-server', `it does not take what it is given (${full.message}).`)),
      }),
    });
    expect(lines.filter((line) => line.includes('maximum bytes exceeded'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('has answered nothing'))).toEqual([]); // no worker has had a task
    expect(figures?.groupsThere).toBe(0);
    expect({ ...run, said: [] }).toEqual(await trainSmall(smallConfig('')));
  });

  it('gives out no completions that are longer than a message', () => {
    const settings = {
      ...{ sampling: { temperature: 1, topK: 0, topP: 1, minP: null }, samplingKey: [1, 2] as const },
      ...{ maxCompletionTokens: 100_000, stopIds: [0] },
    };
    const requests = [{ prompt: Int32Array.of(1), rollouts: [{ rollout: 0 }] }];
    const rule = /^max_completion_length: 100000 tokens of a completion take \d+ bytes, .* with fewer\.$/;
    expect(() => planTasks(requests, settings, 1)).toThrow(rule);
  });

  it.each([
    ['a reward of a file', 'reward_funcs: [./run/x.ts]', 'is a file of yours'],
    ['code of the disk', 'reward_funcs: [/tmp/local_code.ts]', 'is a file of yours'],
    [
      'a server, with a variable',
      'reward_funcs: [{name: http, url: "http://127.0.0.1:9/steal", header_env: A_SECRET}]',
      'A_SECRET',
    ],
    ['a server', 'reward_funcs: [{name: http, url: "http://127.0.0.1:9/probe"}]', '127.0.0.1:9'],
    ['rows of this machine', 'task: {name: dataset, train: /etc/passwd}', '/etc/passwd'],
    ['rows of the hub', 'task: {name: dataset, hub: owner/name, train: a.jsonl}', 'its rows'],
    ['an environment on a server', 'task: {name: openenv, url: "ws://127.0.0.1:9"}', '127.0.0.1:9'],
    ['a judge of this machine', 'reward_funcs: [{name: classifier, model: /models/judge}]', '/models/judge'],
    ['a model of this machine', 'model_name_or_path: /models/one', 'is a folder of this machine'],
    ['a tracker', 'report_to: mlflow', 'report_to'],
    ['a config that is none', 'max_steps: [', ''],
  ])('a worker does not train what names %s', async (_, line, why) => {
    const [key] = line.split(':');
    const own = smallConfig('')
      .split('\n')
      .filter((given) => !given.startsWith(`${key}:`) && !(key === 'model_name_or_path' && given.startsWith('model:')));
    expect(await whyNotTaken([...own, line].join('\n'))).toContain(why);
    expect(await whyNotTaken(smallConfig(''))).toBeUndefined();
  });

  it('names what keeps a run on its machine', () => {
    const config = (lines: string) => parseConfig(smallConfig(lines), { file: 'inline' }).config;
    const plain = config('');
    expect(whyNotGiven(looked(plain), {})).toBeUndefined();
    expect(whyNotGiven(looked(plain), { '../reward.ts': 'ab' })).toContain('../reward.ts is a file of yours');
    expect(whyNotGiven(looked({ ...plain, modelNameOrPath: '../models/smol' }), {})).toContain(
      'is a folder of this machine',
    );
    expect(whyNotGiven(looked({ ...plain, modelNameOrPath: 'owner/name@main' }), {})).toBeUndefined();
    expect(whyNotGiven(looked({ ...plain, adapterNameOrPath: 'x' }), {})).toContain('adapter_name_or_path');
  });
});
