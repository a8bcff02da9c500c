import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import type { Tracker } from '../../../src/run/tracker.ts';
import { loadGolden } from '../../../test/golden/load.ts';
import { finish, metricsOf, oneInThree, YAML } from '../../../test/run/tiny_run.ts';
import { LiveMirror } from '../mirrored.ts';
import { TRACKIO, trackioServer } from '../trackio.ts';
import { LoopbackTrackio } from './support/loopback_trackio.ts';

const TWO_STAGES = YAML.replace('max_steps: 4', 'stages: [{stage: sft, max_steps: 2}, {stage: grpo, max_steps: 4}]');

let server: LoopbackTrackio;
beforeEach(async () => {
  server = new LoopbackTrackio();
  await server.open();
});
afterEach(() => server.close());

const environment = () => ({ TRACKIO_SERVER_URL: `${server.uri}/?write_token=secret` });
const runOf = (store: Store) => ({ store, name: 'one', directory: 'runs/one' });

/** Asks the server after every event, as a run of longer steps would. */
function live(store: Store, clock?: () => number): Tracker {
  const server = trackioServer(environment());
  return new LiveMirror({ ...runOf(store), server, pauseMs: 0, ...(clock && { clock }) });
}

const track = (store: Store, said: string[] = []): Promise<string> =>
  TRACKIO.catchUp(runOf(store), environment(), (message) => said.push(message));

/** Lets what is under way come to its end. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/** What the server has must be what the logs have. @param sft  steps before the others */
async function expectWhole(store: Store, sft = 0): Promise<void> {
  const lines = (await metricsOf(store)) as Record<string, unknown>[];
  const logged = (key: string) =>
    lines
      .filter((line) => key in line)
      .map((line) => [Number(line.step) + (line.stage === 'grpo' ? sft : 0), line[key]]);
  expect(server.history('train/reward')).toEqual(logged('reward'));
  expect(server.history('train/loss')).toEqual(logged('loss'));
  expect(server.history('eval/accuracy')).toEqual(logged('eval_accuracy'));
  const text = new TextDecoder().decode(await store.read('completions.jsonl'));
  const completions = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const tables = server.history('completions') as [number, { _value: Record<string, unknown>[] }][];
  const rows = tables.flatMap(([step, { _value }]) => _value.map(({ completion }) => [step, completion]));
  expect(rows).toEqual(completions.map(({ step, completion }) => [step + sft, completion]));
  expect(tables.map(([step]) => step)).toEqual([1, 2, 3, 4].map((step) => step + sft));
}

it('the loopback server answers as Trackio does', async () => {
  for (const { about, path, token, body, status, answer } of loadGolden('trackio').exchanges) {
    const headers = { 'content-type': 'application/json', ...(token && { 'x-trackio-write-token': token }) };
    const response = await fetch(server.uri + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect([about, response.status, await response.json()]).toEqual([about, status, answer]);
  }
});

describe('a run that reports to Trackio', () => {
  it('is there with its config, curves, alerts and completions', async () => {
    const store = memoryStore();
    const notes: string[] = [];
    await finish({
      store,
      yaml: TWO_STAGES,
      trackers: [live(store)],
      heard: (event) => void (event.type === 'note' && notes.push(event.message)),
    });
    expect(notes).toEqual([`trackio has this run: ${server.uri}/?project=huggingface`]);
    await expectWhole(store, 2);
    const [entry] = server.logs.values();
    expect(entry).toMatchObject({ project: 'huggingface', run: 'one', step: 1 });
    expect([...server.configs.values()]).toEqual([expect.objectContaining({ 'grpo.learning_rate': 0.01, seed: 42 })]);
    const lines = (await metricsOf(store)) as Record<string, unknown>[];
    const diagnoses = lines.filter(({ diagnosis }) => diagnosis !== undefined);
    expect(diagnoses.length).toBeGreaterThan(0);
    expect([...server.alerts.values()].map(({ title, text, step }) => [title, text, step])).toEqual(
      diagnoses.map(({ diagnosis, message, step }) => [diagnosis, message, Number(step) + 2]),
    );
    expect(new Set([...server.alerts.values()].map(({ level }) => level))).toEqual(new Set(['warn']));
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
      `trackio at ${server.uri} cannot be reached (ECONNREFUSED): the run continues, and sends later what it misses`,
      expect.stringContaining('rlvr-train track runs/one --to trackio sends it.'),
    ]);
    await expect(track(store)).rejects.toThrow('see that it runs (TRACKIO_SERVER_URL names it)');
    await server.open();
    expect(await track(store)).toBe(`${server.uri}/?project=huggingface`);
    await expectWhole(store);
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

  it('stops asking a server that refuses its token, with its words', async () => {
    const store = memoryStore();
    const notes: string[] = [];
    const env = { TRACKIO_SERVER_URL: server.uri, TRACKIO_WRITE_TOKEN: 'wrong' };
    await finish({
      store,
      trackers: [TRACKIO.live(runOf(store), env)],
      heard: (event) => void (event.type === 'note' && notes.push(event.message)),
    });
    expect(notes).toEqual([expect.stringMatching(/^trackio at .* answered 400: A write_token is required/)]);
    expect(server.logs.size).toBe(0);
    await TRACKIO.catchUp(runOf(store), { ...env, TRACKIO_WRITE_TOKEN: 'secret' }, () => {});
    await expectWhole(store);
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
    for (const name of await store.list('checkpoints')) {
      if (/-0*[34]$/.test(name)) await store.remove(`checkpoints/${name}`);
    }
    await store.remove('summary.json');
    expect(server.history('train/reward')).toHaveLength(4);
    await finish({ store, yaml, resume: true, trackers: [live(store)] });
    await expectWhole(store);
  });

  it('is whole where an answer was lost, and sent again where the server lost the run', async () => {
    const store = memoryStore();
    await finish({ store });
    server.failures.push('none', 'lost');
    await track(store); // which asks again
    await expectWhole(store);
    server.logs.clear();
    const said: string[] = [];
    await track(store, said);
    expect(said).toEqual(['trackio no longer has this run: it is sent again from its beginning']);
    await expectWhole(store);
    server.asked.splice(0);
    await track(store);
    expect(server.asked).toEqual(['/api/get_runs_for_project']);
  });
});

it('the address holds no token where it is shown, and is that of a server', () => {
  const at = (url: string) => () => TRACKIO.live(runOf(memoryStore()), { TRACKIO_SERVER_URL: url });
  expect(at('sqlite:///my.db?write_token=secret')).toThrow(
    'TRACKIO_SERVER_URL: "sqlite:///my.db" — not the address of a server; start one with "trackio show"',
  );
});
