/** An HTTP server that answers by a policy, in the forms of OpenAI's and vLLM's. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Completion } from '../../src/model/sampling/generation.ts';
import type { JsonObject } from '../../src/run/json.ts';
import { type Answering, beforeStop } from '../models/asked/asked_policy.ts';
import { AnswerQueue } from './answer_queue.ts';
import { ApiError } from './api_error.ts';
import { type Asked, chatAsked, completionAsked, generateAsked } from './asked.ts';
import { admit, LOOPBACK, needKey } from './guard.node.ts';
import { closeServer, listen, portOf } from './listen.node.ts';
import { refuse, send, sentObject } from './reply.node.ts';
import { AnswerStream } from './stream.node.ts';
import { chatAnswer, completionChoice, generateChoice, usageOf } from './told.ts';

export interface ServeOptions {
  readonly answering: Answering;
  /** By which requests name the model. */
  readonly id: string;
  /** Default: this machine alone. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** Must be sent with each request; to be given where `host` is not this machine alone. */
  readonly key?: string;
}

export interface PolicyServer {
  /** Such as `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  /** Ends what is being answered. The policy stays open. */
  readonly close: () => Promise<void>;
}

/** A route's questions, and how their answers are told. */
interface Route {
  readonly ask: (answering: Answering, body: JsonObject) => Asked;
  readonly tell: (told: Answers) => JsonObject;
  readonly kind: 'chat' | 'completion' | 'generate';
}

/** All answers to a request. */
interface Answers {
  readonly answering: Answering;
  readonly asked: Asked;
  readonly head: JsonObject;
  /** [questions × n] */
  readonly completions: readonly Completion[];
}

const ROUTES: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': {
    kind: 'chat',
    ask: chatAsked,
    tell: ({ answering: { codec }, asked, head, completions }) => chatAnswer(codec, asked, head, completions),
  },
  '/v1/completions': {
    kind: 'completion',
    ask: completionAsked,
    tell: ({ answering: { codec }, asked, head, completions }) => ({
      ...head,
      object: 'text_completion',
      choices: completions.map((completion, index) => {
        const { prompt } = asked.questions[Math.floor(index / asked.questions[0].n)];
        return completionChoice(codec, asked, { index, prompt }, completion);
      }),
      usage: usageOf(promptsOf(asked), completions),
    }),
  },
  '/inference/v1/generate': {
    kind: 'generate',
    ask: generateAsked,
    tell: ({ answering: { codec }, asked, head, completions }) => ({
      request_id: head.id,
      choices: completions.map((completion, i) => generateChoice(codec, i, completion)),
      prompt_token_ids: [...asked.questions[0].prompt],
      usage: usageOf(promptsOf(asked), completions),
    }),
  },
};

function promptsOf({ questions }: Asked): readonly Int32Array[] {
  return questions.map(({ prompt }) => prompt);
}

/** @throws ConfigError where the port is taken, or a server for other machines has no key */
export async function startServer(options: ServeOptions): Promise<PolicyServer> {
  const { host = LOOPBACK, port = 0, key } = options;
  needKey(host, key);
  const service = new Service(options);
  const server = createServer((request, response) => void service.answer(request, response, portOf(server)));
  const actual = await listen(server, host, port);
  return { url: `http://${host}:${actual}/v1`, close: () => closeServer(server) };
}

class Service {
  readonly #options: ServeOptions;
  readonly #queue: AnswerQueue;
  readonly #created = Math.floor(Date.now() / 1000);
  #answered = 0;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#queue = new AnswerQueue(options.answering.policy);
  }

  async answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    try {
      admit(request.headers, { port, key: this.#options.key });
      const path = new URL(request.url ?? '/', `http://${LOOPBACK}`).pathname.replace(/\/$/, '');
      if (request.method === 'GET' && (path === '/v1/models' || path === '/models')) {
        return send(response, 200, { object: 'list', data: [this.#model()] });
      }
      if (request.method === 'GET' && path === '/health')
        return send(response, 200, { status: 'ok', ...this.#queue.load });
      const route = ROUTES[path];
      if (route === undefined || request.method !== 'POST') {
        const known = Object.keys(ROUTES).join(', POST ');
        throw new ApiError(404, 'no_route', `${request.method} ${path} — there is GET /v1/models, POST ${known}.`);
      }
      await this.#answerBy(route, await sentObject(request), response);
    } catch (error) {
      refuse(response, error);
    }
  }

  async #answerBy(route: Route, body: JsonObject, response: ServerResponse): Promise<void> {
    const { answering, id } = this.#options;
    const { model } = body;
    if (typeof model === 'string' && model !== id) {
      throw new ApiError(404, 'model_not_found', `model: "${model}" — this server has "${id}".`, 'model');
    }
    const asked = route.ask(answering, body);
    const number = this.#answered++;
    const head = { id: `${route.kind}-${number}`, created: Math.floor(Date.now() / 1000), model: id };
    const stream =
      asked.isStream && route.kind !== 'generate'
        ? new AnswerStream(response, answering.codec, asked, head, route.kind)
        : undefined;
    const gone = new AbortController();
    response.once('close', () => gone.abort(new ApiError(499, 'gone', 'whoever asked has gone')));
    const answers = await Promise.all(
      asked.questions.map(async (question, q) => {
        const watches = stream !== undefined || asked.stops.length > 0;
        return this.#queue.ask({
          ...question,
          signal: gone.signal,
          ...(watches && {
            onToken: (sample, sequence) => {
              const isEnded = sequence.finishReason === 'eos';
              const text = answering.codec.decode(isEnded ? sequence.tokens.subarray(0, -1) : sequence.tokens);
              const told = beforeStop(text, asked.stops);
              stream?.grow(q * question.n + sample, told, sequence);
              return told !== text;
            },
          }),
        });
      }),
    );
    const completions = answers.flat();
    if (stream === undefined) send(response, 200, route.tell({ answering, asked, head, completions }));
    else stream.end(completions);
  }

  #model(): JsonObject {
    const { id, answering } = this.#options;
    const { context } = answering.policy.capacity;
    return { id, object: 'model', created: this.#created, owned_by: 'rlvr-train', max_model_len: context };
  }
}
