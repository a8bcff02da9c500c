/** Tokenizers of every part that is computed here, held by the `tokenizers` library and transformers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withSideFiles } from '../../text/side_files.ts';
import { compilePattern, matchesOf } from '../../text/tokenizer/patterns.ts';
import { specialsAround } from '../../text/tokenizer/post_processor.ts';
import { Tokenizer } from '../../text/tokenizer/tokenizer.ts';

type Json = Record<string, unknown>;

interface Row {
  readonly text: string;
  readonly ids: readonly number[];
  /** With special tokens, where that is another. */
  readonly whole?: readonly number[];
  readonly decoded: string;
  /** Without special tokens, where that is another. */
  readonly skipped?: string;
}

interface Kind {
  readonly tokenizer: Json;
  readonly rows: readonly Row[];
  /** Tokens that no text has, and their text. */
  readonly sampled: readonly [number[], string][];
}

interface Folder {
  readonly files: Readonly<Record<string, Json>>;
  readonly rows: readonly [text: string, ids: number[], before: number[], skipped: string][];
  readonly named: Readonly<Record<string, number>>;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/tokenizers/${name}.json`, import.meta.url), 'utf8'));
const kinds: Record<string, Kind> = Object.assign({}, ...[0, 1, 2, 3].map((part) => read(`kinds_${part}`).kinds));
const folders: Record<string, Folder> = read('folders').folders;
const { text: TEXT, patterns }: { text: string; patterns: readonly [string, readonly string[] | null][] } =
  read('patterns');

const idsOf = (specials: readonly { readonly id: number }[]) => specials.map(({ id }) => id);

describe.each(Object.entries(kinds))('a tokenizer like %s', (_, { tokenizer: json, rows, sampled }) => {
  const tokenizer = new Tokenizer(json);

  it('writes texts in the same tokens, and tokens as the same texts', () => {
    const { before, after } = specialsAround(json.post_processor);
    for (const { text, ids, whole = ids, decoded, skipped = decoded } of rows) {
      const tokens = tokenizer.encode(text);
      expect(tokens, text).toEqual(ids);
      expect([...idsOf(before), ...tokens, ...idsOf(after)]).toEqual(whole);
      expect(tokenizer.decode(whole), text).toBe(decoded);
      expect(tokenizer.decode(whole, { skipSpecial: true }), text).toBe(skipped);
    }
  });

  it('writes tokens that no text has, too', () => {
    for (const [ids, text] of sampled) expect(tokenizer.decode(ids)).toBe(text);
  });
});

describe('a pattern of Oniguruma', () => {
  it.each(patterns)('%s matches the same, or is refused', (pattern, expected) => {
    let parts: readonly string[];
    try {
      parts = matchesOf(compilePattern(pattern), TEXT).map(({ begin, end }) => TEXT.slice(begin, end));
    } catch (error) {
      expect(String(error)).toContain(`the pattern ${pattern} is not read`);
      return;
    }
    if (expected !== null) expect(parts.filter((part) => part !== '')).toEqual(expected);
  });

  it('that is refused is one of those that have no like in JavaScript, or that are none', () => {
    const isRefused = (pattern: string): boolean => {
      try {
        compilePattern(pattern);
        return false;
      } catch {
        return true;
      }
    };
    const valid = patterns.filter(([, expected]) => expected !== null).map(([pattern]) => pattern);
    expect(valid.filter(isRefused)).toEqual(['\\R', '\\X', '(?m:.+)', '(?x: a )', '(a)\\1']);
  });
});

describe.each(Object.entries(folders))('a folder with %s', (_, { files, rows, named }) => {
  const { tokenizer: whole, config } = withSideFiles({
    tokenizer: files['tokenizer.json'],
    config: files['tokenizer_config.json'],
    specialTokens: files['special_tokens_map.json'],
    addedTokens: files['added_tokens.json'],
  });
  const tokenizer = new Tokenizer(whole);

  it('has the tokens of all its files', () => {
    const before = idsOf(specialsAround(whole.post_processor).before);
    for (const [text, ids, beginning, skipped] of rows) {
      expect(tokenizer.encode(text), text).toEqual(ids);
      expect(before).toEqual(beginning);
      expect(tokenizer.decode([...before, ...ids], { skipSpecial: true }), text).toBe(skipped);
    }
    const added = whole.added_tokens as readonly { readonly id: number; readonly content: string }[];
    expect(added.map(({ content }) => tokenizer.idOf(content))).toEqual(idsOf(added));
  });

  it('has the special tokens under their names', () => {
    const names = Object.entries(config).filter(([name]) => Object.hasOwn(named, name));
    const textOf = (value: unknown) => (typeof value === 'string' ? value : String((value as Json).content));
    for (const [name, value] of names) expect(tokenizer.idOf(textOf(value)), name).toBe(named[name]);
  });
});

it('what is not computed is refused by its name', () => {
  const json = Object.values(kinds)[0].tokenizer;
  const open = (changes: Json) => () => new Tokenizer({ ...json, ...changes });
  expect(open({ pre_tokenizer: { type: 'UnicodeScripts' } })).toThrow('the pre-tokenizer UnicodeScripts is not known');
  expect(open({ normalizer: { type: 'Sequence', normalizers: [{ type: 'Own' }] } })).toThrow(
    'the normalizer Own is not',
  );
  expect(open({ decoder: { type: 'Own' } })).toThrow('the decoder Own is not known; Sequence, ');
  expect(open({ model: { type: 'Own', vocab: {} } })).toThrow('its model is Own; BPE, WordPiece, WordLevel, Unigram');
  expect(open({ model: { ...(json.model as Json), dropout: 0.1 } })).toThrow('drops merges at random (dropout 0.1)');
  expect(() => specialsAround({ type: 'Own' })).toThrow('the post-processor Own is not known');
});

it('a text that the model has no token for is refused', () => {
  const open = (model: Json) => new Tokenizer({ model: { vocab: { a: 0 }, ...model } });
  expect(() => open({ type: 'WordLevel', unk_token: '[UNK]' }).encode('b')).toThrow(
    'tokenizer.json: "b" has no token, and the vocabulary has no unk_token "[UNK]"; take',
  );
  expect(() => open({ type: 'WordPiece', unk_token: '[UNK]' }).encode('b')).toThrow('has no unk_token "[UNK]"');
  expect(() => open({ type: 'BPE', merges: [], unk_token: '?' }).encode('b')).toThrow('has no unk_token "?"');
  expect(() => open({ type: 'Unigram', vocab: [['a', -1]] }).encode('b')).toThrow('the model has no unk_id');
});

it('sections of a text are encoded once, and the first apart from others', () => {
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true };
  const tokenizer = new Tokenizer({
    model: { type: 'BPE', vocab: { a: 0, '▁': 1, '<s>': 2 }, merges: [] },
    added_tokens: [{ id: 2, content: '<s>', special: true }],
    pre_tokenizer: metaspace,
  });
  for (const _ of [1, 2]) expect(tokenizer.encode('a<s>a')).toEqual([1, 0, 2, 0]);
});

it('a special token that is only named, and has no row in the embedding, is left out', () => {
  const tokenizer = { added_tokens: [], model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] } };
  const config = { pad_token: '<pad>' };
  const textsOf = (rows?: number) =>
    (withSideFiles({ tokenizer, config }, rows).tokenizer.added_tokens as { content: string }[]).map(
      ({ content }) => content,
    );
  expect(textsOf()).toEqual(['<pad>']);
  expect(textsOf(3)).toEqual(['<pad>']);
  expect(textsOf(2)).toEqual([]);
});
