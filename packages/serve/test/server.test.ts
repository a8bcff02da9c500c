/** The server's routes, what they refuse, and that ids, log-probs and texts are those of the sampler. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { type Answering, askedPolicy, beforeStop } from '../../models/asked/asked_policy.ts';
import { openAnswering } from '../../models/asked/open_model.ts';
import { openSmallPretrained } from '../../models/test/support/small_pretrained.ts';
import { type PolicyServer, startServer } from '../server.node.ts';
import { messageOf, settledText } from '../told.ts';

const CONTEXT = 96;
const USER = [{ role: 'user', content: 'Hello' }];
let answering: Answering;
let server: PolicyServer;

beforeAll(async () => {
  const options = { context: CONTEXT, parallel: 4 };
  answering = await openAnswering(await openSmallPretrained(), await wasmBackend({ inline: true }), options);
  server = await startServer({ answering, id: 'small' });
});
afterAll(async () => {
  await server.close();
  await answering.close();
});

interface Choice {
  readonly text?: string;
  readonly message?: { readonly content: string };
  readonly delta?: { readonly content?: string };
  readonly finish_reason: string | null;
  readonly token_ids: number[];
  readonly logprobs: { readonly content: { readonly token: string; readonly logprob: number }[] };
}

interface Reply {
  readonly choices: Choice[];
  readonly prompt_token_ids: number[];
  readonly usage: Record<string, number>;
}

const at = (path: string): string => new URL(path, server.url).href;

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly reply: Reply }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(at(path), { method: 'POST', body: text });
  return { status: response.status, reply: (await response.json()) as Reply };
}

/** The data of server-sent events. */
async function events(path: string, body: object): Promise<string[]> {
  const response = await fetch(at(path), { method: 'POST', body: JSON.stringify({ ...body, stream: true }) });
  return (await response.text())
    .trim()
    .split('\n\n')
    .map((line) => line.replace(/^data: /, ''));
}

describe('routes', () => {
  it('list the model, with the length that it was opened for', async () => {
    const list = await (await fetch(at('/v1/models'))).json();
    expect(list).toMatchObject({ object: 'list', data: [{ id: 'small', object: 'model', max_model_len: CONTEXT }] });
    expect(await (await fetch(at('/health'))).json()).toEqual({ status: 'ok', open: 0, waiting: 0 });
  });

  it('answer with the ids and log-probs that the library samples', async () => {
    const asked = { model: 'small', messages: USER, seed: 3, temperature: 0.8, max_tokens: 10, logprobs: true };
    const { reply } = await post('/v1/chat/completions', { ...asked, n: 2, return_token_ids: true, top_logprobs: 0 });
    const [own] = await askedPolicy(answering).generate(['Hello'], { n: 2, seed: 3, temperature: 0.8, maxTokens: 10 });
    reply.choices.forEach(({ message, token_ids: ids, logprobs }, i) => {
      expect(message?.content).toBe(own[i].text);
      expect(ids).toEqual([...own[i].tokens]);
      expect(logprobs.content.map(({ token }) => token)).toEqual(ids.map((id) => `token_id:${id}`));
      expect(logprobs.content.map(({ logprob }) => logprob)).toEqual([...own[i].logprobs]);
    });
    const sent = {
      token_ids: reply.prompt_token_ids,
      sampling_params: { seed: 3, temperature: 0.8, max_tokens: 10, n: 2 },
    };
    const { reply: generated } = await post('/inference/v1/generate', sent);
    expect(generated.choices.map(({ token_ids }) => token_ids)).toEqual(
      reply.choices.map(({ token_ids }) => token_ids),
    );
    const { reply: completed } = await post('/v1/completions', {
      prompt: [reply.prompt_token_ids, reply.prompt_token_ids],
      seed: 3,
      temperature: 0.8,
      max_tokens: 10,
    });
    expect(completed.choices.map(({ text }) => text)).toEqual([own[0].text, own[0].text]);
    expect(completed.usage).toMatchObject({ completion_tokens: 2 * own[0].tokens.length });
  });

  it('stream the same answer in pieces', async () => {
    const asked = { messages: USER, seed: 5, max_tokens: 14, return_token_ids: true, logprobs: true };
    const { reply } = await post('/v1/chat/completions', asked);
    const lines = await events('/v1/chat/completions', { ...asked, stream_options: { include_usage: true } });
    expect(lines.at(-1)).toBe('[DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line) as Reply);
    const parts = chunks.flatMap(({ choices }) => choices);
    expect(parts.map(({ delta }) => delta?.content ?? '').join('')).toBe(reply.choices[0].message?.content);
    expect(parts.flatMap(({ token_ids }) => token_ids)).toEqual(reply.choices[0].token_ids);
    expect(parts.flatMap(({ logprobs }) => logprobs.content)).toEqual(reply.choices[0].logprobs.content);
    expect(chunks[0].prompt_token_ids).toEqual(reply.prompt_token_ids);
    expect(chunks.at(-1)?.usage).toEqual(reply.usage);
  });

  it('end an answer before a stop, in a stream as well', async () => {
    const asked = { messages: USER, seed: 5, max_tokens: 14 };
    const whole = (await post('/v1/chat/completions', asked)).reply.choices[0].message?.content as string;
    const stop = whole.slice(4, 7);
    const { reply } = await post('/v1/chat/completions', { ...asked, stop });
    expect(reply.choices[0]).toMatchObject({ message: { content: beforeStop(whole, [stop]) }, finish_reason: 'stop' });
    const lines = await events('/v1/chat/completions', { ...asked, stop: [stop] });
    const parts = lines.slice(0, -1).flatMap((line) => (JSON.parse(line) as Reply).choices);
    expect(parts.map(({ delta }) => delta?.content ?? '').join('')).toBe(beforeStop(whole, [stop]));
  });

  it('are free again when a client goes away', async () => {
    const gone = new AbortController();
    const response = await fetch(at('/v1/chat/completions'), {
      method: 'POST',
      signal: gone.signal,
      body: JSON.stringify({ messages: USER, n: 64, max_tokens: 60, stream: true }),
    });
    await response.body?.getReader().read();
    gone.abort();
    const { status } = await post('/v1/chat/completions', { messages: USER, seed: 1, max_tokens: 2 });
    expect(status).toBe(200);
    await expect.poll(async () => (await fetch(at('/health'))).json()).toEqual({ status: 'ok', open: 0, waiting: 0 });
  });
});

const LONG = 'word '.repeat(CONTEXT);

// biome-ignore format: a table
describe.each<[string, unknown, number, string]>([
  ['/v1/chat/completions', '{', 400, 'the body is no JSON object.'],
  ['/v1/chat/completions', [], 400, 'the body is no JSON object.'],
  ['/v1/chat/completions', {}, 400, 'messages — missing'],
  ['/v1/chat/completions', { messages: [] }, 400, 'messages — missing'],
  ['/v1/chat/completions', { messages: 'Hello' }, 400, 'messages: "Hello" — must be a list of objects.'],
  ['/v1/chat/completions', { messages: [{ role: 'robot', content: '' }] }, 400, 'messages[0].role: "robot" — one of'],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 400, 'messages[0].content — must be a text'],
  ['/v1/chat/completions', { messages: USER, model: 'other' }, 404, 'model: "other" — this server has "small".'],
  ['/v1/chat/completions', { messages: USER, temprature: 1 }, 400, 'temprature — not known here; did you mean temperature?'],
  ['/v1/chat/completions', { messages: USER, temperature: -1 }, 400, 'temperature: -1 — must be from 0 to 100.'],
  ['/v1/chat/completions', { messages: USER, temperature: 'hot' }, 400, 'temperature: "hot" — must be'],
  ['/v1/chat/completions', { messages: USER, top_p: 0 }, 400, 'top_p: 0 — must be'],
  ['/v1/chat/completions', { messages: USER, n: 0 }, 400, 'n: 0 — must be from 1 to 128.'],
  ['/v1/chat/completions', { messages: USER, n: 1.5 }, 400, 'n: 1.5 — must be a whole number.'],
  ['/v1/chat/completions', { messages: USER, max_tokens: 0 }, 400, 'max_tokens: 0 — must be'],
  ['/v1/chat/completions', { messages: USER, max_tokens: 1000 }, 413, 'was opened for 96 in all'],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: LONG }] }, 413, 'was opened for 96 in all'],
  ['/v1/chat/completions', { messages: USER, stop: [''] }, 400, 'stop: [""] — must be'],
  ['/v1/chat/completions', { messages: USER, top_logprobs: 5 }, 400, 'top_logprobs: 5 — must be'],
  ['/v1/chat/completions', { messages: USER, presence_penalty: 1 }, 400, 'presence_penalty: 1 — must be 0'],
  ['/v1/chat/completions', { messages: USER, response_format: { type: 'json_object' } }, 400, 'response_format'],
  ['/v1/chat/completions', { messages: USER, tools: [{ type: 'function' }] }, 400, 'has no place for them'],
  ['/v1/chat/completions', { messages: USER, tool_choice: 'required' }, 400, 'a call cannot be forced'],
  ['/v1/completions', {}, 400, 'prompt — missing: a text, token ids below 432'],
  ['/v1/completions', { prompt: '' }, 400, 'the prompt is empty'],
  ['/v1/completions', { prompt: [1, 100_000] }, 400, 'must be a text, token ids below 432'],
  ['/v1/completions', { prompt: 'a', echo: true }, 400, 'echo: true'],
  ['/inference/v1/generate', { sampling_params: {} }, 400, 'token_ids — missing'],
  ['/inference/v1/generate', { token_ids: [-1] }, 400, 'token_ids: [-1] — must be'],
  ['/v1/embeddings', {}, 404, 'POST /v1/embeddings — there is'],
])('%s %j', (path, body, expected, says) => {
  it(`is refused: ${says}`, async () => {
    const { status, reply } = await post(path, body);
    expect(status).toBe(expected);
    expect((reply as unknown as { error: { message: string } }).error.message).toContain(says);
  });
});

describe('who may ask', () => {
  /** `fetch` sets Host itself. */
  const statusOf = (headers: Record<string, string>, url = at('/v1/models')): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end();
    });

  it('is this machine, by its own name, and no page of another site', async () => {
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ host: 'example.com' })).toBe(403);
    expect(await statusOf({ origin: 'https://example.com' })).toBe(403);
    const { status } = await post('/v1/completions', JSON.stringify({ prompt: 'a'.repeat(9 * 2 ** 20) }));
    expect(status).toBe(413);
  });

  it('needs the key where there is one', async () => {
    const kept = await startServer({ answering, id: 'small', host: '0.0.0.0', key: 'secret' });
    try {
      const url = `${kept.url.replace('0.0.0.0', '127.0.0.1')}/models`;
      expect(await statusOf({}, url)).toBe(401);
      expect(await statusOf({ authorization: 'Bearer wrong' }, url)).toBe(401);
      expect(await statusOf({ authorization: 'Bearer secret' }, url)).toBe(200);
      expect(await statusOf({ 'x-api-key': 'secret', host: 'my.machine' }, url)).toBe(200);
    } finally {
      await kept.close();
    }
    await expect(startServer({ answering, id: 'small', host: '0.0.0.0' })).rejects.toMatchObject({ code: 'no-key' });
  });
});

describe('texts', () => {
  it('are held back where later tokens may change them', () => {
    expect(settledText('ab\uFFFD', [])).toBe('ab');
    expect(settledText('one EN', ['END'])).toBe('one ');
    expect(settledText('one ENx', ['END'])).toBe('one ENx');
  });

  it('are read for calls, in the notation of the template', () => {
    const codec = { ...answering.codec, chatTemplate: '{{ tools }} <tool_call>' };
    const text = 'Let me see.\n<tool_call>\n{"name": "add", "arguments": {"a": 2}}\n</tool_call>';
    expect(messageOf(codec, text, { hasTools: true })).toEqual({
      hasCalls: true,
      message: {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'call_0', type: 'function', function: { name: 'add', arguments: '{"a":2}' } }],
      },
    });
    expect(messageOf(codec, text, { hasTools: false }).hasCalls).toBe(false);
    expect(messageOf(codec, '<tool_call>{', { hasTools: true }).hasCalls).toBe(false);
  });
});
