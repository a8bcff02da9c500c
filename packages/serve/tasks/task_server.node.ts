/** An OpenEnv server whose environments are tasks: a WebSocket for episodes, HTTP for what there is. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Split } from '../../../src/data/problem.ts';
import type { JsonObject, JsonValue } from '../../../src/run/json.ts';
import { acceptWebSocket } from '../../http/node_socket.node.ts';
import { ApiError } from '../api_error.ts';
import { Body } from '../body.ts';
import { admit, type Door, LOOPBACK, needKey } from '../guard.node.ts';
import { closeServer, listen, portOf } from '../listen.node.ts';
import { refuse, send, sentObject } from '../reply.node.ts';
import { type OfferedTask, splitOf } from './offered_task.ts';
import { failed, TaskSession } from './task_session.ts';

/** Problems of one answer. */
const MOST_PROBLEMS = 1000;

export interface TaskServerOptions {
  /** One at least; a reset that names none gets the first. */
  readonly tasks: readonly OfferedTask[];
  /** Default: this machine alone. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  readonly key?: string;
  /** Most connections at once. */
  readonly sessions: number;
}

export interface TaskServer {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** @throws ConfigError where the port is taken, or a server for other machines has no key */
export async function startTaskServer(options: TaskServerOptions): Promise<TaskServer> {
  const { host = LOOPBACK, port = 0, key } = options;
  needKey(host, key);
  const service = new TaskService(options);
  const door = (): Door => ({ port: portOf(server), key });
  const server = createServer(async (request, response) => {
    try {
      admit(request.headers, door());
      send(response, 200, await service.answer(request));
    } catch (error) {
      refuse(response, error);
    }
  });
  server.on('upgrade', (request, stream: Duplex, head: Buffer) => service.open(request, stream, head, door()));
  const actual = await listen(server, host, port);
  const close = (): Promise<void> => {
    service.close();
    return closeServer(server);
  };
  return { url: `http://${host}:${actual}`, close };
}

class TaskService {
  readonly #tasks: ReadonlyMap<string, OfferedTask>;
  readonly #first: OfferedTask;
  readonly #sessions: number;
  readonly #open = new Set<Duplex>();

  constructor({ tasks, sessions }: TaskServerOptions) {
    this.#tasks = new Map(tasks.map((task) => [task.definition.name, task]));
    this.#first = tasks[0];
    this.#sessions = sessions;
  }

  close(): void {
    for (const stream of this.#open) stream.destroy();
  }

  /** `/ws` plays the first task, and `/gcd/ws` the task gcd, unless a reset names another. */
  open(request: IncomingMessage, stream: Duplex, head: Buffer, door: Door): void {
    stream.on('error', () => undefined);
    const [socketPath, name, ...others] = pathOf(request).reverse();
    const task = name === undefined ? this.#first : this.#tasks.get(name);
    const key = request.headers['sec-websocket-key'];
    try {
      admit(request.headers, door);
      if (socketPath !== 'ws' || others.length > 0 || task === undefined || key === undefined) {
        throw new ApiError(404, 'no_route', `${request.url} — there is /ws, and /TASK/ws.`);
      }
    } catch (error) {
      const { status, message } = error as ApiError; // admit throws nothing else
      stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n${message}`);
      return;
    }
    const session = new TaskSession(this.#tasks, task, randomUUID);
    const isFull = this.#open.size >= this.#sessions;
    const socket = acceptWebSocket(key, stream, head, {
      message: async (text) => {
        if (isFull) return;
        const answer = await session.answer(text);
        if (answer === undefined) socket.close();
        else socket.send(JSON.stringify(answer));
      },
      closed: () => undefined,
    });
    if (isFull) {
      const load = { active_sessions: this.#open.size, max_sessions: this.#sessions };
      const message = `${this.#sessions} episodes are being played; raise --sessions, or ask again later.`;
      socket.send(JSON.stringify(failed('CAPACITY_REACHED', message, load)));
      socket.close();
      return;
    }
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
  }

  /** @throws ApiError, ConfigError */
  async answer(request: IncomingMessage): Promise<JsonValue> {
    const path = pathOf(request);
    const route = `${request.method} /${path.join('/')}`;
    if (route === 'GET /health') return { status: 'healthy' };
    if (route === 'GET /metadata') return this.#metadata();
    if (route === 'GET /schema') return SCHEMA;
    if (route === 'GET /list_environments') return [...this.#tasks.keys()];
    const [name, what, ...others] = path;
    const task = this.#tasks.get(name);
    if (task !== undefined && others.length === 0) {
      if (request.method === 'GET' && what === 'splits') return SPLITS;
      if (request.method === 'POST') {
        const answer = PROBLEMS[what]?.(task, new Body(await sentObject(request)));
        if (answer !== undefined) return answer;
      }
    }
    const known = 'GET /health, /metadata, /schema, /list_environments, /TASK/splits';
    const asked = `POST /TASK/${Object.keys(PROBLEMS).join(', /TASK/')}`;
    throw new ApiError(404, 'no_route', `${route} — there is ${known}, ${asked}, and the WebSocket /ws.`);
  }

  #metadata(): JsonObject {
    const described = [...this.#tasks.values()].map(({ definition: { name, does } }) => `${name}: ${does ?? 'a task'}`);
    return {
      name: [...this.#tasks.keys()].join(' + '),
      description: described.join('\n'),
      version: String(this.#first.definition.version),
      author: 'rlvr-train',
    };
  }
}

function pathOf(request: IncomingMessage): string[] {
  return new URL(request.url ?? '/', `http://${LOOPBACK}`).pathname.split('/').filter((part) => part !== '');
}

const SPLITS = [
  { name: 'train', type: 'train' },
  { name: 'eval', type: 'test' },
];

/** What a program needs to reset to a problem, and the problem. */
function listed(task: OfferedTask, split: Split, index: number): JsonObject {
  const { setting, item } = task.problem({ split, index, knobs: {} });
  return { id: item.id, split, index, messages: setting.messages(item) };
}

/** The training stream has no end; what can be listed of it is bounded by what one answer may have. */
function countOf(task: OfferedTask, split: Split): number {
  const { task: bound } = task.setting({});
  return split === 'eval' ? bound.heldOutItems().length : (bound.trainProblems() ?? Number.MAX_SAFE_INTEGER);
}

function range(task: OfferedTask, split: Split, start: number, stop: number): JsonObject {
  if (stop - start > MOST_PROBLEMS) {
    const rule = `more than ${MOST_PROBLEMS} problems; ask /task_range for some of ${split} by start and stop`;
    throw new ApiError(400, 'too_many', `${rule}.`, 'stop');
  }
  return { tasks: Array.from({ length: Math.max(0, stop - start) }, (_, i) => listed(task, split, start + i)) };
}

const PROBLEMS: Readonly<Record<string, (task: OfferedTask, body: Body) => JsonObject>> = {
  num_tasks: (task, body) => ({ num_tasks: countOf(task, splitOf(body)) }),
  tasks(task, body) {
    const split = splitOf(body);
    return { ...range(task, split, 0, countOf(task, split)), env_name: task.definition.name };
  },
  task(task, body) {
    const split = splitOf(body);
    const index = body.integer('index', { min: 0 });
    if (index === undefined) throw body.refused('index', 'which problem');
    return { task: listed(task, split, index) };
  },
  task_range(task, body) {
    const split = splitOf(body);
    const count = countOf(task, split);
    const start = body.integer('start', { min: 0, max: count }) ?? 0;
    return range(task, split, start, body.integer('stop', { min: start, max: count }) ?? count);
  },
};

const TEXT = { type: 'string' };
const MESSAGES = { type: 'array', items: { type: 'object' } };

const SCHEMA: JsonObject = {
  action: {
    type: 'object',
    properties: {
      text: { ...TEXT, description: 'what the policy wrote' },
      finish_reason: { enum: ['eos', 'stop', 'length'], default: 'eos' },
    },
    required: ['text'],
  },
  observation: { type: 'object', properties: { text: TEXT, metadata: { type: 'object' } } },
  reset_observation: {
    type: 'object',
    properties: { text: TEXT, messages: MESSAGES, tool_schemas: MESSAGES, metadata: { type: 'object' } },
  },
  state: { type: 'object', properties: { episode_id: TEXT, step_count: { type: 'integer' }, task: TEXT } },
};
