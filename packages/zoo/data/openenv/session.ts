/** One connection to an OpenEnv server, which is one environment of its own there: asked one thing after the other. */
import type { Connect, Socket } from '../../../../src/http/servers.ts';
import { nextTask } from '../../../../src/kernels/next_task.ts';
import { ActionRefused, ConnectionLost, fault, ServerFull, shown } from './faults.ts';
import { BadAnswer, readAnswer, type WireAnswer, type WireMessage, type WireObservation } from './wire.ts';

/** A server, and how it is asked. */
export interface ServerAccess {
  /** `ws://127.0.0.1:8000/ws`, without secrets. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connect: Connect;
  /** For an answer, a connection included. */
  readonly limitSeconds: number;
}

/** Who waits for the next message. */
interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

export class Session {
  readonly #access: ServerAccess;
  #socket: Socket | undefined;
  #waiting: Waiting | undefined;
  /** Came before it was asked for: a server that refuses a session says so at once. */
  readonly #early: string[] = [];
  #lost: string | undefined;

  private constructor(access: ServerAccess) {
    this.#access = access;
  }

  /** @throws PluginError where there is no answer, or it does not come from a WebSocket */
  static async open(access: ServerAccess): Promise<Session> {
    const { address, headers, connect, limitSeconds } = access;
    const session = new Session(access);
    const events = {
      message: (text: string) => session.#take(text),
      closed: (why: string) => session.#lose(why),
    };
    const opening = connect(address, headers, events);
    let socket: Socket | undefined;
    try {
      socket = await within(opening, limitSeconds);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const isRefused = /HTTP status|handshake/.test(why);
      const remedy = isRefused
        ? 'see to the path of url, and that an OpenEnv server of version 0.10 is there'
        : 'start it, or correct url';
      const what = isRefused ? `no OpenEnv environment is there (${why})` : `it cannot be reached (${why})`;
      throw fault(address, isRefused ? 'no-environment' : 'unreachable', what, remedy);
    }
    if (socket === undefined) {
      opening.then((late) => late.close()).catch(() => undefined);
      throw slow(access, 'connection');
    }
    session.#socket = socket;
    return session;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** @throws PluginError, ConnectionLost, ServerFull */
  async reset(seed: number): Promise<WireObservation> {
    return this.#observe({ type: 'reset', data: { seed } }, `reset of seed ${seed}`);
  }

  /** @throws PluginError, ConnectionLost; ActionRefused where the action has not the environment's form */
  async step(data: Extract<WireMessage, { type: 'step' }>['data']): Promise<WireObservation> {
    return this.#observe({ type: 'step', data }, `step ${shown(data)}`);
  }

  /** @throws PluginError where the server does not know the message */
  async state(): Promise<void> {
    const { type } = await this.#ask({ type: 'state' }, 'state');
    if (type !== 'state') throw otherVersion(this.#access, 'state', `is of type ${type}`);
  }

  /** Its tools, as MCP lists them; undefined where it has none. */
  async tools(): Promise<unknown> {
    const answer = await this.#ask(
      { type: 'mcp', data: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
      'the list of its tools',
    );
    return answer.type === 'mcp' ? answer.tools : undefined;
  }

  close(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    this.#socket = undefined;
    if (this.#lost === undefined) socket.send(JSON.stringify({ type: 'close' } satisfies WireMessage));
    this.#lose('it was closed here');
    socket.close();
  }

  async #observe(message: WireMessage, what: string): Promise<WireObservation> {
    const answer = await this.#ask(message, what);
    if (answer.type === 'observation') return answer.data;
    throw otherVersion(this.#access, what, `is of type ${answer.type}`);
  }

  async #ask(message: WireMessage, what: string): Promise<Exclude<WireAnswer, { type: 'error' }>> {
    const { address, limitSeconds } = this.#access;
    const text = await within(this.#exchange(message), limitSeconds);
    if (text === undefined) {
      this.close(); // what it may still say would be taken for the answer to something else
      throw slow(this.#access, what);
    }
    let answer: WireAnswer;
    try {
      answer = readAnswer(text);
    } catch (error) {
      if (!(error instanceof BadAnswer)) throw error;
      if (error.isOtherVersion) throw otherVersion(this.#access, what, error.message);
      const remedy = 'correct the environment, whose answers must be those of OpenEnv 0.10';
      throw fault(address, 'bad-answer', `its answer to ${what} ${error.message}`, remedy);
    }
    if (answer.type !== 'error') return answer;
    const { code, message: said, maxSessions } = answer.data;
    if (code === 'CAPACITY_REACHED') throw new ServerFull(maxSessions);
    if (code === 'VALIDATION_ERROR' && message.type === 'step') throw new ActionRefused(said);
    if (code === 'UNKNOWN_TYPE') throw otherVersion(this.#access, what, `is an error: ${said}`);
    throw fault(address, 'failed', `${what} failed there: ${said} (${code})`, 'correct the environment, then resume');
  }

  #exchange(message: WireMessage): Promise<string> {
    return new Promise((resolve, reject) => {
      const early = this.#early.shift();
      if (early !== undefined) resolve(early);
      else if (this.#lost !== undefined) reject(new ConnectionLost(this.#lost));
      else {
        this.#waiting = { resolve, reject };
        this.#socket?.send(JSON.stringify(message));
      }
    });
  }

  #take(text: string): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#early.push(text);
    else waiting.resolve(text);
  }

  #lose(why: string): void {
    this.#lost ??= why;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(new ConnectionLost(why));
  }
}

/** Undefined where it takes longer. A thread that was busy meanwhile first takes what has come. */
async function within<T>(work: Promise<T>, seconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(async () => {
      await nextTask();
      await nextTask();
      resolve(undefined);
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function slow({ address, limitSeconds }: ServerAccess, what: string): Error {
  const remedy = 'see to the server, or raise timeout; then resume';
  return fault(address, 'slow', `no answer to ${what} within ${limitSeconds} s`, remedy);
}

function otherVersion({ address }: ServerAccess, what: string, why: string): Error {
  const remedy = 'it is of another version, or no OpenEnv server: correct url, or install openenv 0.10 there';
  return fault(address, 'other-version', `its answer to ${what}: ${why}`, remedy);
}
