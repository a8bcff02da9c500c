/** Every figure that is kept names the code that it is of. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const COMMIT = /"commit": ?\[?\s*"[0-9a-f]{40}"/;
const filesOf = (folder: string, ending: string): [name: string, text: string][] => {
  const path = fileURLToPath(new URL(`../../../../bench/${folder}/`, import.meta.url));
  const names = readdirSync(path).filter((name) => name.endsWith(ending));
  return names.map((name) => [name, readFileSync(`${path}${name}`, 'utf8')]);
};

describe('a record', () => {
  it.each(filesOf('results', '.json'))('of a benchmark has its commit: %s', (_, text) => expect(text).toMatch(COMMIT));

  it.each(filesOf('arena/records', '.jsonl'))('of a run of the arena has its commit: %s', (_, text) => {
    const [, ...runs] = text.trimEnd().split('\n');
    expect(runs.filter((run) => !COMMIT.test(run))).toEqual([]);
  });
});
