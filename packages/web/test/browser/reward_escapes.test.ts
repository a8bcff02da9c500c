/** Programs that try to leave the worker of a visitor's reward, or to forge what it replies: nothing gets out, nothing is stored. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ECMASCRIPT_GLOBALS } from '../../../zoo/rewards/sandbox/sandbox.ts';
import { openSite, status, type Visit, visit } from './chromium.ts';
import { ESCAPES, programOf, WHOLE_PROGRAMS } from './escapes.ts';
import { FORGERIES, REPLACES_EVERYTHING, reachesOf } from './forgeries.ts';

/** A server that is not the page's, and what was asked of it. */
interface Outside {
  readonly server: Server;
  readonly url: string;
  readonly asked: Set<string>;
}

async function startOutside(): Promise<Outside> {
  const asked = new Set<string>();
  const server = createServer(({ url = '' }, response) => {
    if (url !== '/') asked.add(url);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Content-Type', url === '/' ? 'text/html' : 'text/javascript');
    response.end(url === '/' ? '<!doctype html><title>A page without a policy</title>' : '0');
  });
  server.on('upgrade', ({ url = '' }, socket) => {
    asked.add(url);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Names of all that the origin of a page has stored. */
function stored(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    type Entries = AsyncIterable<string>;
    type OldFiles = (type: number, size: number, done: (files: { root: OldFolder }) => void) => void;
    type OldFolder = { createReader(): { readEntries(done: (entries: { name: string }[]) => void): void } };
    const files: string[] = [];
    const root = (await navigator.storage.getDirectory()) as unknown as { keys(): Entries };
    for await (const name of root.keys()) files.push(name);
    const { webkitRequestFileSystem } = globalThis as unknown as { webkitRequestFileSystem: OldFiles };
    const old = await new Promise<string[]>((resolve) =>
      webkitRequestFileSystem(0, 1024, ({ root: folder }) =>
        folder.createReader().readEntries((entries) => resolve(entries.map(({ name }) => name))),
      ),
    );
    const databases = await indexedDB.databases();
    return [...databases.map(({ name = '' }) => name), ...(await caches.keys()), ...files, ...old];
  });
}

const { browser, site } = await openSite();
let outside: Outside;
let visited: Visit;

beforeAll(async () => {
  outside = await startOutside();
  visited = await visit(browser, `${site.url}#preset=sort-two&steps=2000&evalEvery=500`);
  await status(visited.page, 'resting');
});
afterAll(() => outside?.server.close());

/** Tries a reward on twenty completions: the values that the page shows, or what it says instead. */
async function tried(code: string): Promise<{ readonly values: readonly string[]; readonly problem: string }> {
  const { page } = visited;
  await page.fill('#reward-code', code);
  await page.click('#try-reward');
  const result = '#reward [aria-live]';
  await page.waitForFunction(
    (selector) => /^(?!Sampling)./.test(document.querySelector(selector)?.textContent ?? ''),
    result,
    { timeout: 60_000 },
  );
  return page.$eval(result, (box) => ({
    values: [...box.querySelectorAll('tbody td:nth-child(3)')].map((cell) => cell.textContent ?? ''),
    problem: box.querySelector('.problem')?.textContent ?? '',
  }));
}

it('in a plain worker every program gets out, or leaves something behind', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(outside.url);
  const programs = ESCAPES.map((program, i) => programOf(program).replaceAll('OUT', `${outside.url}/plain-${i}`));
  await page.evaluate((codes) => {
    for (const code of codes) new Worker(URL.createObjectURL(new Blob([`${code}; reward();`])));
  }, programs);
  const missing = async (): Promise<string[]> => {
    const kept = await stored(page);
    const isThere = (i: number): boolean => outside.asked.has(`/plain-${i}`) || kept.includes(`plain-${i}`);
    return ESCAPES.flatMap(({ name }, i) => (isThere(i) ? [] : [name]));
  };
  await expect.poll(missing).toEqual([]);
  await context.close();
});

it('from the worker of a reward none of them does: no request, nothing stored', async () => {
  const { page } = visited;
  await tried('function reward() { return 0.25; }'); // the page fetches what tries a reward at the first one
  const before = { requests: site.requests.length, stored: await stored(page) };
  outside.asked.clear();
  const programs = [
    ...ESCAPES.map((program) => [program.name, programOf(program)] as const),
    ...Object.entries(WHOLE_PROGRAMS),
  ];
  expect(programs.length).toBeGreaterThanOrEqual(60);
  for (const [i, [, code]] of programs.entries()) await tried(code.replaceAll('OUT', `${outside.url}/${i}`));
  await page.waitForTimeout(1000); // what is still under way
  expect([...outside.asked].map((path) => programs[Number(path.slice(1))]?.[0] ?? path)).toEqual([]);
  expect(site.requests.slice(before.requests)).toEqual([]);
  expect(await stored(page)).toEqual(before.stored);
});

it('no global of a browser can be reached there, by name or by any way from one object to the next', async () => {
  const { page } = visited;
  const names = await page.evaluate(async () => {
    const list = `const names = []; for (let at = self; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
      names.push(...Object.getOwnPropertyNames(at)); postMessage(names)`;
    const worker = new Worker(URL.createObjectURL(new Blob([list])));
    return new Promise<string[]>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data as string[]);
    });
  });
  const foreign = [...new Set(names)].filter((name) => !ECMASCRIPT_GLOBALS.includes(name));
  expect(foreign.length).toBeGreaterThan(300);
  for (const name of ['fetch', 'postMessage', 'EventTarget', 'eval', 'Function', 'WebAssembly', 'constructor']) {
    expect(foreign).toContain(name);
  }
  expect(await tried(reachesOf(foreign))).toEqual({ values: new Array(20).fill('0.00'), problem: '' });
});

it('what it logs of a completion is shown below it, whatever lists and objects inherit', async () => {
  const code = `${FORGERIES['fields that every object inherits']}\n${FORGERIES['elements that every list inherits']}
    function reward({ length, logExtra, logMetric }) {
      if (length > 1) logExtra('long', true);
      logExtra('tokens', length);
      logMetric('mine', length);
      return 0.5;
    }`;
  const { values, problem } = await tried(code);
  expect(problem).toBe('');
  expect(values).toHaveLength(20);
  for (const value of values) expect(value).toMatch(/^0\.50(long true · )?tokens \d+$/);
});

it.each(Object.entries(FORGERIES))('a reply is not forged by %s', async (_, code) => {
  const { values, problem } = await tried(`${code}\nfunction reward() { return 0.25; }`);
  expect(problem).toBe('');
  expect(values).toEqual(new Array(20).fill('0.25'));
});

it('what replaces every function of the language hears nothing of ours, and changes nothing', async () => {
  const { values, problem } = await tried(REPLACES_EVERYTHING);
  expect(problem).toBe('');
  expect(values).toEqual(new Array(20).fill('0.25'));
});

it.each([
  ['writes to a verdict', 'function reward(row) { row.verdict.score = 1; return 1; }', /read only property 'score'/],
  ['writes to the row', 'function reward(row) { row.answer = ""; return 1; }', /read only property 'answer'/],
  ['throws null', 'function reward() { throw null; }', /failed in step 1: null/],
  ['throws what throws', 'function reward() { throw { get name() { throw 1; } }; }', /that cannot be shown/],
  ['gives a proxy', 'function reward() { return new Proxy({}, { get() { throw 1; } }); }', /gave an object/],
  ['gives a function', 'function reward() { return () => 1; }', /gave "a function"/],
  ['gives what is no number', 'function reward() { return 1e308; }', /gave 1e\+308.*from -1000000 to 1000000/],
  [
    'logs a column twice for a completion',
    'function reward({ logExtra }) { logExtra("a", 1); logExtra("a", 2); return 1; }',
    /logExtra\("a"\) was called twice for completion 1; call it once/,
  ],
  [
    'logs an object',
    'function reward({ logExtra }) { logExtra("a", {}); return 1; }',
    /logExtra\("a"\) is given an object for completion 1; give a text/,
  ],
  [
    "logs under the name of a run's own metric",
    'function reward({ logMetric }) { logMetric("kl", 1); return 1; }',
    /logMetric\("kl"\) would hide a metric of the run's own/,
  ],
  [
    'logs without end',
    'function reward({ logMetric }) { for (;;) logMetric("a", 1); }',
    /a reward logs 100 values of a completion at most/,
  ],
  ['posts null', 'postMessage(null); function reward() { return 1; }', /postMessage is not defined/],
  [
    'waits in a loop of promises',
    '(function again() { Promise.resolve().then(again); })();',
    /declares no function reward/,
  ],
])('one that %s is a sentence', { timeout: 60_000 }, async (_, code, said) => {
  expect((await tried(code)).problem).toMatch(said);
});

it('the page itself may ask no host but its own: its policy needs no header', async () => {
  outside.asked.clear();
  const answers = await visited.page.evaluate(async (url) => {
    const asked = [
      fetch(`${url}/page-fetch`),
      new FontFace('y', `url(${url}/page-font)`).load(),
      new Promise((loaded, failed) => {
        const script = document.createElement('script');
        Object.assign(script, { src: `${url}/page-script`, onload: loaded, onerror: failed });
        document.head.append(script);
      }),
    ];
    return (await Promise.allSettled(asked)).map(({ status }) => status);
  }, outside.url);
  expect(answers).toEqual(['rejected', 'rejected', 'rejected']);
  expect([...outside.asked]).toEqual([]);
});

it('after all of them the page tries a reward as before', async () => {
  expect(await tried('function reward({ length }) { return length / length; }')).toMatchObject({ problem: '' });
});
