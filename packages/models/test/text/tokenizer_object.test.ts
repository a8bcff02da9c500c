/** Tokenizer objects of other packages, by their shape: the same ids, texts and conversations as from the files. */
import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../../src/errors.ts';
import type { Message } from '../../../../src/text/codec.ts';
import { compileChatTemplate } from '../../text/chat_template.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';
import { codecOf, type TokenizerObject } from '../../text/tokenizer_object.ts';

type Json = Record<string, unknown>;

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8')) as {
  readonly texts: readonly string[];
  readonly tokenizers: Readonly<
    Record<string, { readonly tokenizer: Json; readonly decoded: readonly [number[], string][] }>
  >;
  readonly tokens: Json;
  readonly templates: Readonly<Record<string, { readonly template: string }>>;
};
const { tokenizer: QWEN, decoded } = golden.tokenizers.qwen2;
const { template } = golden.templates.qwen3;
const EMBEDDING = 432;
const FILES = new Map([['tokenizer.json', new TextEncoder().encode(JSON.stringify(QWEN))]]);

/** As the packages make theirs: a function with members. Version 4 has get_vocab, version 2 the model, and no eos_token_id. */
function objectOf(version: 2 | 4, changes: Json = {}): TokenizerObject {
  const own = new Tokenizer(QWEN, golden.tokens);
  const call = (text: string, { add_special_tokens: specials, return_tensor: asTensor }: Json) => {
    const { ids } = own.encode(text, { add_special_tokens: specials === true });
    return { input_ids: asTensor === false ? ids : BigInt64Array.from(ids, BigInt) };
  };
  const tokens: string[] = [];
  for (const [token, id] of own.get_vocab(true)) tokens[id] = token;
  return Object.assign(call, {
    decode: (ids: number[], options: Json) => {
      if (ids.length === 0) throw new Error('token_ids must be a non-empty array of integers.');
      return own.decode(ids, options);
    },
    apply_chat_template: (messages: Message[], { tokenize, ...kwargs }: Json) => {
      if (tokenize !== false) return [1, 2, 3];
      return compileChatTemplate(template, 'object').render(messages, { ...golden.tokens, tools: null, ...kwargs });
    },
    chat_template: template,
    pad_token_id: own.token_to_id('<|endoftext|>'),
    ...(version === 4
      ? { get_vocab: () => own.get_vocab(true), eos_token_id: own.token_to_id('<|im_end|>') }
      : { model: { vocab: tokens }, getToken: (key: string) => golden.tokens[key] }),
    ...changes,
  });
}

const files = { tokenizer: QWEN, config: golden.tokens, chatTemplate: template, eosTokenIds: [], source: 'model' };
const expected = pretrainedCodec(files, { vocabSize: EMBEDDING, chatTemplateKwargs: { enable_thinking: false } });

describe.each([2, 4] as const)('a tokenizer object of version %d', (version) => {
  const codec = codecOf(objectOf(version), {
    vocabSize: EMBEDDING,
    files: FILES,
    chatTemplateKwargs: { enable_thinking: false },
    eosTokenIds: [0],
  });

  it('writes and reads texts as the files do', () => {
    for (const text of golden.texts.map((each) => Buffer.from(each, 'base64').toString('utf8'))) {
      expect([...codec.encode(text)], JSON.stringify(text)).toEqual([...expected.encode(text)]);
    }
    for (const [ids, text] of decoded) expect(codec.decode(ids)).toBe(text);
    expect(codec.decode([])).toBe('');
  });

  it('shows special tokens, and ids without a token as U+FFFD', () => {
    const [a] = codec.encode('a');
    expect(codec.decode([a, 2, 425, a])).toBe('a<|im_end|>\uFFFDa');
    expect(codec.tokenText(431)).toBe('\uFFFD');
  });

  it('asks through its chat template, and ends an answer by each of its ends', () => {
    const messages: Message[] = [{ role: 'user', content: '2 + 3 = ?' }];
    expect(codec.render(messages)).toBe(expected.render(messages));
    expect(codec.stopIds).toEqual([0, 2]);
    expect(codec.eosTokenId).toBe(2);
    expect(codec.padTokenId).toBe(0);
  });
});

it('a tokenizer object without a template refuses what it cannot write', () => {
  const codec = codecOf(objectOf(4, { chat_template: null }), { vocabSize: EMBEDDING, files: FILES });
  const call = { role: 'assistant', content: '', fields: { tool_calls: [] } } as const;
  expect(() => codec.render([call])).toThrow('a message has tool_calls, and without a chat template only its text');
});

it('a tokenizer object without a template joins the messages', () => {
  const codec = codecOf(objectOf(4, { chat_template: null }), { vocabSize: EMBEDDING, files: FILES });
  expect(
    codec.render([
      { role: 'system', content: 'Sort.' },
      { role: 'user', content: '3 1 2' },
    ]),
  ).toBe('Sort.\n3 1 2');
});

it('the files of a tokenizer object are those that it is given with', () => {
  expect(codecOf(objectOf(4), { vocabSize: EMBEDDING, files: FILES })).toMatchObject({ files: FILES });
  expect(codecOf(objectOf(4), { vocabSize: EMBEDDING, files: FILES }).toJSON()).toEqual(QWEN);
  expect(() => codecOf(objectOf(4), { vocabSize: EMBEDDING, files: new Map() })).toThrow(
    /files has no tokenizer\.json/,
  );
});

describe('an object that is no tokenizer', () => {
  const opening =
    (changes: Json, vocabSize = EMBEDDING) =>
    () =>
      codecOf(objectOf(4, changes), { vocabSize, files: FILES });

  it.each(
    /* biome-ignore format: a table */ [
      ['has no decode()', opening({ decode: undefined }), /the object is not called with a text, or has no decode\(\)/],
      ['is not called', () => codecOf({} as TokenizerObject, { vocabSize: 9, files: FILES }),
        /give a tokenizer of @huggingface/],
      ['has no vocabulary', opening({ get_vocab: undefined }), /says nothing of its vocabulary/],
      ['is larger than the embedding', opening({}, 400), /largest id is 419, and the embedding has 400 rows/],
      ['has no end', opening({ eos_token_id: undefined }), /no token ends an answer/],
      ['has a template that throws',
        () =>
          codecOf(
            objectOf(4, {
              apply_chat_template: () => {
                throw new Error('no system');
              },
            }),
            { vocabSize: EMBEDDING, files: FILES },
          ).render([]), /the chat template failed: no system/],
    ],
  )('%s: is refused', (_, open, message) => {
    expect(open).toThrow(DataError);
    expect(open).toThrow(message);
  });
});
