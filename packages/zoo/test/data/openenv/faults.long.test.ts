/** What can be wrong with an OpenEnv server or with what a config says of it: one message each. */
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../../../src/data/task.ts';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import { memoryStore } from '../../../../../src/run/store/store.ts';
import { createTask, createTasks, openRun, parseConfig } from '../../../../../test/support/everything.ts';
import { type LoopbackOpenEnv, RECORDED } from '../../../../../test/support/loopback_openenv.ts';
import { GUESS, guessRun, startedServer } from '../../../../http/test/support/guess_run.ts';
import { connectWebSocket } from '../../../../http/websocket.node.ts';
import { actionOf } from '../../../data/openenv/actions.ts';

/** The message of an error. */
const said = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

const open = (url: string, knobs: Readonly<Record<string, unknown>> = {}): Promise<Task> =>
  createTask({ ...GUESS, url, ...knobs }, { openenv: { connect: connectWebSocket } });

/** What opening says where the server answers a message of this type so. */
async function opening(type: string, answer: string, knobs = {}): Promise<string> {
  const server = await startedServer();
  server.instead = (message) => (message.type === type ? answer : undefined);
  return (await said(open(server.url, knobs))).replace(server.url, 'ws://HERE');
}

/** What a run says where the server answers steps so. */
async function stepping(answer: string | ((server: LoopbackOpenEnv) => string), knobs = {}): Promise<string> {
  const server = await startedServer();
  server.instead = ({ type }) => (type !== 'step' ? undefined : typeof answer === 'string' ? answer : answer(server));
  const store = memoryStore();
  const message = await said(guessRun({ server, store, knobs, lines: 'eval_on_start: false' }));
  return message.replace(server.url, 'ws://HERE');
}

const observation = (data: object): string => JSON.stringify({ type: 'observation', data });

describe('at the start', () => {
  it('nobody answers, somebody else does, or the environment is another', async () => {
    const server = await startedServer();
    const { url } = server;
    expect(await said(open(url, { environment: 'chess' }))).toBe(
      `OpenEnv server ${url}/ws: it has no environment "chess" (it has: ["guess_env"]); correct environment, or url.`,
    );
    expect((await open(url, { environment: 'guess_env' })).trainProblems()).toBe(4);
    expect(await said(open(`${url}/maze`))).toBe(
      `OpenEnv server ${url}/maze/ws: no OpenEnv environment is there (HTTP status 403); see to the path of url, and that an OpenEnv server of version 0.10 is there.`,
    );
    await server.stop();
    expect(await said(open(url))).toBe(
      `OpenEnv server ${url}/ws: it cannot be reached (connect ECONNREFUSED ${url.slice(5)}); start it, or correct url.`,
    );
  });

  it('a server of another version', async () => {
    const remedy = 'it is of another version, or no OpenEnv server: correct url, or install openenv 0.10 there.';
    expect(await opening('reset', '{"observation":{"said":"0 6>"},"done":false}')).toBe(
      `OpenEnv server ws://HERE/ws: its answer to reset of seed 0: "{\\"observation\\":{\\"said\\":\\"0 6>\\"},\\"done\\":false}" is no message of OpenEnv 0.10; ${remedy}`,
    );
    expect(await opening('state', RECORDED.unknown)).toBe(
      `OpenEnv server ws://HERE/ws: its answer to state: is an error: Unknown message type: greet; ${remedy}`,
    );
  });

  it('a reset that is no beginning', async () => {
    expect(await opening('reset', observation({ observation: { said: '' }, reward: 1, done: true }))).toBe(
      'OpenEnv server ws://HERE/ws: reset of seed 0 says done: true, so that there is nothing to act in; correct its reset.',
    );
    expect(await opening('reset', RECORDED.reset[0], { observation: 'text' })).toBe(
      'OpenEnv server ws://HERE/ws: its answer to reset of seed 0 has no field text (it has: metadata, said); give prompt, or name another field as observation.',
    );
  });

  it('an environment without tools, where actions are to be calls', async () => {
    const none = JSON.stringify({ type: 'mcp', data: { jsonrpc: '2.0', id: 1, error: { code: -32603 } } });
    expect(await opening('mcp', none, { action_type: 'tool' })).toBe(
      'OpenEnv server ws://HERE/ws: action_type is tool, and its environment lists none; give another action_type, or the address of an environment with MCP tools.',
    );
  });

  it('a server without room for the sessions', async () => {
    const server = await startedServer();
    server.mostSessions = 0;
    expect(await said(open(server.url, { sessions: 2 }))).toBe(
      `OpenEnv server ${server.url}/ws: it has no room for another session (it allows 16); end what else has sessions there, set sessions to at most 16, or raise max_concurrent_envs.`,
    );
  });

  it('a config with a secret, without an address, or for a model of random weights what only words can be', async () => {
    const refusal = (url: string, knobs = {}): Promise<string> => said(open(url, knobs));
    const secret = await refusal('ws://me:secret@127.0.0.1:8000/?token=secret');
    expect(secret).toBe(
      'task.url: "ws://127.0.0.1:8000/" — a config keeps no secrets; leave out what comes before @ or after ?, and set OPENENV_TOKEN.',
    );
    expect(await refusal('localhost')).toMatch(/^task\.url: "localhost" — not the address of a server/);
    expect(await refusal('ws://127.0.0.1:1', { max_turns: 0 })).toMatch(/max_turns: 0 — must be from 1 to 256/);
    expect(await refusal('ws://127.0.0.1:1', { system: 'Play.' })).toMatch(/model of a closed vocabulary/);
    const noSocket = said(createTask({ ...GUESS, url: 'ws://127.0.0.1:1' }));
    if (!('WebSocket' in globalThis)) expect(await noSocket).toMatch(/this JavaScript engine has no WebSocket/);
    await noSocket;
  });
});

describe('in the middle of a run', () => {
  it('a slow server', async () => {
    expect(await stepping('nothing', { timeout: 0.2 })).toMatch(
      /^OpenEnv server ws:\/\/HERE\/ws: no answer to step {"guess":\d+} within 0\.2 s; see to the server, or raise timeout; then resume\.$/,
    );
  });

  it('answers that are no JSON, or of other types than they should be', async () => {
    expect(await stepping('<html>')).toMatch(/its answer to step .* "<html>" is no JSON; correct the environment/);
    expect(await stepping(observation({ observation: { said: '<' }, reward: 0, done: 'yes' }))).toMatch(
      /its answer to step .* says done: "yes", which is neither true nor false; correct/,
    );
    expect(await stepping(observation({ observation: { said: '<' }, reward: 'high', done: false }))).toMatch(
      /says reward: "high", which is no finite number; correct/,
    );
    expect(await stepping(observation({ observation: {}, reward: 0, done: false }))).toMatch(
      /its answer to action "\d+" in the episode of seed \d has no field said \(it has: none\)/,
    );
  });

  it('an environment that fails, and one that forgets its seed', async () => {
    const failed = JSON.stringify({ type: 'error', data: { code: 'EXECUTION_ERROR', message: 'division by zero' } });
    expect(await stepping(failed)).toMatch(
      /step {"guess":\d+} failed there: division by zero \(EXECUTION_ERROR\); correct the environment, then resume\.$/,
    );
    const server = await startedServer();
    let resets = 0;
    server.instead = ({ type }) =>
      type === 'reset' && ++resets > 6 ? RECORDED.reset[0].replace('0 6>', '7 9>') : undefined;
    expect(await said(guessRun({ server, store: memoryStore() }))).toMatch(
      /reset of seed \d says "7 9>", and said "0 6>" before; draw all chance of the environment from the seed of its reset\.$/,
    );
  });

  it('an observation that is too long, or has characters that the vocabulary lacks', async () => {
    expect(await stepping(observation({ observation: { said: '<<' }, reward: 0, done: false }))).toBe(
      'task "openenv": step() says "<<": that is 2 tokens, and observation_tokens is 1; raise it, or say it in fewer.',
    );
    expect(await stepping(observation({ observation: { said: 'ä' }, reward: 0, done: false }))).toMatch(
      /^task "openenv": step\(\) says "ä", which cannot be written/,
    );
  });

  it('an episode that never says that it is over ends with its last turn, and is judged by its rewards', async () => {
    const server = await startedServer();
    const half = observation({ observation: { said: '<' }, reward: 0.5, done: false });
    server.instead = ({ type }) => (type === 'step' ? half : undefined);
    const store = memoryStore();
    await guessRun({ server, store, steps: 1, knobs: { reward: 'sum', won: 3 } });
    const text = new TextDecoder().decode(await store.read('completions.jsonl'));
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { turns, reason, status } of lines) {
      const paid = turns.filter(({ reward }: { reward?: number }) => reward === 0.5).length;
      if (status !== 'truncated' && !reason.includes('rules')) expect(reason).toBe(`rewarded with ${paid / 2}`);
    }
    expect(lines.some(({ reason }) => reason.startsWith('rewarded with 0.5'))).toBe(true);
  });

  it('a supervised stage, which has no teacher, before its first step', async () => {
    const { url } = await startedServer();
    const yaml = `task: ${JSON.stringify({ ...GUESS, url })}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
stages: [{stage: sft, max_steps: 1}, {stage: grpo, max_steps: 1}]`;
    const { config } = parseConfig(yaml, { file: 'guess.yaml' });
    const tasks = await createTasks(config, { openenv: { connect: connectWebSocket } });
    const task = tasks.shares[0].task;
    task.distant?.close();
    const rule =
      'an environment elsewhere has no teacher; give the stage data_files with rows of yours, or leave it out.';
    expect(await said(openRun(config, tasks, referenceBackend))).toBe(`stages.0.stage: sft — openenv: ${rule}`);
    expect(() => task.demonstration(task.trainItem(0, 0), 0, 0)).toThrow(`task: openenv — ${rule}`);
  });
});

describe('what the policy writes', () => {
  it('becomes the action of the environment, or none', () => {
    const as = (action_type: 'text' | 'integer' | 'number' | 'json', text: string): unknown =>
      actionOf(text, { action: 'value', action_type });
    expect(as('text', 'a b')).toEqual({ value: 'a b' });
    expect(as('integer', ' -12 ')).toEqual({ value: -12 });
    for (const text of ['', '1.5', '1e3', '12x', '9'.repeat(16)]) expect(as('integer', text)).toBeUndefined();
    expect(as('number', '1.25')).toEqual({ value: 1.25 });
    for (const text of ['', '1.', 'NaN', '0x10']) expect(as('number', text)).toBeUndefined();
    expect(as('json', '{"a": [1]}')).toEqual({ a: [1] });
    for (const text of ['', '[1]', 'null', '{"a"', '3']) expect(as('json', text)).toBeUndefined();
  });
});
