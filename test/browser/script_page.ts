/** A page that holds one script, for tests of what runs without the built page. */
import type { Browser } from 'playwright-core';

/** Runs a module in an empty page. @returns what it left, as a promise, in `globalThis.results` */
export async function resultsOfScript<Results>(browser: Browser, script: string): Promise<Results> {
  const page = await browser.newPage();
  await page.route('**/*', (route) => {
    const isScript = route.request().url().endsWith('/tests.js');
    return route.fulfill({
      contentType: isScript ? 'text/javascript' : 'text/html',
      body: isScript ? script : '<!doctype html><script type="module" src="/tests.js"></script>',
    });
  });
  await page.goto('http://127.0.0.1:9/');
  await page.waitForFunction(() => 'results' in globalThis, undefined, { timeout: 60_000 });
  const results = await page.evaluate(() => (globalThis as unknown as { results: Promise<Results> }).results);
  await page.close();
  return results;
}
