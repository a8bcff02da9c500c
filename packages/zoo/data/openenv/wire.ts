/**
 * The messages of an OpenEnv server at `/ws`: `{type: reset | step | state | mcp | close, data}` to it, and from it
 * `{type: observation | state | mcp | error, data}`.
 *
 * @see openenv 0.10, openenv/core/env_server/types.py and serialization.py
 */
import type { Json } from '../../../../src/options/json.ts';
import { shown } from './faults.ts';

export type WireMessage =
  | { readonly type: 'reset'; readonly data: { readonly seed: number } }
  | { readonly type: 'step'; readonly data: Readonly<Record<string, Json>> }
  | { readonly type: 'state' }
  | {
      readonly type: 'mcp';
      readonly data: { readonly jsonrpc: '2.0'; readonly id: number; readonly method: 'tools/list' };
    }
  | { readonly type: 'close' };

/** What an environment answers to `reset` and `step`. */
export interface WireObservation {
  readonly observation: Readonly<Record<string, Json>>;
  readonly reward: number | null;
  readonly done: boolean;
}

/** An error that the server names itself. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  /** There where it has no room for another session. */
  readonly maxSessions?: number;
}

export type WireAnswer =
  | { readonly type: 'observation'; readonly data: WireObservation }
  | { readonly type: 'state' }
  /** `tools`: as MCP lists them, or nothing. */
  | { readonly type: 'mcp'; readonly tools: Json | undefined }
  | { readonly type: 'error'; readonly data: WireError };

/** A message that is none of these: what is wrong with it, after "its answer". */
export class BadAnswer extends Error {
  /** JSON that another protocol, or another version, may have sent. */
  readonly isOtherVersion: boolean;

  constructor(what: string, isOtherVersion: boolean) {
    super(what);
    this.isOtherVersion = isOtherVersion;
  }
}

/** @throws BadAnswer */
export function readAnswer(text: string): WireAnswer {
  const message = parsed(text);
  const { type, data } = isMapping(message) ? message : { type: undefined, data: undefined };
  if (type === 'state') return { type };
  if (!isMapping(data)) throw new BadAnswer(`${shown(text)} is no message of OpenEnv 0.10`, true);
  if (type === 'error') {
    const { code = 'UNKNOWN', message: said = '', max_sessions: most } = data;
    const maxSessions = typeof most === 'number' ? { maxSessions: most } : {};
    return { type, data: { code: String(code), message: String(said), ...maxSessions } };
  }
  if (type === 'mcp') return { type, tools: isMapping(data.result) ? data.result.tools : undefined };
  if (type !== 'observation') throw new BadAnswer(`${shown(text)} is no message of OpenEnv 0.10`, true);
  const { observation, reward = null, done } = data;
  if (!isMapping(observation)) throw new BadAnswer(`${shown(text)} has no mapping as observation`, true);
  if (typeof done !== 'boolean')
    throw new BadAnswer(`says done: ${shown(done)}, which is neither true nor false`, false);
  const paid = typeof reward === 'boolean' ? Number(reward) : reward;
  if (paid !== null && (typeof paid !== 'number' || !Number.isFinite(paid))) {
    throw new BadAnswer(`says reward: ${shown(reward)}, which is no finite number`, false);
  }
  return { type, data: { observation, reward: paid, done } };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives
  } catch {
    throw new BadAnswer(`${shown(text)} is no JSON`, false);
  }
}

/** An object of JSON that is no list. */
export function isMapping(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
