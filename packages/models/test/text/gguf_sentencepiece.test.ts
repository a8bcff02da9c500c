/** SentencePiece in GGUF metadata: text by text the ids of the Python package, and its text of them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../../src/errors.ts';
import type { Codec } from '../../../../src/text/codec.ts';
import { ggufTokenizer } from '../../text/gguf_tokenizer.ts';
import { ggufVocabulary } from '../../text/gguf_vocabulary.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';
import { readVocabulary } from '../../text/read_vocabulary.ts';

interface Golden {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly tokens: readonly string[] };
  readonly texts: readonly { readonly text: string; readonly ids: readonly number[]; readonly decoded: string }[];
}

const { unigram, ...models } = (
  JSON.parse(readFileSync(new URL('../../../../test/golden/sentencepiece.json', import.meta.url), 'utf8')) as {
    readonly models: Readonly<Record<string, Golden>>;
  }
).models;

const metadataOf = ({ metadata }: Golden, changes: Readonly<Record<string, unknown>> = {}): Map<string, unknown> =>
  new Map(Object.entries({ ...metadata, ...changes }).map(([key, value]) => [`tokenizer.ggml.${key}`, value]));

const codecOf = (metadata: ReadonlyMap<string, unknown>) =>
  pretrainedCodec(ggufTokenizer(metadata, 'm.gguf'), { vocabSize: 500 });

const encode = ({ encode, literal = (text) => text }: Codec, text: string): Int32Array => encode(literal(text));

describe.each(Object.entries(models))('a model with %s', (_, golden) => {
  const codec = codecOf(metadataOf(golden));

  it('encodes and decodes as sentencepiece does', () => {
    const found = golden.texts.map(({ text }) => {
      const ids = [...encode(codec, text)];
      return { text, ids, decoded: codec.decode(ids) };
    });
    expect(found).toEqual(golden.texts);
  });

  it('begins texts with its own token, and ends them with it', () => {
    expect(codec.tokenText(codec.eosTokenId)).toBe('</s>');
    expect([...codec.encode(codec.render([{ role: 'user', content: 'a' }]))][0]).toBe(1);
  });

  it('is written as it was read', () => {
    const written = ggufVocabulary(codec, 'm');
    const read = [...written].map(([key, value]) => [key, ArrayBuffer.isView(value) ? [...value] : value] as const);
    const again = codecOf(new Map<string, unknown>(read));
    expect(written.get('tokenizer.ggml.model')).toBe('llama');
    for (const { text, ids } of golden.texts) expect([...encode(again, text)]).toEqual(ids);
  });
});

it('control tokens are read where the text is not data', () => {
  const codec = codecOf(metadataOf(models.bytes as Golden));
  expect([...codec.encode('<s>a</s>')].filter((id) => id < 3)).toEqual([1, 2]);
});

it('is no closed vocabulary where it begins with <pad> and <eos>, as Gemma does', () => {
  const { metadata } = models.bytes as Golden;
  const last = metadata.tokens.length - 1;
  const tokens = metadata.tokens.map((token, id) => ['<pad>', '<eos>'][id] ?? token);
  const types = metadata.token_type as readonly number[];
  const changed = { tokens, token_type: types.map((type, id) => (id === last ? 4 : id < 2 ? 3 : type)) };
  const { tokenizer } = ggufTokenizer(metadataOf(models.bytes as Golden, changed), 'm.gguf');
  expect(readVocabulary(tokenizer, 'm')).toBeUndefined();
});

it.each([
  [
    'has scores of Unigram',
    metadataOf(unigram as Golden),
    /"llama" — has the scores of a Unigram model, and BPE is read/,
  ],
  [
    'has no scores',
    metadataOf(models.bytes as Golden, { scores: undefined }),
    /must have a score and a token_type for each/,
  ],
  [
    'is Unigram',
    metadataOf(unigram as Golden, { model: 't5' }),
    /tokenizer\.ggml\.model "t5" — gpt2 .* and llama .* are read/,
  ],
])('%s', (_, metadata, message) => {
  const opening = () => ggufTokenizer(metadata, 'm.gguf');
  expect(opening).toThrow(DataError);
  expect(opening).toThrow(message);
});
