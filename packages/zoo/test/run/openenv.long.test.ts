/** Runs on an OpenEnv server: whatever order answers come in, and wherever a run is cut off, it ends with the same bits. */
import { describe, expect, it } from 'vitest';
import { PluginError } from '../../../../src/errors.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import type { LoopbackOpenEnv } from '../../../../test/support/loopback_openenv.ts';
import { guessRun, startedServer } from '../../../http/test/support/guess_run.ts';

const count = (server: LoopbackOpenEnv, type: string): number =>
  server.asked.filter((message) => message.type === type).length;

async function textOf(store: Store, path: string): Promise<string> {
  return new TextDecoder().decode(await store.read(path));
}

/** Lines of completions.jsonl without the time of day. */
const completions = (store: Store): Promise<string> => textOf(store, 'completions.jsonl');

/** A server that ends all its connections at the n-th step that it is asked for. */
function goneAt(server: LoopbackOpenEnv, step: number): void {
  let steps = 0;
  server.instead = ({ type }) => {
    if (type === 'step' && ++steps === step) void server.stop();
    return steps >= step ? 'drop' : undefined;
  };
}

describe('a run on an OpenEnv server', () => {
  it('asks a session for each episode, and judges it by its last reward', async () => {
    const server = await startedServer();
    const store = memoryStore();
    await guessRun({ server, store });
    const lines = (await completions(store))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const played = lines.filter(({ turns }) => turns.length > 1);
    expect(played.length).toBeGreaterThan(5);
    for (const { prompt, turns, reason, status } of lines) {
      expect(prompt).toBe('0 6>');
      const won = turns.at(-1).reward === 1;
      expect(status === 'correct').toBe(won);
      if (won) expect(reason).toBe('rewarded with 1');
      for (const { label, text } of turns) if (label === 'environment') expect(text).toMatch(/^\n[<>?]\n$/);
    }
    expect(server.asked.filter(({ type }) => !['reset', 'step', 'state', 'close'].includes(type))).toEqual([]);
  });

  it('ends with the same bits whatever order answers come in, on one thread, two, and a few sessions', async () => {
    const server = await startedServer();
    const stores = [memoryStore(), memoryStore(), memoryStore(), memoryStore()];
    const plain = await guessRun({ server, store: stores[0] });
    let tick = 0;
    server.delay = () => (tick++ * 7) % 11;
    expect(await guessRun({ server, store: stores[1] })).toBe(plain);
    server.delay = () => 0;
    expect(await guessRun({ server, store: stores[2], threads: 2 })).toBe(plain);
    server.mostSessions = 3;
    // The knob is no part of what is compared here: it is how many sample at once.
    expect(await guessRun({ server, store: stores[3], knobs: { sessions: 3 } })).toBe(plain);
    expect(new Set(await Promise.all(stores.slice(0, 3).map(completions))).size).toBe(1);
  });

  it('stops where the server is gone, saves what was done, and a resume ends with the same bits', async () => {
    const server = await startedServer();
    const whole = memoryStore();
    const hash = await guessRun({ server, store: whole });
    const steps = count(server, 'step');
    for (const at of [Math.floor(steps * 0.5), Math.floor(steps * 0.8)]) {
      const store = memoryStore();
      goneAt(server, at);
      const failure = await guessRun({ server, store }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(PluginError);
      expect((failure as PluginError).message).toMatch(
        /is gone .*start it again, then resume: nothing sampled is lost\.$/,
      );
      expect(await store.list('checkpoints')).not.toEqual([]);
      server.instead = () => undefined;
      await server.start();
      server.asked.length = 0;
      expect(await guessRun({ server, store, resume: true })).toBe(hash);
      expect(count(server, 'step')).toBeLessThan(steps);
      expect(await completions(store)).toBe(await completions(whole));
    }
  });

  it('resumes on a server at another address, with other sessions and another limit of time, to the same bits', async () => {
    const [here, there] = [await startedServer(), await startedServer()];
    const hash = await guessRun({ server: here, store: memoryStore() });
    const store = memoryStore();
    let steps = 0;
    await guessRun({ server: here, store, shouldStop: () => ++steps === 1 });
    await here.stop();
    expect(there.url).not.toBe(here.url);
    expect(await guessRun({ server: there, store, resume: true, knobs: { sessions: 3, timeout: 9 } })).toBe(hash);
    expect(count(there, 'step')).toBeGreaterThan(0);
    await expect(guessRun({ server: there, store, resume: true, knobs: { max_turns: 2 } })).rejects.toThrow(
      'max_turns',
    );
  });

  it('plays back what was answered before a kill, and asks a server that says otherwise for none of it', async () => {
    const server = await startedServer();
    const whole = memoryStore();
    const hash = await guessRun({ server, store: whole });
    // As a kill leaves it: all of the answers, half a line more, and no checkpoint.
    const killed = memoryStore();
    for (const path of ['config.yaml', 'fingerprint.json']) {
      await killed.writeAtomic(path, (await whole.read(path)) as Uint8Array);
    }
    for (const name of await whole.list('answers/0')) {
      await killed.append(`answers/0/${name}`, await textOf(whole, `answers/0/${name}`));
    }
    await killed.append('answers/0/000002.jsonl', '{"episode": "|1');
    server.instead = ({ type }) =>
      type === 'step' ? '{"type":"error","data":{"message":"no","code":"X"}}' : undefined;
    server.asked.length = 0;
    expect(await guessRun({ server, store: killed, resume: true })).toBe(hash);
    expect(server.asked.filter(({ type }) => type !== 'close')).toEqual([]);
    expect(await completions(killed)).toBe(await completions(whole));
  });

  it('plays an episode that a kill cut off again from its beginning', async () => {
    const server = await startedServer();
    const whole = memoryStore();
    const hash = await guessRun({ server, store: whole });
    const killed = memoryStore();
    for (const path of ['config.yaml', 'fingerprint.json', 'answers/0/problems.json']) {
      await killed.append(path, (await whole.read(path)) as Uint8Array);
    }
    const lines = (await textOf(whole, 'answers/0/000000.jsonl')).trim().split('\n');
    const cut = lines.findIndex((line) => !JSON.parse(line).end) + 1;
    await killed.append('answers/0/000000.jsonl', `${lines.slice(0, cut).join('\n')}\n`);
    expect(await guessRun({ server, store: killed, resume: true })).toBe(hash);
    const again = (await textOf(killed, 'answers/0/000000.jsonl')).trim().split('\n').slice(cut);
    expect(again.map((line) => JSON.parse(line).episode)).toContain(JSON.parse(lines[cut - 1]).episode);
  });

  it('brings a new session to where an episode was when its connection was lost', async () => {
    const server = await startedServer();
    // One at a time, or another order of answers would have the same episode lose its connection twice.
    const knobs = { sessions: 1 };
    const hash = await guessRun({ server, store: memoryStore(), knobs });
    let steps = 0;
    server.instead = ({ type }) => (type === 'step' && ++steps % 13 === 0 ? 'drop' : undefined);
    expect(await guessRun({ server, store: memoryStore(), knobs })).toBe(hash);
    expect(steps).toBeGreaterThan(26);
  });

  it('forgets answers that no checkpoint goes back to', async () => {
    const server = await startedServer();
    const store = memoryStore();
    await guessRun({ server, store, steps: 5, saveSeconds: 1e-6, lines: 'save_total_limit: 1' });
    const names = await store.list('answers/0');
    expect(names).toContain('problems.json');
    expect(names).not.toContain('000000.jsonl');
    expect(names.length).toBeLessThan(4);
  });

  it('refuses to train on a server whose problems are not those of the run', async () => {
    const server = await startedServer();
    const store = memoryStore();
    let steps = 0;
    const shouldStop = (): boolean => ++steps === 1;
    await guessRun({ server, store, shouldStop });
    await store.remove('answers/0/problems.json');
    await store.append('answers/0/problems.json', JSON.stringify({ problems: ['0 6>', '0 6>', '0 7>'], tools: [] }));
    await expect(guessRun({ server, store, resume: true })).rejects.toThrow(
      `OpenEnv server ${server.url}/ws: reset of seed 2 says "0 6>", and said "0 7>" when the run began; ` +
        'start the environment that the run began with.',
    );
  });
});
