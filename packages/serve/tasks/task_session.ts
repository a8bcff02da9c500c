/**
 * One connection of an OpenEnv client: an environment of its own, in which one episode is played after the other. Messages
 * are `{type: reset | step | state | mcp | close, data}`.
 *
 * @see openenv 0.10, openenv/core/env_server/types.py
 */
import type { EpisodeState } from '../../../src/data/environment.ts';
import { RlvrError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/run/json.ts';
import type { ToolSchema } from '../../../src/text/codec.ts';
import { callFormatOf } from '../../zoo/data/tools/call_formats.ts';
import { ApiError } from '../api_error.ts';
import { Body, isObject } from '../body.ts';
import { type OfferedTask, type Outcome, type Problem, splitOf, TOOL_TEMPLATE } from './offered_task.ts';

/** Longest action, in characters. */
const MOST_CHARACTERS = 100_000;
const FINISH_REASONS = ['eos', 'stop', 'length'] as const;

/** Codes of errors, as OpenEnv has them. */
type Code = 'INVALID_JSON' | 'UNKNOWN_TYPE' | 'VALIDATION_ERROR' | 'EXECUTION_ERROR';

/** A tool as chat templates take it, and as tasks declare theirs. */
interface Declared {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonValue };
}

/** An episode that is being played, or was. */
interface Episode {
  readonly id: string;
  readonly problem: Problem;
  readonly at: EpisodeState | undefined;
  readonly turns: number;
  readonly isDone: boolean;
}

export class TaskSession {
  readonly #tasks: ReadonlyMap<string, OfferedTask>;
  readonly #first: OfferedTask;
  readonly #newId: () => string;
  #episode: Episode | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param first  the task of a reset that names none @param newId  ids of episodes that were given none */
  constructor(tasks: ReadonlyMap<string, OfferedTask>, first: OfferedTask, newId: () => string) {
    this.#tasks = tasks;
    this.#first = first;
    this.#newId = newId;
  }

  /** The answer to a message, after those to all before it; undefined where it ends the session. Never rejects. */
  answer(text: string): Promise<JsonObject | undefined> {
    const answer = this.#last.then(() => this.#answered(text));
    this.#last = answer;
    return answer;
  }

  async #answered(text: string): Promise<JsonObject | undefined> {
    let message: JsonValue;
    try {
      message = JSON.parse(text) as JsonValue; // what JSON.parse gives
    } catch (error) {
      return failed('INVALID_JSON', `Invalid JSON: ${(error as Error).message}`);
    }
    const { type, data = {} } = isObject(message) ? message : { type: null };
    if (type === 'close') return undefined;
    if (!isObject(data)) return failed('VALIDATION_ERROR', 'data — must be an object.');
    try {
      if (type === 'reset') return this.#reset(data);
      if (type === 'step') return await this.#step(data);
      if (type === 'state') return { type: 'state', data: this.#state() };
      if (type === 'mcp') return { type: 'mcp', data: this.#mcp(data) };
      return failed('UNKNOWN_TYPE', `Unknown message type: ${JSON.stringify(type)}; use reset, step, state or close.`);
    } catch (error) {
      const isMistake = error instanceof ApiError || RlvrError.is(error);
      return failed(isMistake ? 'VALIDATION_ERROR' : 'EXECUTION_ERROR', messageOf(error));
    }
  }

  #reset(data: JsonObject): JsonObject {
    const body = new Body(data);
    const name = body.text('task');
    const task = name === undefined ? this.#first : this.#tasks.get(name);
    if (task === undefined) throw body.refused('task', [...this.#tasks.keys()].join(' or '));
    const split = splitOf(body, 'train');
    const knobs = {
      ...body.object('knobs'),
      ...given('level', body.integer('level', { min: 0 })),
      ...given('style', body.text('style')),
    };
    const seed = body.integer('seed', { min: 0 });
    const index = body.integer('index', { min: 0 });
    const id = body.text('episode_id') ?? this.#newId();
    body.end();
    const problem = task.problem({ split, seed, index, knobs });
    const { setting, item } = problem;
    this.#episode = { id, problem, at: setting.start(item), turns: 0, isDone: false };
    const messages = setting.messages(item);
    return this.#observation({
      text: messages.map(({ content }) => content).join('\n'),
      messages,
      ...(setting.tools.length > 0 && { tool_schemas: setting.tools as unknown as JsonValue }), // as JSON Schema has them
    });
  }

  async #step(data: JsonObject): Promise<JsonObject> {
    const episode = this.#episode;
    if (episode === undefined) throw new Error('no episode; send reset first');
    if (episode.isDone) throw new Error('the episode is over; send reset for the next one');
    const body = new Body(data);
    body.ignore('metadata');
    const { text, called } = actionOf(body, episode.problem.setting.tools);
    const finishReason = FINISH_REASONS.find((one) => one === (body.text('finish_reason') ?? 'eos'));
    if (finishReason === undefined) throw body.refused('finish_reason', FINISH_REASONS.join(' or '));
    body.end();
    const { problem, at, turns } = episode;
    const outcome = await problem.setting.act(problem.item, at, text, finishReason);
    const isDone = outcome.verdict !== undefined;
    this.#episode = { ...episode, at: outcome.next ?? at, turns: turns + 1, isDone };
    const result = called && { tool_name: called, result: outcome.text, error: null };
    return this.#observation({ text: outcome.text, ...result }, outcome);
  }

  /** Rewards are 0 until the verdict, so that their sum and the last of them are its score. */
  #observation(fields: JsonObject, outcome?: Outcome): JsonObject {
    const { verdict } = outcome ?? {};
    const metadata = {
      ...this.#state(),
      ...(outcome?.illegal && { illegal: true }),
      ...(verdict as JsonObject | undefined),
    };
    const reward = outcome === undefined ? null : verdict === undefined ? 0 : verdict.score;
    const data = { observation: { ...fields, metadata }, reward, done: verdict !== undefined, metadata };
    return { type: 'observation', data };
  }

  #state(): JsonObject {
    if (this.#episode === undefined) return { episode_id: null, step_count: 0 };
    const { id, problem, turns } = this.#episode;
    const { task, style, maxTurns } = problem.setting;
    return {
      episode_id: id,
      step_count: turns,
      task: task.name,
      version: task.version,
      ...problem.place,
      style,
      max_turns: maxTurns,
    };
  }

  #mcp(data: JsonObject): JsonObject {
    const { method, id = null } = data;
    if (method !== 'tools/list') {
      const message = `${JSON.stringify(method)} — there is tools/list; call a tool by a step of type call_tool.`;
      return { jsonrpc: '2.0', id, error: { code: -32601, message } };
    }
    const { tools } = this.#episode?.problem.setting ?? this.#first.setting({});
    const listed = (tools as unknown as readonly Declared[]).map(({ function: { parameters, ...own } }) => ({
      ...own,
      inputSchema: parameters,
    }));
    return { jsonrpc: '2.0', id, result: { tools: listed } };
  }
}

function given<T>(key: string, value: T | undefined): Readonly<Record<string, T>> {
  return value === undefined ? {} : { [key]: value };
}

/** A text, or a call of a tool as MCP clients send it. */
function actionOf(body: Body, tools: readonly ToolSchema[]): { readonly text: string; readonly called?: string } {
  if (body.text('type') === 'call_tool') {
    const call = body.text('tool_name');
    if (call === undefined) throw body.refused('tool_name', 'the name of a tool');
    if (tools.length === 0) throw body.refused('type', 'left out: the task has no tools in this style');
    const values = body.object('arguments') ?? {};
    return { text: callFormatOf(TOOL_TEMPLATE).write({ call, arguments: values }, {}), called: call };
  }
  const text = body.text('text');
  if (text === undefined || text.length > MOST_CHARACTERS) {
    throw body.refused('text', `what the policy wrote, of at most ${MOST_CHARACTERS} characters`);
  }
  return { text };
}

export function failed(code: Code | 'CAPACITY_REACHED', message: string, more: JsonObject = {}): JsonObject {
  return { type: 'error', data: { message, code, ...more } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
