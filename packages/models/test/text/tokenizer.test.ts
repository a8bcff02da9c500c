import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteTokenizer } from '../../../../src/text/byte_tokenizer.ts';
import { closedCodec } from '../../../../src/text/codec.ts';
import { withWords } from '../../../../src/text/control_words.ts';
import { characterTokenizer, wordTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { createTask } from '../../../../test/support/tasks.ts';
import { readVocabulary } from '../../text/read_vocabulary.ts';

const words = wordTokenizer({ name: 'words', furtherSpecials: ['<bos>'], tokens: ['1', '11', '+', '='] });
const characters = characterTokenizer({ name: 'characters', tokens: ['a', 'b', '>'] });

describe.each([
  ['wordTokenizer', words, 3],
  ['characterTokenizer', characters, 2],
])('%s', (_name, tokenizer, numSpecials) => {
  const ordinary = fc.array(fc.integer({ min: numSpecials, max: tokenizer.vocabSize - 1 }), { maxLength: 8 });

  it('decodes to a text that encodes to the same ids, so two sequences never share a text', () => {
    fc.assert(
      fc.property(ordinary, (ids) => {
        expect([...tokenizer.encode(tokenizer.decode(ids))]).toEqual(ids);
      }),
      { seed: 1 },
    );
  });

  it('shows special tokens when it decodes, so that one inside an answer is seen', () => {
    const last = tokenizer.vocabSize - 1;
    for (const special of ['<pad>', '<eos>']) expect(tokenizer.decode([0, last, 1, last])).toContain(special);
  });

  it('exports every id, specials marked', () => {
    const json = tokenizer.toJSON() as { model: { vocab: Record<string, number> }; added_tokens: { id: number }[] };
    expect(Object.entries(json.model.vocab).map(([text, id]) => tokenizer.tokenText(id) === text)).not.toContain(false);
    expect(Object.keys(json.model.vocab)).toHaveLength(tokenizer.vocabSize);
    expect(json.added_tokens.map(({ id }) => id)).toEqual(Array.from({ length: numSpecials }, (_, id) => id));
  });

  it('refuses an id outside of the vocabulary', () => {
    expect(() => tokenizer.tokenText(tokenizer.vocabSize)).toThrow('token id');
    expect(() => tokenizer.decode([-1])).toThrow('token id -1');
  });
});

describe('encode', () => {
  it('names the first piece without an id', () => {
    expect(() => words.encode('1 + 2 = 3')).toThrow(
      '"2" in "1 + 2 = 3" — piece 3 is not in vocabulary "words" of 7 tokens',
    );
    expect(() => characters.encode('abc')).toThrow('"c" in "abc" — piece 3');
  });

  it('refuses what decoding would not give back: double spaces and special tokens as text', () => {
    expect(() => words.encode('1  + 1')).toThrow('"" in "1  + 1" — piece 2');
    expect(() => words.encode('1 <eos>')).toThrow('"<eos>"');
  });

  it('gives each number of a countdown prompt one token', () => {
    const { codec: tokenizer } = createTask({ name: 'countdown' });
    expect(tokenizer.encode('10 7 2 = 99 ?')).toHaveLength(6);
    expect(tokenizer.decode(tokenizer.encode('3 37'))).not.toBe(tokenizer.decode(tokenizer.encode('33 7')));
  });
});

it('refuses a vocabulary with a token that occurs twice', () => {
  expect(() => characterTokenizer({ name: 'twice', tokens: ['a', 'a'] })).toThrow('"twice"');
});

describe('a vocabulary read back from its tokenizer.json', () => {
  const digits = characterTokenizer({ name: 'digits', furtherSpecials: ['<bos>'], tokens: ['>', '3', '1', '0'] });

  it.each([
    ['of words', closedCodec(words), '1 11 ='],
    ['of characters', closedCodec(characters), 'ab>'],
    ['of characters that are keys of numbers', closedCodec(digits), '310>'],
    ['of bytes', closedCodec(byteTokenizer), 'é'],
    ['with words of methods', withWords(closedCodec(characters), { '<verify>': 'Is it?', '<yes>': 'yes' }), 'ab'],
  ])('%s has each token under its id', (_, codec, text) => {
    const written = JSON.parse(JSON.stringify(codec.toJSON()));
    const read = readVocabulary(written, 'runs/first');
    expect(read?.toJSON()).toEqual(codec.toJSON());
    expect(read?.vocabSize).toBe(codec.vocabSize);
    expect(read?.encode(text)).toEqual(codec.encode(text));
    expect([...(read?.words?.entries() ?? [])]).toEqual([...(codec.words?.entries() ?? [])]);
    expect(read?.joint).toBe(codec.joint);
  });

  it('names where it is from, and is none where the file is of another kind', () => {
    const written = closedCodec(characters).toJSON();
    expect(() => readVocabulary(written, 'runs/first')?.encode('c')).toThrow(
      'not in vocabulary "runs/first" of 5 tokens',
    );
    expect(readVocabulary({ ...written, normalizer: { type: 'Lowercase' } }, 'x')).toBeUndefined();
    expect(readVocabulary({ model: { vocab: null }, added_tokens: [null] }, 'x')).toBeUndefined();
  });
});
