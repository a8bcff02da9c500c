/** Episodes over HTTP: the bits of the same ones in this process, and what is refused. */
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DistantEpisode, EpisodeStep } from '../../../src/data/environment.ts';
import { oneTask, type TaskSet } from '../../../src/data/task_set.ts';
import { memoryStore } from '../../../src/run/store/store.ts';
import { createTask } from '../../../test/support/everything.ts';
import type { SessionBook } from '../../zoo/data/sessions/book.ts';
import { bookOf } from '../../zoo/data/sessions/sessions.ts';
import { type SessionServer, startSessionServer } from '../sessions/session_server.node.ts';
import { type Asking, asking, FILES, gameRun, KNOBS, play } from './session_run.ts';

describe('a run on sessions', () => {
  it('ends with the bits of the same episodes in one process, played by three programs at once', async () => {
    const inProcess = await gameRun({ store: memoryStore() });
    const several = async (of: Asking): Promise<void> => void (await Promise.all([play(of), play(of), play(of)]));
    expect(await gameRun({ store: memoryStore(), client: several })).toBe(inProcess);
  });

  it('does not begin where nothing serves its episodes', async () => {
    const task = await createTask(KNOBS, { files: FILES });
    const files = {
      read: async () => undefined,
      append: async () => undefined,
      list: async () => [],
      remove: async () => undefined,
    };
    await expect(bookOf([task]).recordIn(files)).rejects.toThrow('start it by rlvr-train serve --train');
    const other = await createTask({ name: 'sort_digits' });
    expect(() => bookOf([other])).toThrow(
      'task: sort_digits — serve --train trains on episodes that other programs play',
    );
  });
});

let book: SessionBook;
let tasks: TaskSet;
let server: SessionServer;
let client: Asking;

beforeEach(async () => {
  const task = await createTask(KNOBS, { files: FILES });
  book = bookOf([task]);
  tasks = oneTask(task);
  server = await startSessionServer({ book, tasks, patienceMs: 0, lingerMs: 0 });
  client = asking(server.url);
});
afterEach(() => server.close());

/** An episode whose policy has written its first turn. */
function written(
  text = 'a',
  split: 'train' | 'eval' = 'train',
): { episode: DistantEpisode; step: Promise<EpisodeStep> } {
  const item = split === 'eval' ? tasks.heldOutItems()[0] : tasks.trainItem(0, 0);
  const episode = book.play(item as NonNullable<typeof item>, '0', 7);
  return { episode, step: next(episode, 0, text) };
}

function next(episode: DistantEpisode, turn: number, text: string): Promise<EpisodeStep> {
  const turnTokens = [...tasks.codec.encode(text), tasks.codec.eosTokenId];
  const begin = 3 * turn;
  const tokens = Int32Array.from([...new Array<number>(begin).fill(0), ...turnTokens]);
  const [logprobs, keptLogMass] = [new Float32Array(tokens.length).fill(-0.5), new Float32Array(tokens.length)];
  const sampled = { tokens, begin, logprobs, keptLogMass };
  return episode.step({ state: null, turn, illegal: 0 }, text, { finishReason: 'eos', sampled });
}

interface Begun {
  readonly session_id: string;
  readonly messages: { role: string; content: string }[];
  readonly rollout_type: string;
}

async function begun(body: object = {}): Promise<Begun> {
  const response = await client.post('/sessions', body);
  expect(response.status).toBe(200);
  return (await response.json()) as Begun;
}

const CHAT = '/v1/chat/completions';
const user = (content: string) => ({ role: 'user', content });

async function refusal(response: Response): Promise<readonly [number, string]> {
  return [response.status, (await response.json()).error.message];
}

describe('a session', () => {
  it('is played turn by turn, and rewarded', async () => {
    const { episode, step } = written('a');
    const { session_id: key, messages, rollout_type: type } = await begun();
    expect(type).toBe('train');
    const asked = { messages, return_token_ids: true, logprobs: true, temperature: 0.2, max_tokens: 5 };
    const reply = await client.post(CHAT, asked, key);
    expect(reply.headers.get('x-weights-version')).toBe('7');
    const answer = await reply.json();
    expect(answer).toMatchObject({
      model_version: 7,
      prompt_token_ids: [...tasks.promptTokens(tasks.trainItem(0, 0))],
    });
    const [choice] = answer.choices;
    expect(choice).toMatchObject({ message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' });
    expect(choice.token_ids).toEqual([...tasks.codec.encode('a'), tasks.codec.eosTokenId]);
    expect(choice.logprobs.content.map(({ logprob }: { logprob: number }) => logprob)).toEqual([-0.5, -0.5]);
    const following = { messages: [...messages, choice.message, user('b')] };
    const second = client.post(CHAT, following, key);
    expect(await step).toMatchObject({ observation: 'b', next: { turn: 1 } });
    const last = next(episode, 1, 'c');
    const told = await (await second).json();
    expect(told.choices[0].message.content).toBe('c');
    const again = await Promise.all([client.post(CHAT, { messages }, key), client.post(CHAT, following, key)]);
    const texts = await Promise.all(again.map(async (one) => (await one.json()).choices[0].message.content));
    expect(texts).toEqual(['a', 'c']);
    const stream = await (await client.post(CHAT, { ...following, stream: true }, key)).text();
    expect(stream).toContain('"content":"c"');
    expect(stream.trim().endsWith('data: [DONE]')).toBe(true);
    expect(
      await (await client.post(`/sessions/${key}/reward`, { value: 0.25, message: 'near' }, key)).json(),
    ).toMatchObject({ status: 'rewarded', reward: 0.25, turns: 2, reason: 'near' });
    expect(await last).toMatchObject({ verdict: { score: 0.25, failure: 'partial', reason: 'near' } });
    expect(await refusal(await client.post(`/sessions/${key}/reward`, { value: 1 }, key))).toEqual([
      409,
      'the episode has ended already: near.',
    ]);
  });

  it('without a judgement has no score; one that is given up is lost', async () => {
    const one = written();
    const { session_id: key, messages } = await begun();
    await client.post(CHAT, { messages }, key);
    await client.post(`/sessions/${key}/reward`, { value: null });
    expect((await one.step).verdict).toMatchObject({ score: null });
    const other = written();
    const { session_id: gone } = await begun();
    expect((await fetch(`${server.url}/sessions/${gone}`, { method: 'DELETE' })).status).toBe(200);
    expect((await other.step).verdict).toMatchObject({
      score: 0,
      status: 'truncated',
      reason: 'given up by its program',
    });
  });

  it('of one purpose waits for it; none is wanted, or the training is over', async () => {
    written('a', 'train');
    const wanted = await client.post('/sessions', { purpose: 'eval' });
    expect([wanted.status, wanted.headers.get('retry-after')]).toEqual([503, '1']);
    written('a', 'eval');
    expect((await begun({ purpose: 'eval' })).rollout_type).toBe('eval');
    expect((await begun()).rollout_type).toBe('train');
    expect((await client.post('/sessions', {})).status).toBe(503);
  });

  it('is lost where its program is silent, and no other is; a turn that is being written waits for none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const [first, second] = [written(), written()];
      const never = new AbortController().signal;
      const taken = await book.next(undefined, never);
      vi.advanceTimersByTime(599_000);
      taken?.heard();
      vi.advanceTimersByTime(599_000);
      expect(taken?.outcome).toBeUndefined();
      vi.advanceTimersByTime(2000);
      expect((await first.step).verdict?.reason).toBe('its program was silent for 600 seconds');
      const other = await book.next(undefined, never);
      other?.say('b');
      vi.advanceTimersByTime(10_000_000);
      await second.step;
      expect(other?.outcome).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

const REWRITTEN = 'messages[0]: {"role":"user","content":"new"} — the episode has {"role":"user"';

// biome-ignore format: a table
describe.each<[string, (key: string, messages: Begun['messages']) => Promise<Response>, number, string]>([
  ['an unknown key', (_, messages) => client.post(CHAT, { messages }, 'nobody'), 401, 'this is no session of this training'],
  ['no key', (_, messages) => client.post(CHAT, { messages }), 401, 'none was sent'],
  ['an unknown session', () => client.post('/sessions/none/reward', { value: 1 }), 404, 'none — no session of this training'],
  ['the key of another', (key) => client.post(`/sessions/${key}/reward`, { value: 1 }, 'other'), 401, 'is a session_id'],
  ['another beginning', (key) => client.post(CHAT, { messages: [user('new')] }, key), 409, REWRITTEN],
  ['words before the first answer', (key, messages) => client.post(CHAT, { messages: [...messages, user('b')] }, key), 409, 'the episode begins with 1, and then the policy answers'],
  ['tools that it has not', (key, messages) => client.post(CHAT, { messages, tools: [{ type: 'function' }] }, key), 409, 'tools — the episode has none'],
  ['two answers', (key, messages) => client.post(CHAT, { messages, n: 2 }, key), 400, 'n: 2 — must be from 1 to 1'],
  ['a stop', (key, messages) => client.post(CHAT, { messages, stop: 'x' }, key), 400, 'stop: "x" — must be left out'],
  ['a key that is not known', (key, messages) => client.post(CHAT, { messages, temprature: 1 }, key), 400, 'did you mean temperature?'],
  ['no messages', (key) => client.post(CHAT, {}, key), 400, 'messages — missing'],
  ['a reward before the first call', (key) => client.post(`/sessions/${key}/reward`, { value: 1 }), 409, 'nothing was asked in it yet'],
  ['a reward that is no number', (key) => client.post(`/sessions/${key}/reward`, { value: 'good' }), 400, 'value: "good" — must be a number'],
  ['no reward', (key) => client.post(`/sessions/${key}/reward`, {}), 400, 'value — missing: a number, or null'],
  ['a reward out of range', (key) => client.post(`/sessions/${key}/reward`, { value: 3 }), 400, 'value: 3 — must be from 0 to 1'],
  ['another purpose', () => client.post('/sessions', { purpose: 'fun' }), 400, 'purpose: "fun" — must be "auto"'],
  ['no JSON', () => client.post('/sessions', '{'), 400, 'the body is no JSON object'],
  ['another route', () => client.post('/sessions/a/b', {}), 404, 'POST /sessions/a/b — there is POST /sessions'],
])('%s', (_, ask, status, says) => {
  it(`is refused: ${says}`, async () => {
    written();
    const { session_id: key, messages } = await begun();
    const [seen, message] = await refusal(await ask(key, messages));
    expect(message).toContain(says);
    expect(seen).toBe(status);
  });
});

it('what follows an answer is refused where it is too long, no text of the policy, or of no turn that is left', async () => {
  const { episode } = written();
  const { session_id: key, messages } = await begun();
  const { message } = (await (await client.post(CHAT, { messages }, key)).json()).choices[0];
  const after = (...more: object[]) => client.post(CHAT, { messages: [...messages, message, ...more] }, key);
  expect(await refusal(await after(user('bb')))).toEqual([
    413,
    'messages: what is new after the answer has 2 tokens, and observation_tokens is 1; say it in fewer, or raise it.',
  ]);
  expect((await refusal(await after(user('z'))))[1]).toContain('cannot be written');
  expect((await refusal(await after({ role: 'system', content: 'b' })))[1]).toContain(
    'messages of user, or by those of tool',
  );
  const second = after(user('b'));
  const early = async () => (await client.post(`/sessions/${key}/reward`, { value: 1 })).status;
  await expect.poll(async () => (await fetch(`${server.url}/sessions/${key}`)).status).toBe(200);
  await expect.poll(early).toBe(409);
  const answered = next(episode, 1, 'b');
  const { message: then } = (await (await second).json()).choices[0];
  const third = after(user('b'), then, user('c'));
  await answered;
  void next(episode, 2, 'c');
  const { message: last } = (await (await third).json()).choices[0];
  expect(await refusal(await after(user('b'), then, user('c'), last, user('d')))).toEqual([
    409,
    'the episode has had its 3 turns (max_turns); post its reward.',
  ]);
  await episode.end();
  expect(await refusal(await client.post(`/sessions/${key}/reward`, { value: 1 }))).toEqual([
    409,
    'the episode has ended already: the run ended it.',
  ]);
});

it('a foreign host, and a page of another site, are refused with any key', async () => {
  written();
  const { session_id: key } = await begun();
  const statusOf = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(`${server.url}${CHAT}`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end('{}');
    });
  const authorization = `Bearer ${key}`;
  expect(await statusOf({ authorization, host: 'example.com' })).toBe(403);
  expect(await statusOf({ authorization, origin: 'https://example.com' })).toBe(403);
  expect(await statusOf({ authorization })).toBe(400);
});
