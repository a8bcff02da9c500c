import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flatConfig } from '../../../src/run/flat_config.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import type { Tracker } from '../../../src/run/tracker.ts';
import { loadGolden } from '../../../test/golden/load.ts';
import { finish, metricsOf, oneInThree, YAML } from '../../../test/run/tiny_run.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { liveMlflow } from '../mlflow.ts';
import { MlflowClient } from '../mlflow_client.ts';
import { MlflowMirror } from '../mlflow_mirror.ts';
import { LoopbackMlflow } from './support/loopback_mlflow.ts';

let server: LoopbackMlflow;
beforeEach(async () => {
  server = new LoopbackMlflow();
  await server.open();
});
afterEach(() => server.close());

const placeOf = (uri: string) => ({ uri, experiment: 'mine' });

/** Asks the server after every event, as a run of longer steps would. */
function live(store: Store, clock?: () => number): Tracker {
  const place = placeOf(server.uri);
  return liveMlflow({ store, place, name: 'one', directory: 'runs/one', pauseMs: 0, ...(clock && { clock }) });
}

/** Lets what is under way come to its end. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

async function track(store: Store): Promise<MlflowMirror> {
  const place = placeOf(server.uri);
  const client = new MlflowClient(place);
  const mirror = await MlflowMirror.open({ store, place, client, name: 'one', startMs: 0, say: () => {} });
  await mirror.send({ tables: true });
  await mirror.end('finished');
  return mirror;
}

/** What the server has of a metric must be what the log has. */
async function expectWhole(store: Store): Promise<void> {
  const lines = (await metricsOf(store)) as Record<string, unknown>[];
  for (const key of ['reward', 'loss', 'eval_accuracy']) {
    const logged = lines.filter((line) => key in line).map((line) => [line.step, line[key]]);
    expect(server.onlyRun.history(key)).toEqual(logged);
  }
}

describe('the loopback server', () => {
  it('answers as MLflow does', async () => {
    const told = (text: string): string => text.replaceAll('run0', '<run>');
    for (const { about, method, path, body, status, answer } of loadGolden('mlflow').exchanges) {
      const text = typeof body === 'string' ? body : body === null ? undefined : JSON.stringify(body);
      const own = (given: string): string => given.replaceAll('<run>', 'run0');
      const response = await fetch(server.uri + own(path), { method, ...(text !== undefined && { body: own(text) }) });
      const said = told(await response.text());
      expect([about, response.status, said.startsWith('{') ? JSON.parse(said) : said]).toEqual([about, status, answer]);
    }
  });
});

describe('a run that reports to MLflow', () => {
  it('is there with parameters, curves, diagnoses and completions', async () => {
    const store = memoryStore();
    const notes: string[] = [];
    await finish({
      store,
      yaml: YAML.replace('max_steps: 4', 'stages: [{stage: sft, max_steps: 2}, {stage: grpo, max_steps: 4}]'),
      trackers: [live(store)],
      heard: (event) => void (event.type === 'note' && notes.push(event.message)),
    });
    const run = server.onlyRun;
    expect(notes).toEqual([`mlflow has this run: ${server.uri}/#/experiments/1/runs/${run.id}`]);
    expect([run.name, run.status, run.experiment]).toEqual(['one', 'FINISHED', '1']);
    expect(run.params.get('grpo.learning_rate')).toBe('0.01');
    expect(run.params.get('reward_funcs') ?? run.params.get('grpo.reward_funcs')).toBe('[{"name":"mine","weight":1}]');
    expect(run.tags.get('weights_sha256')).toMatch(/^[0-9a-f]{64}$/);

    const lines = (await metricsOf(store)) as Record<string, unknown>[];
    const losses = lines.filter(({ loss }) => loss !== undefined);
    expect(run.history('loss')).toEqual(losses.map(({ loss }, i) => [i + 1, loss])); // steps count on over the stages
    expect(run.history('eval_mean_1')).toHaveLength(lines.filter((line) => 'eval_mean@1' in line).length);

    const name = 'completions/2-grpo/steps-000001-000050.json';
    const { columns, data } = JSON.parse(server.artifacts.get(name) ?? '');
    expect(columns).toEqual(
      expect.arrayContaining(['step', 'prompt', 'completion', 'reward', 'advantage', 'rewards/mine']),
    );
    const logged = new TextDecoder()
      .decode(await store.read('completions.jsonl'))
      .trimEnd()
      .split('\n');
    expect(data.map((row: unknown[]) => row[columns.indexOf('completion')])).toEqual(
      logged.map((line) => JSON.parse(line).completion),
    );
    expect(run.tags.get('mlflow.loggedArtifacts')).toBe(JSON.stringify([{ path: name, type: 'table' }]));
    expect([...server.artifacts.keys()].sort()).toEqual([name, 'config.yaml', 'fingerprint.json', 'summary.json']);
  });

  it('has each batch that was sampled, several of a step', async () => {
    const store = memoryStore();
    await finish({ store, score: oneInThree(), trackers: [live(store)] });
    const lines = (await metricsOf(store)) as Record<string, unknown>[];
    expect(lines.filter(({ batch }) => batch === 'dead')).toHaveLength(8);
    await expectWhole(store);
  });

  it('trains the same, says it once, and is sent later, where nobody is there', async () => {
    const store = memoryStore();
    const notes: string[] = [];
    await server.close();
    const { weightsSha256 } = await finish({
      store,
      trackers: [live(store)],
      heard: async (event) => {
        if (event.type === 'note') notes.push(event.message);
        if (event.type === 'step') await settle();
      },
    });
    expect(weightsSha256).toBe((await finish({ store: memoryStore() })).weightsSha256);
    expect(notes).toEqual([
      `mlflow at ${server.uri} cannot be reached (ECONNREFUSED): the run continues, and sends later what it misses`,
      expect.stringContaining('rlvr-train track runs/one sends it.'),
    ]);
    await server.open();
    await track(store);
    await expectWhole(store);
    expect(server.onlyRun.status).toBe('FINISHED');
  });

  it('does not wait for a server that hangs', async () => {
    const store = memoryStore();
    server.isHanging = true;
    const start = performance.now();
    const longRun = (): number => 1_000 * performance.now();
    let notes = 0;
    await finish({
      store,
      trackers: [live(store, longRun)],
      heard: async (event) => {
        if (event.type === 'note') notes++;
        if (event.type === 'stage') await settle();
      },
    });
    expect(performance.now() - start).toBeLessThan(8_000); // an answer is waited for 30 s, the end of a run 10 s
    expect([notes, server.asked.length]).toEqual([1, 1]);
  });

  it('has nothing twice and nothing missing where the server is ended and begun again in the middle', async () => {
    const store = memoryStore();
    await finish({
      store,
      trackers: [live(store)],
      heard: async (event) => {
        if (event.type !== 'step') return;
        await settle();
        if (event.step === 1) await server.close();
        if (event.step === 3) await server.open();
      },
    });
    await track(store);
    await expectWhole(store);
  });

  it('shows each step once where the run was killed beyond its checkpoint, and resumed', async () => {
    const store = memoryStore();
    const yaml = `${YAML.replace('save_seconds: 3600', 'save_seconds: 0.000001')}\nsave_total_limit: 9`;
    await finish({ store, yaml, trackers: [live(store)] });
    const before = await metricsOf(store);
    for (const name of await store.list('checkpoints')) {
      if (/-0*[34]$/.test(name)) await store.remove(`checkpoints/${name}`);
    }
    await store.remove('summary.json');
    expect(server.onlyRun.history('reward')).toHaveLength(4);
    await finish({ store, yaml, resume: true, trackers: [live(store)] });
    expect(await metricsOf(store)).toEqual(before);
    await expectWhole(store);
  });

  it('is one run where the answer to its creation was lost, and a new one where the server lost it', async () => {
    const store = memoryStore();
    await finish({ store });
    server.failures.push(404, 200, 'lost'); // no such experiment, and a run whose id nobody heard
    await expect(track(store)).rejects.toMatchObject({ code: expect.stringMatching(/^mlflow-/) });
    server.failures.splice(0);
    await track(store);
    await expectWhole(store);
    const [lost] = server.runs.keys();
    server.runs.clear();
    server.artifacts.clear();
    await track(store);
    await expectWhole(store);
    expect(lost).toBeDefined();
    expect(server.artifacts.size).toBe(4);
  });

  it('says once that it is refused, at the end of a run too', async () => {
    const store = memoryStore();
    const tracker = live(store);
    server.failures.push(403, 403, 403);
    await finish({ store });
    tracker.tell({ type: 'checkpoint', name: 'one' });
    await tracker.close('finished'); // the attempt that is refused is still under way
    expect(tracker.notes()).toEqual([expect.stringContaining(' answered 403. Nothing is lost: ')]);
    expect(server.asked).toHaveLength(1);
  });

  it('goes on without artifacts where the server refuses them, and stops where it refuses everything', async () => {
    const store = memoryStore();
    await finish({ store });
    const said: string[] = [];
    const place = placeOf(server.uri);
    const client = new MlflowClient(place);
    client.putArtifact = async () => false;
    const mirror = await MlflowMirror.open({ store, place, client, name: 'one', startMs: 0, say: (m) => said.push(m) });
    await mirror.send({ tables: true });
    await expectWhole(store);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('no completions');
    server.failures.push(403);
    await expect(track(memoryStore())).rejects.toMatchObject({ failure: 'refused', message: 'answered 403' });
  });
});

it('parameters have the names of --set', () => {
  const stages = 'stages: [{stage: sft, max_steps: 1}, {stage: grpo, max_steps: 2}, {stage: grpo, max_steps: 3}]';
  const { config } = parseConfig(`task: {name: sort_digits, digits: 3}\n${stages}`, { file: 'inline' });
  expect(flatConfig(config)).toMatchObject({
    seed: 42,
    'task.digits': 3,
    'sft.max_steps': 1,
    'stages.1.max_steps': 2,
    'stages.2.max_steps': 3,
  });
});
