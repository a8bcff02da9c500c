/** The OpenEnv server of tasks: episodes over its WebSocket, what is listed over HTTP, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeatPlainly } from '../../../src/data/repeat.ts';
import { registeredTasks } from '../../../test/support/everything.ts';
import { connectWebSocket } from '../../http/websocket.node.ts';
import { bindTask } from '../../zoo/data/index.ts';
import { OfferedTask } from '../tasks/offered_task.ts';
import { startTaskServer, type TaskServer } from '../tasks/task_server.node.ts';

const NAMES = ['gcd', 'guess_number', 'calculator'];
const SESSIONS = 4;
let server: TaskServer;

async function offered(name: string): Promise<OfferedTask> {
  return new OfferedTask(await registeredTasks[name].load(), {}, repeatPlainly);
}

beforeAll(async () => {
  server = await startTaskServer({ tasks: await Promise.all(NAMES.map(offered)), sessions: SESSIONS });
});
afterAll(() => server.close());

interface Answer {
  readonly type: string;
  readonly data: {
    readonly observation: Readonly<Record<string, unknown>> & { readonly text: string };
    readonly reward: number | null;
    readonly done: boolean;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly message: string;
    readonly code: string;
  } & Readonly<Record<string, unknown>>;
}

/** A connection: says a message, and gets the answer to it. */
async function connected(path = '/ws'): Promise<{
  readonly say: (message: unknown) => Promise<Answer>;
  readonly next: () => Promise<Answer>;
  readonly closed: Promise<string>;
  readonly close: () => void;
}> {
  const came: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  let end: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => (end = resolve));
  const socket = await connectWebSocket(
    `${server.url.replace('http', 'ws')}${path}`,
    {},
    {
      message: (text) => (waiting.shift() ?? ((early) => void came.push(early)))(text),
      closed: (why) => end(why),
    },
  );
  const next = async (): Promise<Answer> =>
    JSON.parse(came.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))) as Answer;
  const say = (message: unknown): Promise<Answer> => {
    const answer = next();
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return answer;
  };
  return { say, next, closed, close: () => socket.close() };
}

const reset = (data: object = {}) => ({ type: 'reset', data });
const step = (data: object) => ({ type: 'step', data });

async function asked(path: string, body?: object): Promise<{ readonly status: number; readonly answer: unknown }> {
  const response = await fetch(`${server.url}${path}`, body && { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
}

describe('an episode', () => {
  it('is a question, an answer, and its verdict', async () => {
    const { say, close } = await connected();
    const task = bindTask(await registeredTasks.gcd.load(), { style: 'plain', level: 1 });
    const item = task.trainItem(3, 7);
    const { data: asks } = await say(reset({ seed: 3, index: 7, level: 1, episode_id: 'mine' }));
    expect(asks).toMatchObject({
      observation: { text: item.prompt, messages: [{ role: 'user', content: item.prompt }] },
      reward: null,
      done: false,
      metadata: { episode_id: 'mine', task: 'gcd', split: 'train', seed: 3, index: 7, style: 'plain', max_turns: 1 },
    });
    expect(JSON.stringify(asks)).not.toContain(`"${item.answer}"`);
    const { data: right } = await say(step({ text: item.answer }));
    expect(right).toMatchObject({ reward: 1, done: true, metadata: { score: 1, status: 'correct' } });
    await say(reset({ seed: 3, index: 7, level: 1 }));
    const { data: cut } = await say(step({ text: 'so', finish_reason: 'length' }));
    expect(cut).toMatchObject({ reward: 0, done: true, metadata: { status: 'truncated' } });
    close();
  });

  it('of held-out problems is their own split, and of those who name no problem the next one', async () => {
    const [one, other] = [await connected('/gcd/ws'), await connected()];
    const heldOut = bindTask(await registeredTasks.gcd.load(), { style: 'plain' }).heldOutItems();
    const { data: evaluated } = await one.say(reset({ split: 'eval', index: 2 }));
    expect(evaluated.observation.text).toBe(heldOut[2].prompt);
    const drawn = [await one.say(reset()), await other.say(reset()), await one.say(reset())];
    const places = drawn.map(({ data }) => Number(data.metadata.index));
    expect(places).toEqual([places[0], places[0] + 1, places[0] + 2]);
    one.close();
    other.close();
  });

  it('of several turns is paid at its end alone', async () => {
    const { say, close } = await connected('/guess_number/ws');
    const { data } = await say(reset({ seed: 1, level: 0 }));
    const most = Number(data.metadata.max_turns);
    let last = await say(step({ text: 'x' }));
    expect(last.data).toMatchObject({ reward: 0, done: false, metadata: { illegal: true, step_count: 1 } });
    for (let turn = 1; turn < most && !last.data.done; turn++) last = await say(step({ text: 'x' }));
    expect(last.data).toMatchObject({ done: true, metadata: { failure: 'illegal' } });
    expect(await say(step({ text: '1' }))).toMatchObject({ type: 'error', data: { code: 'EXECUTION_ERROR' } });
    close();
  });

  it('calls tools by name, or in the notation of a chat template', async () => {
    const { say, close } = await connected('/calculator/ws');
    const { data } = await say(reset({ split: 'eval', index: 0 }));
    expect(data.observation.tool_schemas).toMatchObject([{ type: 'function', function: { name: 'calc' } }]);
    const { data: mcp } = await say({ type: 'mcp', data: { jsonrpc: '2.0', id: 4, method: 'tools/list' } });
    expect(mcp).toMatchObject({ id: 4, result: { tools: [{ name: 'calc', inputSchema: { type: 'object' } }] } });
    const expression = '12+30';
    const call = { type: 'call_tool', tool_name: 'calc', arguments: { expression } };
    const { data: called } = await say(step(call));
    expect(called).toMatchObject({ observation: { tool_name: 'calc', result: '42', error: null }, reward: 0 });
    const text = `<tool_call>\n{"name": "calc", "arguments": {"expression": "${expression}"}}\n</tool_call>`;
    expect((await say(step({ text }))).data.observation.text).toBe('42');
    expect((await say(step({ text: '42' }))).data.done).toBe(true);
    close();
  });
});

// biome-ignore format: a table
describe.each<[unknown, string, string]>([
  ['{', 'INVALID_JSON', 'Invalid JSON'],
  [[], 'UNKNOWN_TYPE', 'Unknown message type: null'],
  [{ type: 'greet' }, 'UNKNOWN_TYPE', 'Unknown message type: "greet"; use reset'],
  [{ type: 'reset', data: 5 }, 'VALIDATION_ERROR', 'data — must be an object.'],
  [reset({ sed: 1 }), 'VALIDATION_ERROR', 'sed — not known here; did you mean seed?'],
  [reset({ seed: -1 }), 'VALIDATION_ERROR', 'seed: -1 — must be a number of 0 or more.'],
  [reset({ task: 'chess' }), 'VALIDATION_ERROR', 'task: "chess" — must be gcd or guess_number or calculator.'],
  [reset({ split: 'test' }), 'VALIDATION_ERROR', 'split: "test" — must be train or eval.'],
  [reset({ split: 'eval', index: 1e6 }), 'VALIDATION_ERROR', 'index: 1000000 — there are 134 held-out problems.'],
  [reset({ level: 99 }), 'VALIDATION_ERROR', 'gcd.level: 99'],
  [reset({ style: 'rude' }), 'VALIDATION_ERROR', 'gcd.style: "rude"'],
  [reset({ knobs: { wheels: 4 } }), 'VALIDATION_ERROR', 'wheels'],
  [step({ text: '3' }), 'EXECUTION_ERROR', 'no episode; send reset first'],
])('%j', (message, code, says) => {
  it(`is refused: ${says}`, async () => {
    const { say, close } = await connected();
    const { type, data } = await say(message);
    expect({ type, code: data.code }).toEqual({ type: 'error', code });
    expect(data.message).toContain(says);
    expect(data.message).not.toMatch(/\n|\.ts:/);
    close();
  });
});

describe('a step', () => {
  // biome-ignore format: a table
  it.each<[object, string]>([
    [{ txt: '3' }, 'text — missing'],
    [{ text: 3 }, 'text: 3 — must be a text.'],
    [{ text: 'a'.repeat(100_001) }, 'of at most 100000 characters'],
    [{ text: '3', finish_reason: 'bored' }, 'finish_reason: "bored" — must be eos or stop or length.'],
    [{ type: 'call_tool', tool_name: 'calc', arguments: {} }, 'the task has no tools in this style'],
  ])('%j is refused: %s', async (action, says) => {
    const { say, close } = await connected();
    await say(reset({ seed: 1 }));
    const { data } = await say(step(action));
    expect(data.code).toBe('VALIDATION_ERROR');
    expect(data.message).toContain(says);
    expect((await say(step({ text: '3' }))).data.done).toBe(true);
    close();
  });
});

describe('the server', () => {
  it('says what it has', async () => {
    expect(await asked('/health')).toEqual({ status: 200, answer: { status: 'healthy' } });
    expect((await asked('/list_environments')).answer).toEqual(NAMES);
    expect((await asked('/metadata')).answer).toMatchObject({ name: NAMES.join(' + ') });
    expect((await asked('/schema')).answer).toMatchObject({ action: { required: ['text'] } });
    expect((await asked('/gcd/splits')).answer).toMatchObject([{ name: 'train' }, { name: 'eval', type: 'test' }]);
    expect((await asked('/gcd/num_tasks', { split: 'eval' })).answer).toEqual({ num_tasks: 134 });
    const { answer } = await asked('/gcd/task_range', { split: 'train', start: 4, stop: 6 });
    expect(answer).toMatchObject({ tasks: [{ index: 4 }, { index: 5, messages: [{ role: 'user' }] }] });
    expect((await asked('/gcd/task', { split: 'eval', index: 1 })).answer).toMatchObject({ task: { index: 1 } });
    expect((await asked('/gcd/tasks', { split: 'train' })).answer).toMatchObject({ error: { code: 'too_many' } });
    expect(await asked('/chess/splits')).toMatchObject({ status: 404 });
    expect(await asked('/gcd/task', { split: 'train' })).toMatchObject({ status: 400 });
  });

  it('has room for as many episodes as was said, and for others when these end', async () => {
    const all = await Promise.all(Array.from({ length: SESSIONS }, () => connected()));
    const late = await connected();
    expect((await late.next()).data).toMatchObject({ code: 'CAPACITY_REACHED', max_sessions: SESSIONS });
    await late.closed;
    for (const { close } of all) close();
    await expect
      .poll(async () => {
        const again = await connected();
        const { type } = await again.say(reset());
        again.close();
        return type;
      })
      .toBe('observation');
  });

  it('refuses foreign names, pages of other sites, and other paths', async () => {
    const url = `${server.url.replace('http', 'ws')}/ws`;
    const events = { message: () => undefined, closed: () => undefined };
    await expect(connectWebSocket(url, { Origin: 'https://example.com' }, events)).rejects.toThrow('HTTP status 403');
    await expect(connectWebSocket(url, { Host: 'example.com' }, events)).rejects.toThrow('HTTP status 403');
    await expect(connectWebSocket(`${url}/../other`, {}, events)).rejects.toThrow('HTTP status 404');
    const tasks = [await offered('gcd')];
    await expect(startTaskServer({ tasks, sessions: 1, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'no-key' });
  });
});
