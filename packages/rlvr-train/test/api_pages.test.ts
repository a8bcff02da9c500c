/** docs/reference/api: the pages of what the package exports, made of the declarations in dist/ (`npm run build:js`). */
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { apiPages, entryPoints } from '../../../tools/api_pages.mjs';

const pages = apiPages();
const entries = entryPoints();

/** By entry point, the names that a program can import: asked of Node, which loads the built files as users do. */
function runtimeExports(): Readonly<Record<string, readonly string[]>> {
  const addresses = Object.fromEntries(entries.map(({ specifier, code }) => [specifier, pathToFileURL(code).href]));
  const program = `const names = {};
    for (const [name, url] of Object.entries(${JSON.stringify(addresses)})) names[name] = Object.keys(await import(url));
    process.stdout.write(JSON.stringify(names), () => process.exit(0));`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return JSON.parse(text) as Record<string, string[]>; // written above
}

it('every name that can be imported stands on its page, as a function, a class or a constant', () => {
  const names = runtimeExports();
  for (const { specifier, file } of entries) {
    const groups = (pages.get(file) ?? '').split(/^## /m);
    const ofValues = groups.filter((group) => !group.startsWith('Types\n'));
    const shown = ofValues.flatMap((group) => [...group.matchAll(/^### (.+)$/gm)].map(([, name]) => name));
    expect(names[specifier].length, specifier).toBeGreaterThan(5);
    expect(shown.sort(), specifier).toEqual([...names[specifier]].sort());
  }
});

describe.each([...pages])('%s', (_file, page) => {
  it('opens with what the entry point is for, and is short enough to be read', () => {
    expect(page).toMatch(/^# rlvr-train.*\n\n[A-Z`]/);
    expect(Buffer.byteLength(page)).toBeLessThan(100_000);
  });

  it('says of every export what it is', () => {
    const silent = [...page.matchAll(/^### (.+)\n\n```/gm)].map(([, name]) => name);
    expect(silent).toEqual([]);
  });
});
