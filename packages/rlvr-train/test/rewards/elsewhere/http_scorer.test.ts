/** A server that scores completions, and everything that it can do wrong. */
import { describe, expect, it } from 'vitest';
import { type LoopbackScorer, startedScorer } from '../../../../../test/support/loopback_scorer.ts';
import { AskedReward } from '../../../../zoo/rewards/elsewhere/asked_reward.ts';
import { type HttpOptions, HttpScorer } from '../../../../zoo/rewards/elsewhere/http_scorer.ts';
import { batchOf } from '../reward_batch.ts';

const SECRET = 'hunter2-and-more';

function opened({ url }: { readonly url: string }, options: Partial<HttpOptions> = {}, batchSize = 4): AskedReward {
  const given = { url, timeout: 5, retries: 4, headerEnv: 'SCORER_TOKEN', ...options };
  return new AskedReward('http', new HttpScorer(given, { SCORER_TOKEN: SECRET, OWN: 'X-Key: abc' }, 1), batchSize);
}

const ROWS = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff'].map((text) => ({ text, prompt: `${text}?`, answer: text }));
const RIGHT = ROWS.map(({ text }) => text.length / 8);
const batch = batchOf(ROWS);

describe('an http reward', () => {
  it('matches answers by id, a batch at a time, each with a key and the header', async () => {
    const server = await startedScorer();
    const reward = opened(server);
    await reward.distant.open();
    expect(await reward.score(batch)).toEqual(RIGHT); // the server answers in reverse
    expect(server.requests.map(({ completions }) => completions.length)).toEqual([4, 2]);
    expect(server.requests[1].completions[1]).toEqual({
      id: 1,
      prompt: 'ffffff?',
      completion: 'ffffff',
      finish_reason: 'eos',
      item: { id: 'i', answer: 'ffffff' },
    });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    for (const { headers } of server.requests) expect(headers.authorization).toBe(`Bearer ${SECRET}`);
    const own = opened(server, { headerEnv: 'OWN' });
    server.score = () => null;
    expect(await own.score(batch)).toEqual(RIGHT.map(() => null));
    expect(server.requests.at(-1)?.headers['x-key']).toBe('abc');
  });

  it('asks about the same completion once, also where a run is opened again', async () => {
    const server = await startedScorer();
    const kept = new Map<string, string>();
    const files = {
      read: async (name: string) => (kept.has(name) ? new TextEncoder().encode(kept.get(name)) : undefined),
      append: async (name: string, text: string) => void kept.set(name, (kept.get(name) ?? '') + text),
      list: async () => [...kept.keys()],
      remove: async (name: string) => void kept.delete(name),
    };
    const cached = async (): Promise<AskedReward> => {
      const scorer = new HttpScorer({ url: server.url, timeout: 5, retries: 0 }, {}, 1);
      const reward = new AskedReward('http', scorer, 4, true);
      await reward.distant.recordIn(files, 'rewards');
      return reward;
    };
    const reward = await cached();
    expect(await reward.score(batchOf([...ROWS, ...ROWS]))).toEqual([...RIGHT, ...RIGHT]);
    expect(server.requests.map(({ completions }) => completions.length)).toEqual([4, 2]);
    await reward.distant.checkpointed(7, 1);
    await reward.distant.checkpointed(8, 1);
    expect(await (await cached()).score(batch)).toEqual(RIGHT);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, LoopbackScorer['instead']]>([
    ['429', (response) => !!response.writeHead(429, { 'retry-after': '0' }).end('later')],
    ['500', (response) => !!response.writeHead(500).end()],
    ['a reset', (response) => !!response.socket?.resetAndDestroy()],
    [
      'half a body',
      (response) => {
        response.writeHead(200, { 'content-length': '400' }).write('[{"id": 0, "sc');
        setTimeout(() => response.socket?.destroy(), 5);
        return true;
      },
    ],
    ['half a JSON', (response) => !!response.end('[{"id": 0, "sc')],
    ['a hang', () => true],
  ])('asks once more after %s, with the same key', async (_, instead) => {
    const server = await startedScorer();
    server.instead = (response, request, number) => (number < 3 ? instead(response, request, number) : undefined);
    expect(await opened(server, { timeout: 0.2 }).score(batch)).toEqual(RIGHT);
    expect(server.requests).toHaveLength(4); // two in vain
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
  });

  it.each<[string, LoopbackScorer['instead'], string]>([
    [
      'another status',
      (response) => !!response.writeHead(403).end(`no ${SECRET}`),
      'it answers with status 403 (no …) — correct it',
    ],
    [
      'a redirect',
      (response) => !!response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'it answers with status 302 — correct it',
    ],
    [
      'an unknown id',
      (response) => !!response.end('[{"id": 7, "score": 1}]'),
      'its answer has the id 7, which was not asked: [{"id": 0, "score": 1}, …], one for each of 4',
    ],
    [
      'an id twice',
      (response) => !!response.end('[{"id": 1, "score": 1}, {"id": 1, "score": 1}]'),
      'its answer has the id 1 twice',
    ],
    [
      'an id too few',
      (response) => !!response.end('[{"id": 0, "score": 1}, {"id": 2, "score": 1}, {"id": 3, "score": 1}]'),
      'its answer lacks the id 1',
    ],
    ['no list', (response) => !!response.end('{"scores": [1]}'), 'its answer is {"scores": [1]}, and should be [{"id"'],
    [
      'no number',
      (response) => !!response.end('[{"id": 0, "score": "1"}]'),
      'its score for id 0 is "1", and should be a number',
    ],
    [
      '1e300',
      (response) => !!response.end('[{"id": 0, "score": 1e300}]'),
      'its score for id 0 is 1e+300, and should be a number up to 1000000',
    ],
    [
      '100 MB',
      (response) => {
        response.writeHead(200);
        const piece = Buffer.alloc(1e6, 32);
        const send = (left: number): void =>
          void (left > 0 && !response.destroyed && response.write(piece, () => send(left - 1)));
        send(100);
        return true;
      },
      'its answer is longer than 8 MB',
    ],
  ])('does not ask twice after %s', async (_, instead, says) => {
    const server = await startedScorer();
    server.instead = instead;
    const failed = opened(server).score(batch);
    await expect(failed).rejects.toThrow(says);
    await expect(failed).rejects.toThrow(`reward "http" (${server.url}): `);
    await expect(failed).rejects.not.toThrow(SECRET);
    expect(server.requests).toHaveLength(1);
  });

  it('takes the NaN of other languages for no JSON, and gives up after its attempts', async () => {
    const server = await startedScorer();
    server.instead = (response) => !!response.end('[{"id": 0, "score": NaN}]');
    await expect(opened(server, { retries: 1 }).score(batch)).rejects.toThrow(
      /its answer is no JSON \(.*N.*\), and so at 2 attempts — see to it, or raise retries or timeout, then resume: nothing sampled is lost\./,
    );
    expect(server.requests).toHaveLength(2);
  });

  it('asks no more after five failures in a row', async () => {
    const server = await startedScorer();
    server.instead = (response) => !!response.writeHead(503).end();
    const reward = opened(server, { retries: 9 });
    await expect(reward.score(batch)).rejects.toThrow('status 503, the 5th failure in a row, so it is asked no more');
    expect(server.requests).toHaveLength(5);
    server.instead = (response, _, number) => (number % 2 === 0 ? undefined : !!response.writeHead(503).end());
  });

  it('is ended while it waits', async () => {
    const server = await startedScorer();
    server.instead = () => true;
    const reward = opened(server, { timeout: 60, retries: 0 });
    const waiting = reward.score(batch);
    setTimeout(() => reward.distant.close(), 20);
    await expect(waiting).rejects.toThrow('reward "http"');
  });

  it('is refused at the start where nobody answers, or something else does', async () => {
    const server = await startedScorer();
    const { url } = server;
    await server.stop();
    await expect(opened({ url }).distant.open()).rejects.toThrow(
      `reward_funcs: http.url: "${url}" — it cannot be reached, or broke off (ECONNREFUSED); start the server, which answers an empty list with one, or correct url.`,
    );
  });

  it.each<[Partial<HttpOptions>, string]>([
    [{ url: 'ftp://x' }, 'reward_funcs: http.url: "ftp://x" — not the address of a server; for example'],
    [
      { url: `http://me:${SECRET}@host/score` },
      'reward_funcs: http.url: "http://host/score" — a config keeps no secrets',
    ],
    [
      { url: `http://host/score?token=${SECRET}` },
      'reward_funcs: http.url: "http://host/score" — a config keeps no secrets',
    ],
    [
      { headerEnv: 'NOT_THERE' },
      'reward_funcs: http.header_env: "NOT_THERE" — NOT_THERE is not set in the environment; export it, or leave header_env out.',
    ],
  ])('refuses %j before anything is asked', (options, says) => {
    const open = () => opened({ url: 'http://127.0.0.1:1/score' }, options);
    expect(open).toThrow(says);
    expect(open).not.toThrow(SECRET);
  });
});
