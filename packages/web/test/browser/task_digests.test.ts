/** A task draws the same problems in Chromium as in Node, at every level: those who share results share the problems. */
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fewOf } from '../../../../test/support/budget.ts';
import { registeredTasks } from '../../../zoo/api/tasks.ts';
import { digestsOf } from '../../../zoo/test/support/task_digests.ts';
import { startChromium } from './chromium.ts';
import { bundled, resultsOfScript } from './script_page.ts';

const SUPPORT = fileURLToPath(new URL('../../../zoo/test/support/task_digests.ts', import.meta.url));
/** Without those whose answers are run: this one script has no engine of a sandbox. */
const ALL = Object.keys(registeredTasks).filter((name) => registeredTasks[name]?.card.sandbox === undefined);
const NAMES = fewOf(ALL, { quick: 20, all: 40 });
// A task at a time: the page counts as loaded, and answers, long before all of them are drawn.
const ENTRY = `
  import { digestsOf } from ${JSON.stringify(SUPPORT)};
  globalThis.results = (async () => {
    const digests = [];
    for (const name of ${JSON.stringify(NAMES)}) {
      digests.push([name, await digestsOf(name)]);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return digests;
  })();
`;

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium({ webgpu: false });
});
afterAll(() => browser?.close());

it('Chromium draws the problems, demonstrations and held-out problems that Node draws, at every level', async () => {
  const there = await resultsOfScript<readonly (readonly [string, readonly string[]])[]>(browser, await bundled(ENTRY));
  const here = await Promise.all(NAMES.map(async (name) => [name, await digestsOf(name)] as const));
  expect(ALL.length).toBeGreaterThan(60);
  expect(there).toEqual(here);
});
