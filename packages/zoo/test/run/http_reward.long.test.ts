/** Runs that are paid by a server: whatever it does, and wherever a run is cut off, it ends as one that was not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../../src/errors.ts';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { isTime } from '../../../../test/support/killed_runs.ts';
import { type LoopbackScorer, startedScorer } from '../../../../test/support/loopback_scorer.ts';
import { plainWasm, smallConfig } from '../../../../test/support/small_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

const SECRET = 'hunter2-and-more';

beforeEach(() => {
  process.env.SCORER_TOKEN = SECRET;
});
afterEach(() => {
  delete process.env.SCORER_TOKEN;
  vi.restoreAllMocks();
});

interface Options {
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly url?: string;
  readonly heard?: (event: SessionEvent) => void;
  readonly signal?: AbortSignal;
}

/** Runs to the end, or as far as it goes. @returns SHA-256 of the weights */
async function run(server: LoopbackScorer, store: Store, options: Options = {}): Promise<string> {
  const { resume = false, force = false, url = server.url, heard, signal } = options;
  const reward = `{name: http, url: "${url}", batch_size: 6, retries: 0, header_env: SCORER_TOKEN}`;
  const { config } = parseConfig(smallConfig(`save_seconds: 3600`, 4).replace('[lcs]', `[${reward}]`), {
    file: 'inline',
  });
  const opened = await openRun(config, createTasks(config, { heldOutSample: 4 }), await plainWasm());
  try {
    const fingerprint = await fingerprintOf(opened);
    for await (const event of session({ run: opened, store, fingerprint, resume, force, ...(signal && { signal }) }))
      heard?.(event);
    return await weightsSha256(opened.engine.policy);
  } finally {
    await closeEngine(opened.engine);
  }
}

const textOf = async (store: Store, path: string): Promise<string> => new TextDecoder().decode(await store.read(path));

/** Lines of a log, without the time of day. */
async function linesOf(store: Store, name: string): Promise<unknown[]> {
  const text = await textOf(store, name);
  const timeless = (line: object): object => Object.fromEntries(Object.entries(line).filter(([key]) => !isTime(key)));
  return text
    .trim()
    .split('\n')
    .map((line) => timeless(JSON.parse(line)));
}

const keysOf = ({ requests }: LoopbackScorer): unknown[] => requests.map(({ headers }) => headers['idempotency-key']);

/** A server whose scores are drawn by chance: what is asked twice is answered differently. */
function drawing(server: LoopbackScorer): void {
  let draws = 0;
  server.score = ({ completion }) => ((draws++ * 7919) % 101) / 101 + completion.length;
}

describe('a run that a server pays', () => {
  it('goes on after the server failed and after a kill, to the same weights and logs, and asks no recorded batch again', async () => {
    const server = await startedScorer();
    drawing(server);
    const whole = memoryStore();
    const sha256 = await run(server, whole);
    // The other run is answered as this one was, and so must become the same.
    const folder = 'answers/reward-0-0';
    const names = (await whole.list(folder)).filter((name) => name.endsWith('.jsonl')).sort();
    const all = (await Promise.all(names.map((name) => textOf(whole, `${folder}/${name}`)))).flatMap((text) =>
      text
        .trim()
        .split('\n')
        .map((line): readonly number[] => JSON.parse(line).values),
    );
    expect(all).toHaveLength(server.requests.length);
    const again = await startedScorer();
    let next = 0;
    again.instead = (response, { completions }, number) => {
      if (number === 6) return !!response.writeHead(503).end(); // within the second batch
      const values = all[next++];
      return !!response.end(JSON.stringify(completions.map(({ id }) => ({ id, score: values[id] }))));
    };
    const killed = memoryStore();
    await expect(run(again, killed)).rejects.toThrow(
      /status 503, and so at 1 attempts — .* resume: nothing sampled is lost/,
    );
    const asked = again.requests.length;
    again.instead = (response, { completions }) => {
      const values = all[next++];
      return !!response.end(JSON.stringify(completions.map(({ id }) => ({ id, score: values[id] }))));
    };
    expect(await run(again, killed, { resume: true })).toBe(sha256);
    expect(again.requests.length).toBe(server.requests.length + 1); // the one in vain
    expect(asked).toBe(6);
    const answered = keysOf(again).filter((_, i) => i !== 5);
    expect(new Set(answered).size).toBe(answered.length);
    expect(keysOf(again)[6]).toBe(keysOf(again)[5]); // it was asked with the same key in vain
    for (const log of ['metrics.jsonl', 'completions.jsonl']) {
      expect(await linesOf(killed, log)).toEqual(await linesOf(whole, log));
    }
  });

  it('replays all that was answered where it was killed without a checkpoint', async () => {
    const server = await startedScorer();
    drawing(server);
    const store = memoryStore();
    const steps: number[] = [];
    const kill = new Error('killed');
    const killed = run(server, store, {
      heard(event) {
        if (event.type === 'step') steps.push(event.step);
        if (steps.length === 3) throw kill;
      },
    });
    await expect(killed).rejects.toBe(kill);
    const asked = server.requests.length;
    expect(await store.list('checkpoints')).toEqual([]);
    await run(server, store, { resume: true });
    expect(server.requests.length - asked).toBe(3); // those of the fourth step alone
    expect(new Set(keysOf(server)).size).toBe(server.requests.length);
  });

  it('is stopped within a second while it waits, and a resume ends as if it had not been', async () => {
    const server = await startedScorer();
    const sha256 = await run(server, memoryStore());
    const store = memoryStore();
    const begun = server.requests.length;
    const controller = new AbortController();
    let since = 0;
    server.instead = (_, __, number) => {
      if (number < begun + 5) return undefined;
      since = performance.now();
      controller.abort(new Error('stop'));
      return true; // it hangs
    };
    const events: SessionEvent[] = [];
    await run(server, store, { signal: controller.signal, heard: (event) => events.push(event) });
    expect(performance.now() - since).toBeLessThan(1000);
    expect(events.at(-1)).toMatchObject({ type: 'stopped', step: 1, isSaved: true, again: 'step' });
    server.instead = () => undefined;
    expect(await run(server, store, { resume: true })).toBe(sha256);
  });

  it('keeps no secret in its directory, and refuses the rewards of another config', async () => {
    const server = await startedScorer();
    const other = await startedScorer();
    const store = memoryStore();
    server.instead = (response, _, number) => (number === 5 ? !!response.writeHead(400).end(SECRET) : undefined);
    await expect(run(server, store)).rejects.toThrow('it answers with status 400 (…)');
    const folders = ['', 'answers/reward-0-0', 'checkpoints', 'model'];
    const texts = folders.map(async (folder) => {
      const names = await store.list(folder);
      return Promise.all(
        names.map(async (name) =>
          new TextDecoder().decode((await store.read(folder === '' ? name : `${folder}/${name}`)) ?? new Uint8Array()),
        ),
      );
    });
    expect((await Promise.all(texts)).flat().join('\n')).not.toContain(SECRET);
    const resumed = run(other, store, { resume: true, force: true });
    await expect(resumed).rejects.toThrow(ConfigError);
    await expect(resumed).rejects.toThrow(
      `reward "http": the run has rewards of ${server.url}, and its config names ${other.url} now — resume with the config that it began with, or remove answers/reward-0-0 to have all of them asked for again.`,
    );
  });
});
