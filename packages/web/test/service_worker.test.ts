/** The page's service worker on a network that comes and goes: a page never gets files of another build. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

const SOURCE = readFileSync(new URL('../../../web/service_worker.js', import.meta.url), 'utf8');
const HOST = 'https://host.example/page/';

type Listener = (event: object) => void;
type Files = Map<string, string>;

/** A browser's part: its caches outlive a service worker. `files` is what the host serves; undefined: no network. */
class Browser {
  readonly caches = new Map<string, Files>();
  files: Files | undefined;

  start(version: string, list: readonly string[]): Map<string, Listener> {
    const listeners = new Map<string, Listener>();
    const text = (of: Files, url: string) => (of.has(url) ? new Response(of.get(url)) : undefined);
    const fetched = async (request: { url: string }) => {
      const response = this.files && text(this.files, request.url.split('?')[0] as string);
      if (response === undefined) throw new TypeError('Failed to fetch');
      return response;
    };
    const open = async (name: string) => {
      const kept: Files = this.caches.get(name) ?? new Map();
      this.caches.set(name, kept);
      return {
        keys: async () => [...kept.keys()].map((url) => ({ url })),
        match: async (url: string) => text(kept, url),
        addAll: async (requests: { url: string }[]) => {
          for (const request of requests) kept.set(request.url, await (await fetched(request)).text());
        },
      };
    };
    const self = {
      FILES_OF_THE_BUILD: { '': list.join(' ') },
      VERSION_OF_THE_BUILD: version,
      location: { href: `${HOST}service_worker.js` },
      clients: { claim: async () => undefined },
      addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
    };
    const caches = {
      open,
      keys: async () => [...this.caches.keys()],
      delete: async (name: string) => this.caches.delete(name),
    };
    runInNewContext(SOURCE, { self, caches, fetch: fetched, URL, Request, Response, Headers, Set, Promise });
    return listeners;
  }
}

/** Tells it something, and waits for what it does then. */
async function tell(worker: Map<string, Listener>, name: string, event: object = {}): Promise<void> {
  let work: unknown;
  const waitUntil = (promise: unknown) => {
    work = promise;
  };
  worker.get(name)?.({ ...event, waitUntil });
  await work;
}

/** What a page gets from it; undefined where it leaves the request to the browser. */
async function ask(worker: Map<string, Listener>, path: string, method = 'GET'): Promise<Response | undefined> {
  let answer: Promise<Response> | undefined;
  const respondWith = (given: Promise<Response>) => {
    answer = given;
  };
  worker.get('fetch')?.({ request: { url: HOST + path, method }, respondWith });
  return answer;
}

const build = (name: string): Files =>
  new Map([
    [HOST, `page ${name}`],
    [`${HOST}index.html`, `page ${name}`],
    [`${HOST}assets/engine-${name}.js`, `engine ${name}`],
  ]);
const listOf = (name: string): string[] => ['index.html', `assets/engine-${name}.js`];

it('offline it answers with the build that was kept, and with the headers that isolate', async () => {
  const browser = new Browser();
  browser.files = build('a');
  const worker = browser.start('a', listOf('a'));
  await tell(worker, 'activate');
  await tell(worker, 'message', { data: 'keep', ports: [] });
  browser.files = undefined;
  const page = await ask(worker, '?threads=2');
  expect(await page?.text()).toBe('page a');
  expect(page?.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  expect(page?.headers.get('Cross-Origin-Embedder-Policy')).toBe('require-corp');
  expect(await (await ask(worker, 'assets/engine-a.js'))?.text()).toBe('engine a');
});

it('a new page gets the engine that it was built with, while the service worker is still the old one and after', async () => {
  const browser = new Browser();
  browser.files = build('a');
  const old = browser.start('a', listOf('a'));
  await tell(old, 'message', { data: 'keep', ports: [] });
  browser.files = build('b');
  expect(await (await ask(old, ''))?.text()).toBe('page b');
  expect(await ask(old, 'assets/engine-b.js')).toBeUndefined(); // the network's
  const next = browser.start('b', listOf('b'));
  await tell(next, 'message', { data: 'keep', ports: [] });
  browser.files = undefined; // the network goes before the old one ends: all of it is of the old build
  expect(await (await ask(old, ''))?.text()).toBe('page a');
  expect(await (await ask(old, 'assets/engine-a.js'))?.text()).toBe('engine a');
  await tell(next, 'activate');
  expect([...browser.caches.keys()]).toEqual(['rlvr-train b']);
  expect(await (await ask(next, ''))?.text()).toBe('page b');
  expect(await (await ask(next, 'assets/engine-b.js'))?.text()).toBe('engine b');
});

it('what is no file of the page, and whatever is no GET, it leaves alone', async () => {
  const worker = new Browser().start('a', listOf('a'));
  expect(await ask(worker, 'api/runs')).toBeUndefined();
  expect(await ask(worker, 'index.html', 'POST')).toBeUndefined();
});
