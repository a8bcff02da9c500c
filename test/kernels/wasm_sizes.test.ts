/** What a kernel writes must fit what the memory plan holds: both count by assembly/sizes.ts, and neither by a copy. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import * as sizes from '../../src/kernels/wasm/assembly/sizes.ts';

const FOLDER = fileURLToPath(new URL('../../src/kernels/wasm/', import.meta.url));
const SHARED = 'assembly/sizes.ts';

/** Sources of both languages, without what is generated. */
const SOURCES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && path !== 'binaries.ts' && path !== SHARED)
  .map((path) => ({ path, text: readFileSync(FOLDER + path, 'utf8') }));

it.each(Object.keys(sizes))('%s is declared once, and read by the kernels and by their host', (name) => {
  const declares = SOURCES.filter(({ text }) => new RegExp(`\\b(?:const|let|var)\\s+${name}\\b`).test(text));
  expect(declares.map(({ path }) => path)).toEqual([]);
  const readers = SOURCES.filter(({ text }) => importsOf(text).includes(name)).map(({ path }) => path);
  expect(readers.some((path) => path.startsWith('assembly/'))).toBe(true);
  expect(readers.some((path) => !path.startsWith('assembly/'))).toBe(true);
});

it('a tile fits the bytes that it has', () => {
  expect(sizes.STRIP_ROWS * sizes.WIDE_PANEL * 4).toBeLessThanOrEqual(sizes.TILE_BYTES);
});

/** Names that a file takes from sizes.ts, in either language's spelling of the path. */
function importsOf(text: string): string[] {
  const [, names = ''] = /import \{([^}]*)\} from '\.(?:\/assembly)?\/sizes(?:\.ts)?'/.exec(text) ?? [];
  return names.split(',').map((name) => name.trim());
}
