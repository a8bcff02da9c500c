/**
 * Episodes of a training for programs elsewhere: a session is one, and its id is the API key by which the program asks the
 * policy for its turns, as it would ask any server of chat completions.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ENVIRONMENT_TURN } from '../../../src/data/environment.ts';
import { observationTokens } from '../../../src/data/prompts/observation_tokens.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import type { JsonObject, JsonValue } from '../../../src/run/json.ts';
import { type Message, templateValuesOf } from '../../../src/text/codec.ts';
import { EpisodeOver, type SessionBook, type SessionEpisode } from '../../zoo/data/sessions/book.ts';
import { ApiError } from '../api_error.ts';
import { turnAsked } from '../asked.ts';
import { Body } from '../body.ts';
import { admit, admitOrigin, isSame, keyOf, LOOPBACK, needKey } from '../guard.node.ts';
import { closeServer, listen, portOf } from '../listen.node.ts';
import { refuse, send, sentObject } from '../reply.node.ts';
import { AnswerStream } from '../stream.node.ts';
import { chatAnswer, messageOf } from '../told.ts';
import { Conversation } from './conversation.ts';

export interface SessionServerOptions {
  readonly book: SessionBook;
  /** The task of the book alone, in the tokens of the policy. */
  readonly tasks: TaskSet;
  /** Default: this machine alone. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /** Must be sent by who asks for sessions; to be given where `host` is not this machine alone. */
  readonly key?: string;
  /** Milliseconds that a program waits for an episode before it is told to come again. Default 10 seconds. */
  readonly patienceMs?: number;
  /** Milliseconds that it still answers, that the training is over, when it is closed. Default 2 seconds. */
  readonly lingerMs?: number;
}

export interface SessionServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The training is over. */
  readonly close: () => Promise<void>;
}

/** Seconds after which a program that found no episode may ask again. */
const RETRY_SECONDS = 1;

/** @throws ConfigError where the port is taken, or a server for other machines has no key */
export async function startSessionServer(options: SessionServerOptions): Promise<SessionServer> {
  const { host = LOOPBACK, port = 0, key, book, lingerMs = 2000 } = options;
  needKey(host, key);
  book.open();
  const service = new Sessions(options);
  const server = createServer((request, response) => void service.answer(request, response, portOf(server)));
  const actual = await listen(server, host, port);
  return {
    url: `http://${host}:${actual}`,
    async close() {
      service.end();
      if (lingerMs > 0) await new Promise((resolve) => setTimeout(resolve, lingerMs));
      await closeServer(server);
    },
  };
}

class Sessions {
  readonly #options: SessionServerOptions;
  readonly #conversations = new WeakMap<SessionEpisode, Conversation>();
  readonly #over = new AbortController();

  constructor(options: SessionServerOptions) {
    this.#options = options;
  }

  /** From now on there is nothing to play. */
  end(): void {
    this.#over.abort();
  }

  async answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    try {
      const { method, headers } = request;
      const door = { port, key: this.#options.key };
      admitOrigin(headers, door);
      const path = new URL(request.url ?? '/', `http://${LOOPBACK}`).pathname.replace(/\/$/, '');
      if (method === 'POST' && /^(?:\/v1)?\/chat\/completions$/.test(path)) {
        const episode = this.#options.book.taken(keyOf(headers));
        if (episode === undefined) throw unknownKey(keyOf(headers));
        return await this.#chat(episode, await sentObject(request), response);
      }
      if (method === 'POST' && path === '/sessions') {
        admit(headers, door);
        return await this.#begin(await sentObject(request), response);
      }
      const [, id, isReward] = /^\/sessions\/([^/]+)(\/reward)?$/.exec(path) ?? [];
      const route = `${method}${isReward ?? ''}`;
      if (id === undefined || !['GET', 'DELETE', 'POST/reward'].includes(route)) throw noRoute(method, path);
      if (!isSame(keyOf(headers), id) && (keyOf(headers) !== '' || door.key !== undefined)) {
        if (door.key === undefined) throw unknownKey(keyOf(headers));
        admit(headers, door);
      }
      const episode = this.#options.book.taken(id);
      if (episode === undefined) throw new ApiError(404, 'no_session', `${id} — no session of this training.`);
      if (route === 'POST/reward') await this.#reward(episode, await sentObject(request));
      if (route === 'DELETE') await episode.lose('given up by its program');
      send(response, 200, stateOf(episode));
    } catch (error) {
      refuse(response, error instanceof EpisodeOver ? over(error.message) : error);
    }
  }

  /** The next episode that the training wants. */
  async #begin(object: JsonObject, response: ServerResponse): Promise<void> {
    const body = new Body(object);
    const purpose = body.text('purpose') ?? 'auto';
    if (purpose !== 'auto' && purpose !== 'train' && purpose !== 'eval') {
      throw body.refused('purpose', '"auto", "train" or "eval"');
    }
    body.ignore('metadata');
    body.end();
    const { book, tasks, patienceMs = 10_000 } = this.#options;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patienceMs);
    const until = AbortSignal.any([gone.signal, late.signal, this.#over.signal]);
    const episode = this.#over.signal.aborted
      ? undefined
      : await book.next(purpose === 'auto' ? undefined : purpose, until);
    clearTimeout(timer);
    if (this.#over.signal.aborted) throw over('the training is over');
    if (episode === undefined) {
      response.setHeader('Retry-After', RETRY_SECONDS);
      throw new ApiError(503, 'none_wanted', 'the training wants no episode now: its weights change; ask again.');
    }
    const prompt = tasks.environment.prompt(episode.item);
    this.#conversations.set(episode, new Conversation(prompt));
    const { tools } = templateValuesOf(prompt);
    send(response, 200, {
      ...stateOf(episode),
      problem: episode.item.columns ?? {},
      messages: prompt.map(({ role, content, fields }) => ({ role, content, ...(fields as JsonObject) })),
      ...(tools !== undefined && { tools: tools as JsonValue }),
    });
  }

  async #chat(episode: SessionEpisode, object: JsonObject, response: ServerResponse): Promise<void> {
    const { tasks } = this.#options;
    const { codec } = tasks;
    const { messages, tools, ...form } = turnAsked(object);
    const conversation = this.#conversations.get(episode) as Conversation; // since it was begun
    const own = templateValuesOf(tasks.environment.prompt(episode.item)).tools ?? [];
    if (tools !== undefined && JSON.stringify(tools) !== JSON.stringify(own)) {
      const rule = `the episode has ${own.length === 0 ? 'none' : 'others'}; give those of its row, in a column tools`;
      throw new ApiError(409, 'other_tools', `tools — ${rule}.`, 'tools');
    }
    const { turn, added } = conversation.place(messages);
    if (turn === conversation.asked) {
      if (turn > 0) this.#say(episode, turn, added);
      conversation.ask(added);
    }
    episode.heard();
    const written = await episode.turn(turn);
    const prompt = Int32Array.from([...tasks.promptTokens(episode.item), ...written.before]);
    const asked = { ...form, questions: [{ prompt, n: 1 }], stops: [], hasTools: own.length > 0 };
    conversation.answer(messageOf(codec, written.text, asked).message);
    const head = {
      id: `chat-${episode.id}-${turn}`,
      created: Math.floor(Date.now() / 1000),
      model: 'policy',
      model_version: episode.weightsVersion,
    };
    response.setHeader('X-Weights-Version', episode.weightsVersion);
    if (asked.isStream) new AnswerStream(response, codec, asked, head, 'chat').end([written]);
    else send(response, 200, chatAnswer(codec, asked, head, [written]));
  }

  /** What the policy reads before its next turn. @throws ApiError where it may have no other, or cannot read this */
  #say(episode: SessionEpisode, turn: number, added: readonly Message[]): void {
    const { book, tasks } = this.#options;
    const { max_turns: turns, observation_tokens: most } = book.knobs;
    if (episode.outcome !== undefined) throw over(episode.outcome.reason);
    if (turn >= turns) {
      throw new ApiError(409, 'no_turns_left', `the episode has had its ${turns} turns (max_turns); post its reward.`);
    }
    const text = added.map(({ content }) => content).join('\n');
    const [{ role, fields }] = added;
    const from = role === 'tool' ? String(fields?.name ?? 'tool') : undefined;
    const length = tokensIn(() => observationTokens(tasks.codec, text, from ?? ENVIRONMENT_TURN, episode.finishReason));
    if (length > most) {
      const rule = `${length} tokens, and observation_tokens is ${most}; say it in fewer, or raise it`;
      throw new ApiError(413, 'too_long', `messages: what is new after the answer has ${rule}.`, 'messages');
    }
    episode.say(text, from);
  }

  async #reward(episode: SessionEpisode, object: JsonObject): Promise<void> {
    const body = new Body(object);
    const value = object.value === null ? null : body.number('value', { min: Number.NEGATIVE_INFINITY });
    body.ignore('value');
    const message = body.text('message');
    body.end();
    if (value === undefined) throw body.refused('value', 'a number, or null where nobody can judge it');
    const [least, most] = this.#options.book.knobs.reward_range;
    if (value !== null && (value < least || value > most)) {
      throw body.refused('value', `from ${least} to ${most}, or give the task another reward_range`);
    }
    if (episode.outcome !== undefined) {
      throw new ApiError(409, 'ended', `the episode has ended already: ${episode.outcome.reason}.`);
    }
    if (!episode.isOpen || this.#conversations.get(episode)?.asked !== episode.written) {
      const when = episode.written === 0 || this.#conversations.get(episode)?.asked === 0;
      const rule = when ? 'nothing was asked in it yet' : 'its newest turn is not written yet';
      throw new ApiError(409, 'too_early', `the episode cannot be rewarded: ${rule}.`);
    }
    await episode.reward(value, message);
  }
}

/** @throws ApiError where the vocabulary cannot write it */
function tokensIn(encode: () => Int32Array): number {
  try {
    return encode().length;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApiError(
      400,
      'unwritable',
      `messages: what is new after the answer cannot be written: ${reason}`,
      'messages',
    );
  }
}

function stateOf({ id, item, weightsVersion, written, outcome }: SessionEpisode): JsonObject {
  return {
    session_id: id,
    rollout_type: item.split,
    weights_version: weightsVersion,
    turns: written,
    status:
      outcome === undefined ? 'open' : outcome.isLost ? 'lost' : outcome.reward === null ? 'excluded' : 'rewarded',
    reward: outcome?.reward ?? null,
    ...(outcome !== undefined && { reason: outcome.reason }),
  };
}

function unknownKey(key: string): ApiError {
  const seen = key === '' ? 'none was sent' : 'this is no session of this training';
  return new ApiError(
    401,
    'invalid_api_key',
    `Authorization — the API key is a session_id of POST /sessions; ${seen}.`,
  );
}

function noRoute(method: string | undefined, path: string): ApiError {
  const known = 'POST /sessions, POST /v1/chat/completions, POST /sessions/ID/reward, GET and DELETE /sessions/ID';
  return new ApiError(404, 'no_route', `${method} ${path} — there is ${known}.`);
}

function over(reason: string): ApiError {
  return new ApiError(410, 'over', `the episode is over: ${reason}.`);
}
