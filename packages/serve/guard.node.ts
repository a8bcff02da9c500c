/**
 * Who may ask. A server of this machine alone needs no key, yet every page that a browser shows can send requests to it,
 * and a foreign name can be made to mean 127.0.0.1 (DNS rebinding); so it answers to its own names only, and to no other
 * site's pages. One that listens to other machines asks for its key.
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../../src/errors.ts';
import { ApiError } from './api_error.ts';

export const LOOPBACK = '127.0.0.1';

export interface Door {
  readonly port: number;
  /** Absent: whoever is on this machine may ask. */
  readonly key?: string;
}

/** What a server of this machine alone is called. */
export function ownHosts(port: number): readonly string[] {
  return [LOOPBACK, 'localhost', '[::1]'].map((name) => `${name}:${port}`);
}

/** @throws ConfigError where a server for other machines has no key */
export function needKey(host: string, key: string | undefined): void {
  if (host === LOOPBACK || key !== undefined) return;
  const rule = 'other machines could ask; give a key with it';
  throw new ConfigError('no-key', `--host ${host} — ${rule}: --key SECRET.`, { host });
}

/** @throws ApiError 401 or 403 */
export function admit(headers: IncomingHttpHeaders, door: Door): void {
  admitOrigin(headers, door);
  const { key } = door;
  if (key === undefined || isSame(keyOf(headers), key)) return;
  throw new ApiError(401, 'invalid_api_key', 'Authorization — must be "Bearer" and the key that the server printed.');
}

/** Whoever asks by a name of this server, and from no other site's page. @throws ApiError 403 */
export function admitOrigin(headers: IncomingHttpHeaders, { port, key }: Door): void {
  const hosts = ownHosts(port);
  if (key === undefined && !hosts.includes(headers.host ?? '')) {
    throw new ApiError(403, 'foreign_host', `Host: ${headers.host} — this server answers to ${hosts[0]} alone.`);
  }
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    throw new ApiError(403, 'foreign_origin', `Origin: ${origin} — pages of other sites are refused.`);
  }
}

/** The key that was sent; empty where there is none. */
export function keyOf(headers: IncomingHttpHeaders): string {
  return String(headers['x-api-key'] ?? /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '');
}

/** In a time that says nothing of how far they agree. */
export function isSame(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}
