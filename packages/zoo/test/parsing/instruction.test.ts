import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { type Instruction, keepsInstruction } from '../../parsing/instruction.ts';

// biome-ignore format: a table
const ROWS: readonly (readonly [id: string, Instruction, kept: readonly string[], broken: readonly string[]])[] = [
  ['I1', { kind: 'no_commas' }, ['Hello world'], ['Hello, world', 'Hello\uff0cworld', '', '...']],
  ['I2', { kind: 'lowercase' }, ['hello', 'stra\u00dfe', 'a 1'], ['Hello', '123', '']],
  ['uppercase', { kind: 'uppercase' }, ['HELLO 1'], ['Hello', '123']],
  ['I3', { kind: 'words', least: 3 }, ['a b c', 'a\u00a0b c', 'a b c d'], ['a-b-c', '... !!! ???', 'a b']],
  ['words at most', { kind: 'words', most: 2 }, ['a', 'a b'], ['a b c', '']],
  ['I4', { kind: 'bullets', exactly: 2 }, ['- a\n- b', '* a\n* b', 'x\n- a\n- b'],
    ['- a\n-b', '- \n- b', '- a\n- b\n- c']],
  ['I5', { kind: 'keyword', word: 'tree', exactly: 1 }, ['a tree.', 'Tree'], ['treehouse', 'tree Tree', 'trees', 'x']],
  ['I6', { kind: 'ends_with', text: 'Done.' }, ['ok Done.', 'ok Done.\n'], ['ok done.', 'Done.', '. Done.', 'ok Done']],
  ['I7', { kind: 'two_answers' }, ['a******b', 'a\n******\nb'],
    ['a******a', 'a******', 'a******b******c', 'a', 'a *****b']],
  ['I8', { kind: 'paragraphs', exactly: 2 }, ['a\n\nb', 'a\n\n\n\nb', 'a\n \nb'],
    ['a\nb', 'a\n\n', 'a\n\nb\n\nc', 'a\n\n***']],
  ['I9', { kind: 'title' }, ['<<Sun>> text'], ['<<>> text', '<Sun> text', '<<Sun text', '<<Su\nn>>', '<< >> a']],
  ['sentences', { kind: 'sentences', exactly: 2 }, ['A b. C!', 'It is 3.5 m. So.'], ['A b.', 'A. B. C.', '. . a']],
  ['letter', { kind: 'letter', letter: 'a', exactly: 3 }, ['banana', 'Aab a'], ['bananas a', 'b']],
  ['placeholders', { kind: 'placeholders', least: 2 }, ['[name] at [place]'],
    ['[name]', '[] [ ] a', '[[[[a]', '[a\n] [b\n]']],
  ['highlights', { kind: 'highlights', exactly: 1 }, ['a *b* c'], ['a b', '*a* *b*', '** a', '*a\nb*']],
  ['capital words', { kind: 'capital_words', least: 2 }, ['A BIG tree', 'NO 1 NO'], ['A big tree', '1 2 a']],
  ['quoted', { kind: 'quoted' }, ['"a"', ' "a b" '], ['a', '"a', '""', '"']],
  ['json', { kind: 'json' }, ['{"a": 1}', '[1]'], ['a', '{"a": 1, "a": 2}', '{}']],
  ['postscript', { kind: 'postscript', text: 'P.S.' }, ['a\nP.S. b'],
    ['a P.S. b', 'P.S. b', 'a\nP.S.', 'a\nP.S. b\nc']],
  ['sections', { kind: 'sections', mark: 'Part', exactly: 2 }, ['Part 1\na\nPart 2\nb'],
    ['Part 1', 'Part\nPart', 'Party 1\nParty 2']],
  ['one of', { kind: 'one_of', texts: ['yes', 'no'] }, ['yes', ' no '], ['Yes', 'yes no', 'maybe']],
  ['first word', { kind: 'first_word', paragraph: 2, word: 'so' }, ['a\n\nSo b', 'a\n\n"so" b'],
    ['so\n\na', 'so', 'a\n\nsoon']],
  ['starts with', { kind: 'starts_with', text: 'Well' }, ['Well then'], ['Well', 'well then', 'oh Well then']],
];

describe.each(ROWS)('%s', (_id, instruction, kept, broken) => {
  it.each(kept)('is kept by %j', (text) => {
    expect(keepsInstruction(text, instruction)).toBe(true);
  });

  it.each(broken)('is broken by %j', (text) => {
    expect(keepsInstruction(text, instruction)).toBe(false);
  });

  it.each(['', ' \n', '!?.,;', '\u200b', 'x'.repeat(20_000)])(
    'is not kept by a text without content, or without end: %.10j',
    (text) => {
      expect(keepsInstruction(text, instruction)).toBe(false);
    },
  );

  it('is judged in less than 10 ms, whatever is repeated', () => {
    for (const piece of ['[', '*', '<<', '\n ', '\n', '" ', '. ', 'a. ', '- a\n', '******']) {
      const text = `a${piece.repeat(4096 / piece.length)}`;
      keepsInstruction(text, instruction);
      const start = processorMs();
      keepsInstruction(text, instruction);
      // 10 ms are the bound; a busy machine may stretch it.
      expect(processorMs() - start).toBeLessThan(50);
    }
  });
});
