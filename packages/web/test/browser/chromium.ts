/** Debian's Chromium on the built page. One that is missing fails the tests. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll } from 'vitest';
import { startChromium } from '../../../../bench/chromium.mjs';
import { ISOLATED } from './script_page.ts';

export { startChromium };

export interface Site {
  readonly url: string;
  /** Paths that were asked for, in their order. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

const DIST = fileURLToPath(new URL('../../../../web/dist', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
};

interface ServedFolder {
  readonly isolated: boolean;
  readonly folder?: string;
}

/** Serves a folder as any host does, with the headers that isolate a page or, as a plain host, without. Default: web/dist. */
export async function serveSite({ isolated, folder = DIST }: ServedFolder): Promise<Site> {
  const requests: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    requests.push(url);
    const { pathname } = new URL(url, 'http://host');
    const file = join(folder, normalize(pathname === '/' ? '/index.html' : pathname));
    if (isolated) for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    try {
      const bytes = readFileSync(file);
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, requests, close };
}

/** Chromium without WebGPU and the isolated page, until the last test of the file is over. */
export async function openSite(): Promise<{ readonly browser: Browser; readonly site: Site }> {
  const browser = await startChromium({ webgpu: false });
  afterAll(() => browser.close());
  const site = await serveSite({ isolated: true });
  afterAll(() => site.close());
  return { browser, site };
}

export interface Visit {
  readonly page: Page;
  /** What the console called an error, and what was thrown. */
  readonly errors: string[];
  readonly close: () => Promise<void>;
}

/** Milliseconds: on two busy cores a click has taken more than the 30 s that are usual. */
const MOST_WAIT = 120_000;

/**
 * Goes to an address in a fresh profile; nothing is clicked. Without a service worker, where `options` do not allow it: fetching
 * all files of the page for a visit without a network takes the processor longer than most of what is tested.
 */
export async function arrive(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const fresh = { viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' } as const;
  const context = await browser.newContext({ ...fresh, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(MOST_WAIT);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url);
  return { page, errors, close: () => context.close() };
}

/** Opens an address in a fresh profile, and its run at a click. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const arrived = await arrive(browser, url, options);
  await openRun(arrived.page);
  return arrived;
}

/** Opens the run of a page that waits for a click. */
export async function openRun(page: Page): Promise<void> {
  await status(page, 'waiting');
  await page.click('#open');
}

/** Waits until the page is in one of these states. */
export async function status(page: Page, ...wanted: readonly string[]): Promise<void> {
  await page.waitForFunction((names) => names.includes(document.body.dataset.status ?? ''), wanted, {
    timeout: 300_000,
  });
}

/** Does what brings the page into a state, and waits until it has been there, however shortly. */
export async function through(page: Page, state: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate((wanted) => {
    const wasThere = new Promise<void>((resolve) => {
      const look = (): void => {
        if (document.body.dataset.status === wanted) resolve();
      };
      new MutationObserver(look).observe(document.body, { attributeFilter: ['data-status'] });
    });
    Object.assign(globalThis, { wasThere });
  }, state);
  await act();
  await page.evaluate(() => (globalThis as unknown as { wasThere: Promise<void> }).wasThere);
}

/**
 * Waits until the page has drawn what a click began: it draws a few times per second, and a click at the very moment in
 * which a button is disabled is lost.
 */
export async function drawn(page: Page): Promise<void> {
  await page.waitForTimeout(1000);
}

/** Presses a button by keyboard once it can be pressed: Playwright waits for that before a click, and not before a key. */
export async function press(page: Page, button: string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await page.waitForSelector(`${button}:enabled`);
  await page.press(button, key);
}

/** Presses a button that downloads a file, by keyboard (it rests while a file before it is made); gives its bytes. */
export async function downloaded(page: Page, button: string): Promise<Buffer> {
  await drawn(page);
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
  return readFileSync(await download.path());
}

/** `step 12 of 60` → 12. */
export async function stepOf(page: Page): Promise<number> {
  return Number(/step (\d+)/.exec((await page.textContent('#progress')) ?? '')?.[1] ?? Number.NaN);
}

/** Waits until a step was taken. */
export async function reach(page: Page, step: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => Number(/step (\d+)/.exec(document.getElementById('progress')?.textContent ?? '')?.[1]) >= wanted,
    step,
    { timeout: 300_000 },
  );
}

/** Trains to a step or beyond, and rests. The click is the page's own: by the time of another process's a short run may be over. */
export async function trainTo(page: Page, step: number): Promise<void> {
  await status(page, 'resting');
  await page.click('#train');
  await page.waitForFunction(
    (wanted) => {
      const at = Number(/step (\d+)/.exec(document.getElementById('progress')?.textContent ?? '')?.[1]);
      const button = document.getElementById('train');
      if (!(at >= wanted) || button?.textContent !== 'Pause') return false;
      button.click();
      return true;
    },
    step,
    { timeout: 300_000 },
  );
  await status(page, 'resting');
}

/** SHA-256 of the weights, as the page shows it. */
export async function weightsHash(page: Page): Promise<string> {
  await page.evaluate(() => document.getElementById('weights-hash')?.replaceChildren());
  await page.click('#hash');
  await page.waitForFunction(() => document.getElementById('weights-hash')?.textContent?.length === 64, undefined, {
    timeout: 120_000,
  });
  return (await page.textContent('#weights-hash')) ?? '';
}
