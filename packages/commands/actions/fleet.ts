/** `rlvr-train fleet init`: the config of a NATS server for a fleet. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { print } from '../../../src/cli/display/output.ts';
import { FleetError } from '../../../src/errors.ts';
import { printable, shellQuoted } from '../../../src/format.ts';
import { isLoopback } from '../../fleet/nats/loopback.ts';
import { serverConfig, type WebSocketSettings } from '../../fleet/nats/server_config.ts';
import { randomHex } from '../../fleet/random_hex.ts';

const PASSWORD_BYTES = 16;
const FILE = 'nats.conf';

export interface FleetOptions {
  /** The directory. */
  readonly output: string;
  /** Default: the name of this machine. */
  readonly host?: string;
  readonly port: number;
  /** Where the web page is, if visitors may lend their tabs. */
  readonly page?: string;
  readonly 'tls-cert'?: string;
  readonly 'tls-key'?: string;
}

/** Writes the config of a server, with new passwords. @throws FleetError where one is there already, or tabs could not connect */
export function initFleet({
  output,
  host = hostname(),
  port,
  page,
  'tls-cert': cert,
  'tls-key': key,
}: FleetOptions): void {
  const tabs = page === undefined ? undefined : tabsOf(page, { host, port: port + 1, cert, key });
  const file = join(output, FILE);
  if (existsSync(file)) {
    const rule = 'is there already, with passwords that are in use; remove it, or give another --output';
    throw new FleetError('fleet-config', `${printable(file)}  ${rule}.`);
  }
  const passwords = { learner: secret(), worker: secret(), visitor: secret() };
  mkdirSync(output, { recursive: true });
  const text = serverConfig({
    listen: `0.0.0.0:${port}`,
    store: resolve(output, 'files'),
    passwords,
    ...(tabs && { websocket: tabs.websocket }),
  });
  writeFileSync(file, text, { mode: 0o600 });
  const url = (user: keyof typeof passwords): string => `nats://${user}:${passwords[user]}@${host}:${port}`;
  print(`the server:   nats-server -c ${shellQuoted(file)}`);
  print(`a training:   rlvr-train --fleet ${url('learner')} --config …`);
  print(`each worker:  rlvr-train worker --fleet ${url('worker')}`);
  print(`strangers:    rlvr-train worker --fleet ${url('visitor')}`);
  if (tabs !== undefined) print(`their tabs:   ${tabs.link(passwords.visitor)}`);
}

/** What visitors' tabs need. @throws FleetError where their browsers would refuse it */
function tabsOf(
  page: string,
  {
    host,
    port,
    cert,
    key,
  }: { readonly host: string; readonly port: number; readonly cert?: string; readonly key?: string },
): { readonly websocket: WebSocketSettings; readonly link: (password: string) => string } {
  const address = URL.canParse(page) ? new URL(page) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    const rule = 'no address of a page; give one as https://host/path/';
    throw new FleetError('fleet-page', `--page: ${JSON.stringify(page)} — ${rule}.`);
  }
  if ((cert === undefined) !== (key === undefined))
    throw new FleetError('fleet-page', '--tls-cert and --tls-key: one is of no use without the other.');
  if (address.protocol === 'https:' && cert === undefined && !isLoopback(host)) {
    const rule = 'a page that came by https: opens no connection without TLS; give --tls-cert and --tls-key';
    throw new FleetError('fleet-page', `--page: ${rule}.`);
  }
  const tls = cert !== undefined && key !== undefined ? { cert: resolve(cert), key: resolve(key) } : undefined;
  const lend = new URL('lend.html', address);
  return {
    websocket: { listen: `0.0.0.0:${port}`, origin: address.origin, ...(tls && { tls }) },
    link: (password) => `${lend}#${tls ? 'wss' : 'ws'}://visitor:${password}@${host}:${port}`,
  };
}

function secret(): string {
  return randomHex(PASSWORD_BYTES);
}
