/** Folders of a test's own, which are gone when it is over. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

const fresh = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-test-')));
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** A folder for all tests of the file. */
export function folderOfFile(): string {
  const folder = fresh();
  afterAll(() => remove(folder));
  return folder;
}

/** A folder for each test of the file, or of the `describe` that this stands in. */
export function folderOfTest(): () => string {
  let folder: string;
  beforeEach(() => {
    folder = fresh();
  });
  afterEach(() => remove(folder));
  return () => folder;
}

function workIn(before: typeof beforeEach, after: typeof afterEach, fill: () => void): void {
  const home = process.cwd();
  let folder: string;
  before(() => {
    folder = fresh();
    process.chdir(folder);
    fill();
  });
  after(() => {
    process.chdir(home);
    remove(folder);
  });
}

/** Each test works in a folder of its own. @param fill  what lies there at first */
export const eachInOwnFolder = (fill = (): void => {}): void => workIn(beforeEach, afterEach, fill);

/** All tests of the file work in one folder. @param fill  what lies there at first */
export const allInOneFolder = (fill = (): void => {}): void => workIn(beforeAll, afterAll, fill);
