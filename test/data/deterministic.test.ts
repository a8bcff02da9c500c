/** Tasks and parsers give the same on every machine: they call nothing whose result is the machine's or the engine's. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const FORBIDDEN =
  /\bMath\.(?!(?:abs|ceil|floor|imul|max|min|round|sign|trunc)\b)\w+|\bDate\b|\bIntl\b|\blocaleCompare\b|\btoLocale\w+|\bperformance\b|\bcrypto\b|\bprocess\b/;

/** The lines of a file that are code, with what is forbidden in them. */
function forbiddenIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const isComment = /^\s*(?:\*|\/\/|\/\*)/.test(line);
    const found = isComment ? null : FORBIDDEN.exec(line);
    return found === null ? [] : [found[0]];
  });
}

/** They judge a task or read the user's files, and draw nothing. */
const APART = /^data\/check\/|\.node\.ts$|^data\/datasets\/(?:gzip|parquet)\.ts$/;

const files = ['data', 'parsing'].flatMap((folder) =>
  readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts') && !APART.test(name)),
);

it('no task and no parser asks the clock, a machine, a language or an inexact function', () => {
  const found = files.flatMap((file) =>
    forbiddenIn(readFileSync(join(SOURCE, file), 'utf8')).map((what) => `${file}: ${what}`),
  );
  expect(found).toEqual([]);
});

it('the look finds each of them, and passes over integers and comments', () => {
  const lines = [
    'Math.random()',
    'Math.exp(x)',
    'new Date()',
    'a.localeCompare(b)',
    'x.toLocaleString()',
    'Intl.Collator',
    'performance.now()',
  ];
  expect(lines.filter((line) => forbiddenIn(line).length === 0)).toEqual([]);
  expect(forbiddenIn(' * no Date here\nMath.floor(x / 2) + Math.max(1, y)\nconst update = 1;')).toEqual([]);
});
