/** Data sets of the hub, from a server on this machine that answers as the hub does: not the hub itself. */
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseConfig } from '../../../test/support/everything.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
const FILE = 'data/train.jsonl';
const ROWS = Array.from({ length: 200 }, (_, i) => JSON.stringify({ prompt: `${i} =`, answer: i })).join('\n');

let asked: string[] = [];
const hub = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '');
  asked.push(`${request.method} ${path} ${request.headers.authorization ?? ''}`.trim());
  const [, revision, file] = /^\/datasets\/owner\/name\/resolve\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const isKnown = (name = ''): boolean => ['main', COMMIT].includes(name);
  if (path.startsWith('/api/datasets/owner/name/paths-info/') && isKnown(path.split('/').at(-1))) {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const oid = createHash('sha1')
        .update(`blob ${Buffer.byteLength(ROWS)}\0${ROWS}`)
        .digest('hex');
      const known = body.includes(`"${FILE}"`);
      const info = { type: 'file', path: FILE, oid, size: ROWS.length, lastCommit: { id: COMMIT, title: '', date: 0 } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(known ? [info] : []));
    });
  } else if (isKnown(revision) && file === FILE) {
    const range = request.headers.range === 'bytes=0-0';
    const headers = { etag: '"1"', ...(range && { 'content-range': `bytes 0-0/${ROWS.length}` }) };
    response.writeHead(range ? 206 : 200, headers).end(range ? ROWS.slice(0, 1) : ROWS);
  } else if (path.includes('owner/private')) response.writeHead(403).end();
  else response.writeHead(404).end();
});

let cache: string;
let opened: OpenedPlugins | undefined;

beforeEach(async () => {
  asked = [];
  cache = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-hub-data-')));
  await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`);
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_TOKEN', 'hf_secret');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await opened?.close();
  opened = undefined;
  hub.closeAllConnections();
  await new Promise((resolve) => hub.close(resolve));
  rmSync(cache, { recursive: true, force: true });
});

async function open(dataset: string, file = FILE): Promise<OpenedPlugins> {
  const loaded = parseConfig(`task: {name: dataset, hub: ${dataset}, train: ${file}}\nmax_steps: 1`, {
    file: 'my.yaml',
  });
  opened = await openPlugins(loaded, { file: 'my.yaml', directory: 'runs/one', announce: () => {} });
  return opened;
}

it('a data set of the hub is fetched into its cache, and named as it is', async () => {
  const printed = vi.spyOn(console, 'debug');
  const { tasks, config, modules } = await open('owner/name@main');
  expect(tasks.trainItem(1, 0).id).toMatch(/^data\/train\.jsonl:\d+$/);
  expect(config.tasks[0].task).toMatchObject({ hub: 'owner/name@main', train: FILE });
  expect(modules).toEqual({ [`hub:owner/name@main/${FILE}`]: createHash('sha256').update(ROWS).digest('hex') });
  expect(asked.every((line) => line.endsWith('Bearer hf_secret'))).toBe(true);
  expect(printed).not.toHaveBeenCalled();
});

it('what the cache has of a whole commit is not asked for again', async () => {
  await open(`owner/name@${COMMIT}`);
  await opened?.close();
  asked = [];
  const { tasks } = await open(`owner/name@${COMMIT}`);
  expect(tasks.trainProblems()).toBeGreaterThan(100);
  expect(asked).toEqual([]);
});

it.each([
  ['owner/other', FILE, 'no such data set, revision or file; look at its page on the hub'],
  ['owner/name@v9', FILE, 'no such data set, revision or file; look at its page on the hub'],
  ['owner/name', 'data/none.jsonl', 'no such data set, revision or file; look at its page on the hub'],
  ['owner/private', FILE, 'not public; set HF_TOKEN to a token that may read it'],
])('is refused with one message: %s, %s', async (dataset, file, rule) => {
  const [name, revision = 'main'] = dataset.split('@');
  await expect(open(dataset, file)).rejects.toThrow(`my.yaml:1  hub:${name}@${revision}/${file}: ${rule}.`);
});

it('without a network says what to do instead', async () => {
  vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:9');
  await expect(open('owner/name')).rejects.toThrow(
    /^my\.yaml:1 {2}hub:owner\/name@main\/data\/train\.jsonl: no network \(.+\); download the files and name them by train, without hub\.$/,
  );
});
