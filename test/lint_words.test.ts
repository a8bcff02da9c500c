/** The words that lint asks to be said otherwise: looked for in comments and texts, not in names. */
import { expect, it } from 'vitest';
import { wordsIn } from '../tools/lint_words.mjs';
import list from '../tools/words.json' with { type: 'json' };

const found = (text: string, file = 'a.ts'): string[] =>
  wordsIn(file, text, list.words).map(({ line, word }) => `${line} ${word}`);

it('are found in comments, texts and pieces of templates, with their lines', () => {
  const lines = [
    'const a = 1; // behind b',
    '/**',
    ' * Whoever',
    ' */',
    `const b = "stands"; const c = \`\${a} is told`,
    ' anew`;',
  ];
  expect(found(lines.join('\n'))).toEqual(['1 behind', '3 Whoever', '5 stands', '5 told', '6 anew']);
});

it('are found where a line ends between them', () => {
  expect(found('/**\n * It goes\n * on.\n */')).toEqual(['2 goes on']);
  expect(found('It is so\nmany.', 'a.md')).toEqual(['1 so many']);
});

it('are not names, keys, modules, patterns or code on a page', () => {
  const code = "import { told } from './anew.ts';\nconst behind = { 'stands': told };\nconst c = /behind/;";
  expect(found(code)).toEqual([]);
  expect(found('Run `behind` as in\n```\nstands\n```\n', 'a.md')).toEqual([]);
});

it('are not phrases in which they are meant', () => {
  expect(found('// It stands for a server behind a proxy; so many ask that all are told apart.')).toEqual([]);
});

it('are an Of that opens a comment, but not one within it', () => {
  expect(found('/** Of a step. */\n// Of a step\n/** Of course. */ // The mean of it. Of all.')).toEqual([
    '1 /** Of',
    '2 // Of',
  ]);
});
