/** Texts that nest without end are refused by their line, before a parser recurses into them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lexer } from 'yaml';
import { Nesting } from '../../src/config/yaml/nesting.ts';
import { parseYaml } from '../../src/config/yaml/yaml_document.ts';

function deepest(text: string): number {
  const nesting = new Nesting();
  let most = 0;
  for (const lexeme of new Lexer().lex(text)) {
    nesting.add(lexeme);
    most = Math.max(most, nesting.depth);
  }
  return most;
}

describe('the nesting of', () => {
  it.each([
    ['a: 1\nb: 2\n', 2],
    ['a:\n  b:\n    - c\n    - d\ne: 1\n', 4],
    ['[[[1]], [2]]', 3],
    ['- - - a', 4],
    ['a: |\n  text\n   more\nb: "x\n  y"\n', 2],
    ['# - - - -\na: [1, 2]\n', 2],
  ])('%j is %i', (text, depth) => expect(deepest(text)).toBe(depth));
});

it.each([
  ['brackets', '['.repeat(150)],
  ['braces', '{a: '.repeat(150)],
  ['entries of one line', '- '.repeat(150)],
  ['keys of one line', '? '.repeat(150)],
  ['lines', Array.from({ length: 150 }, (_, i) => `${' '.repeat(i)}a:\n`).join('')],
])('more than 100 levels of %s are refused', (_, text) => {
  expect(parseYaml(text)).toMatchObject({ mistake: { rule: 'nested too deep to be read; flatten it' } });
});

it('no text of as few parts is taken for a deep one', () => {
  const parts = fc.array(fc.constantFrom('[', '{a: ', '- ', '? ', 'k: ', '"x" ', 'k:\n', '# [[\n', ' '), {
    maxLength: 20,
  });
  fc.assert(fc.property(parts, (text) => deepest(text.join('')) <= 2 * text.length + 1));
});
