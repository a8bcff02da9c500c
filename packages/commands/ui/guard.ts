/**
 * Who may ask the page's server. It listens on loopback alone, yet every page that a browser shows can send requests
 * there, and a name of a foreign site can be made to mean 127.0.0.1 (DNS rebinding). So:
 *
 * - the Host is a name of this machine with our port: what comes by another name is refused;
 * - an Origin, where there is one, is ours, and the browser's own word for the sender is not "another site";
 * - the path begins with a token that only who started the server has read;
 * - what changes something is a POST with a header that a form of another site cannot send.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isSame, ownHosts } from '../../serve/guard.node.ts';

export interface Door {
  readonly port: number;
  readonly token: string;
}

export interface Visitor {
  readonly method?: string;
  /** Path with its query. */
  readonly url?: string;
  readonly headers: IncomingHttpHeaders;
}

/** The header that requests which change something carry. */
export const COMMAND_HEADER = 'x-rlvr-train';

/** Where a request goes that was let in: the path after the token. */
export type Admission =
  | { readonly isAdmitted: true; readonly path: string; readonly query: URLSearchParams }
  | { readonly isAdmitted: false; readonly status: 400 | 403 | 405; readonly message: string };

export function admit({ method, url, headers }: Visitor, { port, token }: Door): Admission {
  const hosts = ownHosts(port);
  if (!hosts.includes(headers.host ?? ''))
    return refused(403, 'This server answers to names of its own machine alone.');
  const { origin } = headers;
  const isForeign = origin !== undefined && !hosts.some((host) => origin === `http://${host}`);
  const site = headers['sec-fetch-site'];
  // A link from elsewhere may be followed to the page; nothing but the page itself may ask for more.
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && method === 'GET';
  const isFromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation;
  if (isForeign || isFromElsewhere) return refused(403, 'Requests of other pages are refused.');
  if (method !== 'GET' && method !== 'POST') return refused(405, 'GET and POST alone.');
  if (method === 'POST' && headers[COMMAND_HEADER] === undefined) {
    return refused(403, `A request without the header ${COMMAND_HEADER} changes nothing here.`);
  }
  return behindToken(url ?? '/', token);
}

function behindToken(url: string, token: string): Admission {
  let parsed: URL;
  try {
    parsed = new URL(url, 'http://127.0.0.1');
  } catch {
    return refused(400, 'The address is none.');
  }
  const [, first = '', ...rest] = parsed.pathname.split('/');
  if (!isSame(first, token) || rest.length === 0) {
    return refused(403, 'Open the whole address that the command printed: its path begins with a token.');
  }
  return { isAdmitted: true, path: rest.join('/'), query: parsed.searchParams };
}

function refused(status: 400 | 403 | 405, message: string): Admission {
  return { isAdmitted: false, status, message };
}
