/**
 * `node tools/lint_words.mjs [--all]`, part of `npm run lint`: finds the words of tools/words.json in comments, in texts
 * of programs and in hand-written pages, and says what to write instead.
 *
 * A word that is really meant is allowed by a phrase around it (`allowed`). `comments`: the pattern is looked for in
 * comments alone, and its case counts. `--all` looks at the rooms that are still exempt, too.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** `/* … *​/` and `// …`, where no text of the program is in the way. */
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const SCRIPT = /\.m?ts$|\.mjs$/;
const COMMENTED = /\.(?:wgsl|css)$|\/assembly\/.*\.ts$/;

/** @typedef {{ at: number, text: string, isComment: boolean }} Passage */

/** @returns {Passage[]} comments, and texts of the program that are no module's name */
export function passagesOf(file, text) {
  if (/\.(?:md|yaml)$/.test(file)) return [{ at: 0, text: withoutCode(text), isComment: false }];
  const texts = COMMENTED.test(file) ? [] : literalsOf(file, text);
  const blank = texts.reduceRight(
    (rest, { at, text: { length } }) => rest.slice(0, at) + '_'.repeat(length) + rest.slice(at + length),
    text,
  );
  const comments = [...blank.matchAll(COMMENT)].map(({ index, 0: found }) => ({
    at: index,
    text: withoutCode(text.slice(index, index + found.length)),
    isComment: true,
  }));
  return [...comments, ...texts.filter(({ isName }) => !isName).map((found) => ({ ...found, isComment: false }))];
}

/** Blanks what is code on a page, or a name in a comment: in backticks. */
function withoutCode(text) {
  return text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '));
}

/** Strings, pieces of templates and patterns, with their places; `isName`: what is imported, or a property. */
function literalsOf(file, text) {
  const kind = SCRIPT.test(file) ? ts.ScriptKind.TS : ts.ScriptKind.Unknown;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node)) {
      const at = node.getStart(source);
      const { parent } = node;
      const isName =
        ts.isRegularExpressionLiteral(node) ||
        ts.isImportDeclaration(parent) ||
        (ts.isPropertyAssignment(parent) && parent.name === node);
      found.push({ at, text: text.slice(at, node.end), isName });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @returns {{ line: number, word: string, remedy: string }[]} words of `list` that the file should not use */
export function wordsIn(file, text, list) {
  const found = [];
  for (const { at, text: passage, isComment } of passagesOf(file, text)) {
    const flat = passage.replace(/\n\s*(?:\*|\/\/)?/g, (gap) => ' '.repeat(gap.length)); // same places, one line
    for (const { pattern, say, allowed = [], comments = false } of list) {
      if (comments && !isComment) continue;
      const meant = allowed.flatMap((phrase) => [...flat.matchAll(loose(phrase))]);
      for (const { index, 0: word } of flat.matchAll(loose(pattern, comments ? 'g' : 'gi'))) {
        const isMeant = meant.some(
          (phrase) => phrase.index <= index && index + word.length <= phrase.index + phrase[0].length,
        );
        if (isMeant) continue;
        const line = text.slice(0, at + index).split('\n').length;
        found.push({ line, word: word.replace(/\s+/g, ' '), remedy: say });
      }
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

/** A pattern whose spaces may be several, as where a line ends; without a difference of case unless `flags` say so. */
function loose(pattern, flags = 'gi') {
  return new RegExp(pattern.replaceAll(' ', '\\s+'), flags);
}

/** Files of the project under these rooms, by git. */
function filesOf(patterns) {
  const listed = execFileSync('git', [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    ...patterns,
  ]);
  return String(listed).split('\0').filter(Boolean);
}

function main() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  process.chdir(root);
  const { words, files, exempt } = JSON.parse(readFileSync('tools/words.json', 'utf8'));
  const all = process.argv.includes('--all');
  const shown = filesOf([...files, ...(all ? [] : exempt.map((room) => `:(exclude)${room}`))]);
  const counts = new Map();
  for (const file of shown) {
    if (!existsSync(file)) continue; // listed by git, and deleted since
    const text = readFileSync(file, 'utf8');
    for (const { line, word, remedy } of wordsIn(file, text, words)) {
      console.log(`${file}:${line}  "${word}" — ${remedy}`);
      counts.set(word.toLowerCase(), (counts.get(word.toLowerCase()) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return;
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  console.log(`${sum} words that tools/words.json asks to be said otherwise, in ${shown.length} files.`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
