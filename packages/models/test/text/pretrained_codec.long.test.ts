/** The text of pretrained models: ids as the Rust tokenizers have them, conversations as transformers writes them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../../src/errors.ts';
import type { Codec, Message } from '../../../../src/text/codec.ts';
import { compileChatTemplate } from '../../text/chat_template.ts';
import { ggufTokenizer } from '../../text/gguf_tokenizer.ts';
import { pretrainedCodec, type TokenizerFiles } from '../../text/pretrained_codec.ts';

type Json = Record<string, unknown>;

interface TokenizerCase {
  readonly tokenizer: Json & {
    readonly added_tokens: readonly { readonly id: number; readonly content: string }[];
    readonly model: { readonly vocab: Record<string, number>; readonly merges: readonly (readonly [string, string])[] };
  };
  readonly ids: readonly (readonly number[])[];
  readonly decoded: readonly (readonly [readonly number[], string])[];
}

interface TemplateCase {
  readonly template: string;
  readonly rendered: readonly { readonly messages: readonly Message[]; readonly kwargs: Json; readonly text: string }[];
}

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8')) as {
  readonly texts: readonly string[];
  readonly tokenizers: Readonly<Record<'smollm' | 'qwen2', TokenizerCase>>;
  readonly tokens: Json;
  readonly templates: Readonly<Record<string, TemplateCase>>;
  readonly without_bytes: {
    readonly without: string;
    readonly merge: readonly [string, string];
    readonly texts: readonly string[];
    readonly ids: readonly (readonly number[])[];
  };
};
const texts = golden.texts.map((text) => Buffer.from(text, 'base64').toString('utf8'));
const NAMES = ['smollm', 'qwen2'] as const;
const EMBEDDING = 512;

function filesOf(name: (typeof NAMES)[number], changes: Partial<TokenizerFiles> = {}): TokenizerFiles {
  return {
    tokenizer: golden.tokenizers[name].tokenizer,
    config: golden.tokens,
    chatTemplate: undefined,
    eosTokenIds: [],
    source: 'model',
    ...changes,
  };
}

/** What llama.cpp's converter writes of the same tokenizer. */
function metadataOf(name: (typeof NAMES)[number]): Map<string, unknown> {
  const { added_tokens: added, model } = golden.tokenizers[name].tokenizer;
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  const controls = new Set(added.map(({ id }) => id));
  return new Map<string, unknown>([
    ['tokenizer.ggml.model', 'gpt2'],
    ['tokenizer.ggml.pre', name],
    ['tokenizer.ggml.tokens', tokens],
    ['tokenizer.ggml.token_type', tokens.map((_, id) => (controls.has(id) ? 3 : 1))],
    ['tokenizer.ggml.merges', model.merges.map((pair) => pair.join(' '))],
    ['tokenizer.ggml.eos_token_id', 2],
    ['tokenizer.ggml.padding_token_id', 0],
  ]);
}

const sources: [string, (name: (typeof NAMES)[number]) => TokenizerFiles][] = [
  ['tokenizer.json', (name) => filesOf(name)],
  ['GGUF metadata', (name) => ggufTokenizer(metadataOf(name), 'model.gguf')],
];

describe.each(sources)('a tokenizer of %s', (_, files) => {
  const open = (name: (typeof NAMES)[number]): Codec => pretrainedCodec(files(name), { vocabSize: EMBEDDING });

  it.each(NAMES)('%s encodes every text as the Rust library does', (name) => {
    const codec = open(name);
    texts.forEach((text, i) => {
      expect([...codec.encode(text)], JSON.stringify(text)).toEqual(golden.tokenizers[name].ids[i]);
    });
  });

  it.each(NAMES)('%s decodes any ids as the Rust library does, broken UTF-8 included', (name) => {
    const codec = open(name);
    const { decoded } = golden.tokenizers[name];
    for (const [ids, text] of decoded) expect(codec.decode(ids), String(ids)).toBe(text);
    expect(decoded.some(([, text]) => text.includes('\uFFFD'))).toBe(true);
  });

  it('leaves out bytes without a token as the Rust library does: before it merges', () => {
    const { without, merge, texts: samples, ids } = golden.without_bytes;
    const { tokenizer } = files('smollm');
    const { model } = tokenizer as TokenizerCase['tokenizer'];
    const vocab = { ...Object.fromEntries(Object.entries(model.vocab).filter(([token]) => token !== without)) };
    const merges = [merge, ...model.merges.filter((pair) => !pair.includes(without))];
    const changed = { ...tokenizer, model: { ...model, vocab: { ...vocab, [merge.join('')]: 420 }, merges } };
    const codec = pretrainedCodec({ ...files('smollm'), tokenizer: changed }, { vocabSize: EMBEDDING });
    samples.forEach((text, i) => {
      expect([...codec.encode(text)], JSON.stringify(text)).toEqual(ids[i]);
    });
  });

  it('shows special tokens inside an answer', () => {
    const codec = open('smollm');
    const text = '4<|im_end|>5';
    expect(codec.encode(text)).toContain(2);
    expect(codec.decode(codec.encode(text))).toBe(text);
  });

  it('decodes ids that only the embedding has to U+FFFD', () => {
    const codec = open('smollm');
    expect(codec.vocabSize).toBe(EMBEDDING);
    const [a] = codec.encode('a');
    expect(codec.decode([a, 500, a, 511])).toBe('a\uFFFDa\uFFFD');
    expect(codec.tokenText(500)).toBe('\uFFFD');
  });
});

describe('what ends an answer', () => {
  it('is each id that the files name, the tokenizer’s own first among equals', () => {
    const codec = pretrainedCodec(filesOf('smollm', { eosTokenIds: [0, 2] }), { vocabSize: EMBEDDING });
    expect(codec.stopIds).toEqual([0, 2]);
    expect(codec.eosTokenId).toBe(2);
    expect(codec.padTokenId).toBe(0);
  });

  it('is the tokenizer’s own where they name none', () => {
    expect(pretrainedCodec(filesOf('smollm'), { vocabSize: EMBEDDING }).stopIds).toEqual([2]);
  });
});

describe('a chat template', () => {
  const cases = Object.entries(golden.templates).flatMap(([name, { template, rendered }]) =>
    rendered.map((each, i) => ({ name: `${name} ${JSON.stringify(each.kwargs)} ${i}`, template, ...each })),
  );

  it.each(cases)('renders as transformers does: $name', ({ template, messages, kwargs, text }) => {
    const options = { vocabSize: EMBEDDING, chatTemplateKwargs: kwargs };
    const codec = pretrainedCodec(filesOf('smollm', { chatTemplate: template }), options);
    expect(codec.render(messages)).toBe(text);
  });

  it('is not needed: messages are then joined', () => {
    const messages = [
      { role: 'system', content: 'Sort.' },
      { role: 'user', content: '3 1 2' },
    ] as const;
    const config = { ...golden.tokens, add_bos_token: true };
    const render = (changes: Partial<TokenizerFiles>): string =>
      pretrainedCodec(filesOf('smollm', changes), { vocabSize: EMBEDDING }).render(messages);
    expect(render({})).toBe('Sort.\n3 1 2');
    expect(render({ config })).toBe('<|begin_of_text|>Sort.\n3 1 2');
    // As in Llama 3's tokenizer.json: https://huggingface.co/docs/tokenizers/api/post-processors
    const name = '<|begin_of_text|>';
    const template = {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: name, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      special_tokens: { [name]: { id: name, ids: [0], tokens: [name] } },
    };
    const tokenizer = {
      ...filesOf('smollm').tokenizer,
      post_processor: { type: 'Sequence', processors: [{ type: 'ByteLevel' }, template] },
    };
    expect(render({ tokenizer })).toBe('<|begin_of_text|>Sort.\n3 1 2');
    expect(render({ tokenizer, config: { ...config, add_bos_token: false } })).toBe('<|begin_of_text|>Sort.\n3 1 2');
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['is no Jinja', '{% for message in %}', /model: the chat template is not readable: /],
      ['throws', "{{ raise_exception('System role not supported') }}",
        /the chat template failed: System role not supported/],
      ['asks for what is not there', '{{ messages[0].content.nothing() }}', /the chat template failed: /],
      ['does not end', '{% for a in range(9999) %}{% for b in range(9999) %}{{ a }}{% endfor %}{% endfor %}',
        /does not end/],
      ['counts without end', '{% for a in range(10000000000) %}x{% endfor %}', /range of 10000000000/],
    ],
  )('that %s is refused in its own words', (_, template, message) => {
    const render = (): string => compileChatTemplate(template, 'model').render([{ role: 'user', content: 'x' }], {});
    expect(render).toThrow(DataError);
    expect(render).toThrow(message);
  });
});

describe('a tokenizer that cannot be used', () => {
  const open = (changes: Partial<TokenizerFiles>, vocabSize = EMBEDDING) =>
    pretrainedCodec(filesOf('smollm', changes), { vocabSize });

  it.each(
    /* biome-ignore format: a table */ [
      ['is larger than the embedding', () => open({}, 400),
        /the tokenizer's largest id is 419, and the embedding has 400 rows/],
      ['has no end', () => open({ config: {} }), /no token ends an answer; give eos_token_id/],
      ['has an end that is no token', () => open({ eosTokenIds: [9999] }), /eos_token_id 9999/],
      ['is of another kind', () => open({ tokenizer: { ...filesOf('smollm').tokenizer, model: { type: 'Mystery' } } }),
        /this tokenizer is not read/],
      ['splits by scripts, which no language model does',
        () => open({ tokenizer: { ...filesOf('smollm').tokenizer, pre_tokenizer: { type: 'UnicodeScripts' } } }),
        /model: this tokenizer is not read \(the pre-tokenizer UnicodeScripts is not known; Sequence, /],
      ['is of another kind in GGUF',
        () => ggufTokenizer(new Map([...metadataOf('smollm'), ['tokenizer.ggml.model', 'rwkv']]), 'm.gguf'),
        /tokenizer\.ggml\.model "rwkv" — gpt2 \(byte-level BPE\) and llama \(SentencePiece\) are read/],
      ['splits in an unknown way in GGUF',
        () => ggufTokenizer(new Map([...metadataOf('smollm'), ['tokenizer.ggml.pre', 'odd']]), 'm.gguf'),
        /tokenizer\.ggml\.pre "odd"/],
    ],
  )('%s', (_, opening, message) => {
    expect(opening).toThrow(DataError);
    expect(opening).toThrow(message);
  });
});
