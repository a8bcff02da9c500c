/** A page that holds one script, for tests of what runs without the built page. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { type InputOptions, rolldown } from 'rolldown';

/** By which a page has shared memory. */
export const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

/** A module and all that it imports as one script. @param options  besides what is packed and what for */
export async function bundled(entry: string, { plugins = [], ...options }: InputOptions = {}): Promise<string> {
  const itself = {
    name: 'the entry',
    resolveId: (source: string) => (source === 'entry' ? source : undefined),
    load: (id: string) => (id === 'entry' ? entry : undefined),
  };
  const bundle = await rolldown({ ...options, input: 'entry', platform: 'browser', plugins: [itself, plugins] });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/**
 * Runs a module in an empty page of this machine, with shared memory where it is `isolated`. @returns what it left, as a promise, in `globalThis.results`
 * @throws what the module threw while it loaded
 */
export async function resultsOfScript<Results>(
  browser: Browser,
  script: string,
  { isolated = false } = {},
): Promise<Results> {
  const server = createServer(({ url }, response) => {
    const isScript = url === '/tests.js';
    if (isolated) for (const [name, value] of Object.entries(ISOLATED)) response.setHeader(name, value);
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/tests.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  const failure = new Promise<never>((_, reject) => page.once('pageerror', reject));
  failure.catch(() => undefined); // where it comes after the results, nobody waits for it
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await Promise.race([failure, page.waitForFunction(() => 'results' in globalThis, undefined, { timeout: 60_000 })]);
    return await page.evaluate(() => (globalThis as unknown as { results: Promise<Results> }).results);
  } finally {
    await page.close();
    server.close();
  }
}
