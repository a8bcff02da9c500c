/** What no server may do to us, and no message of ours may give away. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { HubClient } from '../../models/hub/client.ts';
import { mlflowPlace } from '../../trackers/mlflow.ts';
import { TrackerServer } from '../../trackers/tracker_server.ts';
import { trackioServer } from '../../trackers/trackio.ts';
import { basic, serverAddress, withoutSecrets } from '../address.ts';

const NAME = { owner: 'tiny', name: 'llama', revision: 'main' };
let server: Server | undefined;
let sentBytes = 0;
const authorizations: (string | undefined)[] = [];

/** @returns host and port of a server on this machine */
async function listen(answer: RequestListener): Promise<string> {
  server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Never ends its answer. */
const endless: RequestListener = (_request, response) => {
  const piece = Buffer.alloc(65_536, ' ');
  const write = (): void => {
    while (!response.destroyed && response.write(piece)) sentBytes += piece.length;
  };
  response.on('drain', write).writeHead(200, { 'content-type': 'application/json' });
  write();
};

afterEach(async () => {
  vi.unstubAllEnvs();
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(0) : server.close(resolve)));
  server = undefined;
  sentBytes = 0;
  authorizations.length = 0;
});

describe('a server that never ends its answer', () => {
  it('is read up to some megabytes by a tracker, and refused in words', async () => {
    const tracker = new TrackerServer({ tracker: 'mlflow', uri: `http://${await listen(endless)}` });
    const asking = tracker.ask(z.object({}), 'GET', '/api');
    await expect(asking).rejects.toThrow('is no such server: its answer is longer than 4 MB');
    await expect(asking).rejects.toMatchObject({ failure: 'refused' });
    expect(sentBytes).toBeLessThan(12e6); // and what is on the way
  });

  it("is read up to some megabytes by the hub's client, and asked once", async () => {
    const client = new HubClient({ endpoint: `http://${await listen(endless)}`, pauseMs: 1 });
    await expect(client.repository(NAME)).rejects.toThrow(/its answer is longer than 16 MB; is HF_ENDPOINT right\?$/);
    expect(sentBytes).toBeLessThan(32e6);
    expect(authorizations).toHaveLength(1);
  });
});

it('an address at which nobody listens is asked once, for a list of files as for a file', async () => {
  const closed = await listen(() => {});
  await new Promise((resolve) => server?.close(resolve));
  const file = { path: 'a', bytes: 1, hash: { kind: 'git', hex: '' } } as const;
  for (const [host, why] of [
    [closed, 'ECONNREFUSED'],
    ['127.0.0.1:9', 'bad port'], // one that fetch asks nobody at
  ]) {
    // A second attempt would not come within the test.
    const client = new HubClient({ endpoint: `http://${host}`, pauseMs: 60_000 });
    await expect(client.repository(NAME)).rejects.toThrow(`cannot be reached (${why})`);
    const bytes = client.bytes(NAME, 'main', file, { from: 0, restart: async () => {} });
    await expect(bytes.next()).rejects.toThrow(`cannot be reached (${why})`);
  }
});

describe('an address with a secret in it', () => {
  it.each([
    ['http://u:p%40ss@host:5/x/', { uri: 'http://host:5/x', authorization: basic('u', 'p@ss') }],
    ['https://u:50%@host', { uri: 'https://host', authorization: basic('u', '50%') }],
    ['https://key@host', { uri: 'https://host', authorization: basic('key', '') }],
    ['https://host/?token=abc', { uri: 'https://host', authorization: 'Bearer abc' }],
    ['https://host//', { uri: 'https://host' }],
  ])('%s is a place and a header', (given, parts) => {
    const { query: _, ...address } = serverAddress(given) ?? {};
    expect(address).toEqual(parts);
  });

  it('has UTF-8 in the header', () => {
    expect(basic('ü', '→')).toBe(`Basic ${Buffer.from('ü:→').toString('base64')}`);
  });

  it('is no address without a host, and printed without the secret all the same', () => {
    expect(serverAddress('http://')).toBeUndefined();
    expect(serverAddress('file:///x')).toBeUndefined();
    expect(withoutSecrets('htp://u:p@ss@host/x?token=abc#d')).toBe('htp://host/x');
    const env = { MLFLOW_TRACKING_URI: 'htp://u:secret@host?token=secret' };
    expect(() => mlflowPlace(env)).toThrow('MLFLOW_TRACKING_URI: "htp://host" — not the address of a server');
    expect(() => trackioServer({ TRACKIO_SERVER_URL: 'htp://u:secret@h?write_token=secret' })).toThrow(
      'TRACKIO_SERVER_URL: "htp://h" — not the address of a server',
    );
    expect(() => new HubClient({ endpoint: 'htp://u:secret@h' })).toThrow('HF_ENDPOINT: "htp://h" — no address');
  });

  it('works, and what fails there does not print it', async () => {
    const host = await listen((_request, response) => response.writeHead(403).end('{}'));
    const place = mlflowPlace({ MLFLOW_TRACKING_URI: `http://me:secret@${host}/?token=secret` });
    expect(place).toMatchObject({ uri: `http://${host}`, authorization: basic('me', 'secret') });
    const client = new HubClient({ endpoint: `http://me:secret@${host}` });
    const refused = await client.repository(NAME).catch(String);
    expect(refused).toContain(host);
    const noFile = await client.repository({ ...NAME, kind: 'dataset' }).catch(String);
    expect(noFile).toContain(`http://${host}/datasets/tiny/llama`);
    expect(`${refused}${noFile}`).not.toContain('secret');
    expect(new Set(authorizations)).toEqual(new Set([basic('me', 'secret')]));
  });
});
