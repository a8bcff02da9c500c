/** Stands in for vitest where its tests run in a page: collects them, so that `run` can call them there. */
import { chai, JestChaiExpect } from '@vitest/expect';

chai.use(JestChaiExpect);
export const expect = chai.expect;

interface Collected {
  readonly name: string;
  readonly run: () => unknown;
}

const tests: Collected[] = [];
const path: string[] = [];

type Body = (...row: never[]) => unknown;

function each(define: (name: string, body: () => unknown) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, body: Body): void => {
      rows.forEach((row, index) => {
        const words = (Array.isArray(row) ? row : [row]) as never[];
        define(`${name} [${index}]`, () => body(...words));
      });
    };
}

function collect(name: string, run: () => unknown): void {
  tests.push({ name: [...path, name].join(' > '), run });
}

function group(name: string, body: () => unknown): void {
  path.push(name);
  body();
  path.pop();
}

export const it = Object.assign(collect, { each: each(collect) });
export const describe = Object.assign(group, { each: each(group) });

/** What the page hands back of a test. */
export interface PageResult {
  readonly name: string;
  /** Why it failed; absent where it passed. */
  readonly failure?: string;
}

/** Runs everything that was collected, one after the other. */
export async function run(): Promise<PageResult[]> {
  const results: PageResult[] = [];
  for (const { name, run: body } of tests) {
    try {
      await body();
      results.push({ name });
    } catch (error) {
      results.push({ name, failure: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
    }
  }
  return results;
}
