// Leaves in dist/ what the package needs: no files that an earlier build made of a source that has moved or gone, no
// declarations that no entry point reaches (`exports` hides them from every compiler), and no comments in the code, which
// are a tenth of the package; those of declarations stay, since editors show them. Runs after tsc and build_web.mjs.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { entryPoints } from './api_pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** Written by build_web.mjs, of many sources each. */
const BUNDLED = /^web[/](engine[/]|catalogue_data\.js$)/;

const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(js|d\.ts)$/.test(path));
const reached = reachedFrom(entryPoints().map(({ types }) => types));
for (const path of files) {
  const name = path.split(sep).join('/');
  const source = join(root, 'src', path.replace(/\.(js|d\.ts)$/, '.ts'));
  const isStale = !BUNDLED.test(name) && !existsSync(source);
  const isHidden = path.endsWith('.d.ts') && !reached.has(join(dist, path));
  if (isStale || isHidden) rmSync(join(dist, path));
  else if (path.endsWith('.js') && !BUNDLED.test(name)) {
    const code = readFileSync(join(dist, path), 'utf8');
    writeFileSync(join(dist, path), withoutComments(name, code));
  }
}

/** A comment goes with the lines that it has to itself; at the end of a line, with the spaces before it. */
function withoutComments(name, code) {
  let rest = '';
  let at = 0;
  for (const { start, end } of parseSync(name, code).comments) {
    if (code.startsWith('#!', start)) continue;
    const lineStart = code.lastIndexOf('\n', start - 1) + 1;
    const before = code.slice(Math.max(at, lineStart), start);
    const isFirst = lineStart >= at && before.trim() === '';
    const isLast = /^[ \t]*\n/.test(code.slice(end, code.indexOf('\n', end) + 1));
    const from = isFirst && isLast ? lineStart : isLast ? start - (before.length - before.trimEnd().length) : start;
    rest += code.slice(at, from);
    at = isFirst && isLast ? code.indexOf('\n', end) + 1 : end;
  }
  return rest + code.slice(at);
}

/** The declarations that some import, they import, and so on; what an example in a comment imports is none of them. */
function reachedFrom(entries) {
  const found = new Set(entries);
  for (const path of found) {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, target] of code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
      const next = join(dirname(path), target.replace(/\.[jt]s$/, '.d.ts'));
      if (!existsSync(next)) throw new Error(`${relative(root, path)} imports ${target}, which has no declarations`);
      found.add(next);
    }
  }
  return found;
}
