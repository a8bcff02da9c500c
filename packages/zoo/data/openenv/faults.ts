/** What can be wrong with an OpenEnv server, as one message each: where, what was seen, what to do. */
import { PluginError } from '../../../../src/errors.ts';

/** The connection is lost: a new one may do. */
export class ConnectionLost extends Error {}

/** The server does not take an action: what the policy wrote is none. */
export class ActionRefused extends Error {}

/** The server has no room for another session yet. */
export class ServerFull extends Error {
  readonly mostSessions: number | undefined;

  constructor(mostSessions: number | undefined) {
    super('no room for another session');
    this.mostSessions = mostSessions;
  }
}

const SHOWN = 160;

/** A value as messages show it. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}

/** @param address  of the server, without secrets @param kind  of the fault, for scripts and tests */
export function fault(address: string, kind: string, what: string, remedy: string): PluginError {
  return new PluginError(`openenv-${kind}`, `OpenEnv server ${address}: ${what}; ${remedy}.`, { address });
}
