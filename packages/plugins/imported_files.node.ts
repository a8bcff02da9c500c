/**
 * The local files that a file of the user's imports, directly or not: they decide the bits of a run as it does.
 *
 * Found by reading, not by running: what follows `from`, `import` or `require` and begins with `./` or `../../src/`. Installed
 * packages are not followed, nor are names that are put together at run time, nor data that the code reads by itself.
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(['"])(\.{1,2}\/[^'"\n]+)\1/g;
/** `import helpers`, `from helpers.words import count`, of files beside the one that a config names. */
const PYTHON_IMPORT = /^[ \t]*(?:import|from)[ \t]+([\w.]+)/gm;
/** What a name may lack, in the order in which it is tried. */
const ENDINGS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js', '/index.mjs'];

/** Absolute paths, sorted; without the file itself. What is not there is left for the loader to complain about. */
export async function importedFiles(path: string): Promise<readonly string[]> {
  const found = new Set([path]);
  for (const file of found) {
    if (file.endsWith('.json')) continue;
    const text = await readFile(file, 'utf8').catch(() => ''); // the loader says why it cannot be read
    if (file.endsWith('.py')) {
      for (const [, name = ''] of text.matchAll(PYTHON_IMPORT)) {
        const above = name.startsWith('.') ? file : path; // `from .count import n`
        const way = resolve(dirname(above), name.replace(/^\.+/, '').replaceAll('.', '/'));
        for (const candidate of [`${way}.py`, `${way}/__init__.py`]) if (await isFile(candidate)) found.add(candidate);
      }
      continue;
    }
    for (const [, , name = ''] of text.matchAll(IMPORT)) {
      const imported = await existing(resolve(dirname(file), name));
      if (imported !== undefined) found.add(imported); // a set is walked to its end, whatever is added meanwhile
    }
  }
  found.delete(path);
  return [...found].sort();
}

/** `./a.js` may mean the file `a.ts`, as TypeScript has it. */
async function existing(place: string): Promise<string | undefined> {
  const source = place.replace(/\.([mc]?)js$/, '.$1ts');
  for (const candidate of [...ENDINGS.map((ending) => place + ending), source]) {
    if (await isFile(candidate)) return candidate;
  }
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined); // whatever the reason: it is not that one
  return found?.isFile() === true;
}
