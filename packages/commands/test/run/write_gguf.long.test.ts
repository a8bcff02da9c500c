/** Models as GGUF files: the bytes of llama.cpp's own converter, what is said of the model, and what is refused. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CheckpointError, DataError } from '../../../../src/errors.ts';
import { rotaryFrequencies } from '../../../../src/model/rotary.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { byteTokenizer } from '../../../../src/text/byte_tokenizer.ts';
import { type Codec, closedCodec } from '../../../../src/text/codec.ts';
import { withWords } from '../../../../src/text/control_words.ts';
import { characterTokenizer, wordTokenizer } from '../../../../src/text/vocabulary_tokenizer.ts';
import { eachInOwnFolder } from '../../../../test/support/folders.ts';
import { refusalOf } from '../../../../test/support/refusals.ts';
import { GGUF_TYPES } from '../../../models/model/pretrained/gguf_blocks.ts';
import { GGUF_ENCODERS, type GgufDtype } from '../../../models/model/pretrained/gguf_encoders.ts';
import { readGguf } from '../../../models/model/pretrained/gguf_file.ts';
import { openGguf } from '../../../models/model/pretrained/gguf_model.ts';
import { folderOf, openPretrained } from '../../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../../models/run/model/pretrained.ts';
import { writeGguf } from '../../../models/run/model/write_gguf.ts';
import { writeMergedModel } from '../../../models/run/model/write_merged.ts';
import { MemoryFiles } from '../../../models/test/support/pretrained_files.ts';
import { openSmallPretrained, smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { ggufTokenizer } from '../../../models/text/gguf_tokenizer.ts';
import { ggufVocabulary } from '../../../models/text/gguf_vocabulary.ts';
import { pretrainedCodec } from '../../../models/text/pretrained_codec.ts';
import { EXPORT } from '../../commands/export.ts';

const GOLDEN = new URL('../../../../test/golden/gguf/', import.meta.url);

async function golden(name: string) {
  const bytes = new Uint8Array(readFileSync(new URL(`${name}.gguf`, GOLDEN)));
  return { bytes, file: await readGguf(new MemoryFiles(new Map([['m.gguf', bytes]])), 'm.gguf') };
}

describe('weights', () => {
  it.each([['f16'], ['bf16'], ['q8_0']] as const)(
    'in %s have the bytes that the package gguf writes',
    async (dtype) => {
      const [wide, narrow] = [await golden('llama_F32'), await golden(`llama_${dtype.toUpperCase()}`)];
      const { type: number, encode } = GGUF_ENCODERS[dtype];
      const [f32, type] = [GGUF_TYPES.get(0), GGUF_TYPES.get(number)];
      let compared = 0;
      for (const [name, { shape, begin }] of wide.file.tensors) {
        const own = narrow.file.tensors.get(name);
        if (own?.type !== number || f32 === undefined || type === undefined) continue;
        const count = shape.reduce((product, size) => product * size, 1);
        const values = f32.decode(wide.bytes.slice(begin, begin + 4 * count));
        const length = (count / type.values) * type.bytes;
        expect(encode(values), name).toEqual(narrow.bytes.slice(own.begin, own.begin + length));
        compared++;
      }
      expect(compared).toBe(9);
    },
  );

  it('round off no more than is said, at each size that a float has', () => {
    for (const [dtype, { type: number, encode, roundOff }] of Object.entries(GGUF_ENCODERS)) {
      const type = GGUF_TYPES.get(number);
      for (let exponent = -30; exponent <= 15; exponent++) {
        const values = Float32Array.from(
          { length: 32 },
          (_, i) => (i % 2 === 0 ? 1 : -1) * (1 + i / 31) * 2 ** (exponent - 1),
        );
        const read = type?.decode(encode(values)) ?? [];
        const most = roundOff(2 ** exponent);
        values.forEach((value, i) => {
          expect(Math.abs((read[i] as number) - value), `${dtype} ${value}`).toBeLessThanOrEqual(most);
        });
      }
    }
  });
});

describe('a model', () => {
  const write = async (pretrained: Pretrained, dtype: GgufDtype = 'f32') => {
    const store = memoryStore();
    const { change, bytes } = await writeGguf(store, 'm.gguf', pretrained, dtype);
    return { store, check: { ...change, bytes } };
  };

  it('has its shape, the turns of its positions, its template and what ends an answer', async () => {
    const pretrained = await openSmallPretrained();
    const { store, check } = await write(pretrained);
    expect(check).toMatchObject({ difference: 0, bytes: await store.size('m.gguf') });
    const { shape, context, metadata } = await openGguf(store, 'm.gguf');
    const { ropeScaling, ...plain } = shape;
    const { ropeScaling: own, ...ownPlain } = pretrained.model.shape;
    expect(plain).toEqual({ ...ownPlain, rmsNormEps: Math.fround(ownPlain.rmsNormEps) });
    expect(context).toBe(512);
    expect([ropeScaling?.type, own?.type]).toEqual(['factors', 'llama3']);
    const frequencies = rotaryFrequencies(pretrained.model.shape);
    rotaryFrequencies(shape).forEach((frequency, i) => {
      expect(frequency / (frequencies[i] as number)).toBeCloseTo(1, 6);
    });
    const opened = await openPretrained({ name: 'm', files: store, gguf: 'm.gguf' });
    const messages = [{ role: 'user', content: '4 + 5 =' }] as const;
    expect(opened.codec.render(messages)).toBe(pretrained.codec.render(messages));
    expect(opened.codec.stopIds).toEqual(pretrained.codec.stopIds);
    expect(metadata.get('tokenizer.ggml.pre')).toBe('smollm');
    const { change, opened: folder } = await writeMergedModel(store, 'folder', opened);
    expect(change.difference).toBe(0);
    expect(folder.model.shape.ropeScaling).toEqual(ropeScaling);
  });

  it.each(Object.keys(GGUF_ENCODERS) as GgufDtype[])('in %s differs by what its type rounds off', async (dtype) => {
    const files = await smallPretrainedFiles({ sizes: { hiddenSize: 32, intermediateSize: 32 } }); // whole blocks
    const { check } = await write(await openPretrained({ name: 'base', files: folderOf(files, 'base') }), dtype);
    expect(check.difference > 0).toBe(dtype !== 'f32');
    expect(check.difference).toBeLessThan(dtype === 'q4_0' ? 0.15 : 0.01);
  });

  it.each(['q_proj', 'down_proj'])('that was written as another is seen, with the tensor: %s', async (part) => {
    const pretrained = await openSmallPretrained();
    const name = `model.layers.0.${part.startsWith('q') ? 'self_attn' : 'mlp'}.${part}.weight`;
    const tensor = pretrained.model.tensors.get(name);
    if (tensor === undefined) throw new Error(`no ${name}`);
    let reads = 0;
    const changing = { ...tensor, read: tensor.read };
    changing.read = (take) => tensor.read((values, at) => take(reads++ === 0 ? values.toReversed() : values, at));
    const tensors = new Map([...pretrained.model.tensors, [name, changing]]);
    const refusal = await refusalOf(CheckpointError, write({ ...pretrained, model: { ...pretrained.model, tensors } }));
    expect(refusal.message).toMatch(
      new RegExp(`another model: tensor ${name} has .* at element \\d+, where the model has`),
    );
  });

  it('with a weight that its type does not hold is refused', async () => {
    const pretrained = await openSmallPretrained();
    const [[name, tensor] = []] = [...pretrained.model.tensors];
    if (name === undefined || tensor === undefined) throw new Error('no tensor');
    const large = { ...tensor, read: tensor.read };
    large.read = (take) =>
      tensor.read((values, at) =>
        take(
          values.map(() => 70_000),
          at,
        ),
      );
    const tensors = new Map([...pretrained.model.tensors, [name, large]]);
    const changed = { ...pretrained, model: { ...pretrained.model, tensors } };
    const { message } = await refusalOf(CheckpointError, write(changed, 'f16'));
    expect(message).toContain(`tensor ${name}: 70000 is beyond what that type holds; use --dtype bf16 or f32`);
    await expect(write(changed, 'bf16')).resolves.toBeDefined();
  });
});

describe('a vocabulary', () => {
  const metadataOf = (codec: Codec): Map<string, unknown> =>
    new Map(
      [...ggufVocabulary(codec, 'own')].map(([key, value]) => [key, value instanceof Int32Array ? [...value] : value]),
    );
  const readBack = (codec: Codec): Codec =>
    pretrainedCodec(ggufTokenizer(metadataOf(codec), 'own'), { vocabSize: codec.vocabSize });

  it.each([
    ['characters', closedCodec(characterTokenizer({ name: 'c', tokens: [...'0123456789+-= >é東'] })), '12 + 3 =é 東>'],
    ['bytes', closedCodec(byteTokenizer), 'naïve 東京, 12\n'],
  ])('of %s has its tokens, and what ends an answer', (_, codec, text) => {
    const read = readBack(codec);
    expect([...read.encode(text)]).toEqual([...codec.encode(text)]);
    expect(read.decode(codec.encode(text))).toBe(text);
    expect([read.eosTokenId, read.padTokenId, read.vocabSize]).toEqual([1, 0, codec.vocabSize]);
  });

  it('of words is one of Unigram in which each token begins with a blank, and is read back as it was', () => {
    const vocabulary = { name: 'w', furtherSpecials: ['<bos>'], tokens: ['up', 'Down', '<=', '1', '12'] };
    const codec = withWords(closedCodec(wordTokenizer(vocabulary)), { '<verify>': 'Is it?' });
    const metadata = metadataOf(codec);
    expect(metadata.get('tokenizer.ggml.tokens')).toEqual([
      '<pad>',
      '<eos>',
      '<bos>',
      '▁up',
      '▁Down',
      '▁<=',
      '▁1',
      '▁12',
      '<verify>',
    ]);
    expect(metadata.get('tokenizer.ggml.token_type')).toEqual([3, 3, 3, 1, 1, 1, 1, 1, 3]);
    expect(metadata.get('tokenizer.ggml.model')).toBe('t5');
    const files = ggufTokenizer(metadata, 'own');
    expect(files.tokenizer).toEqual(codec.toJSON());
    expect(files.config).toEqual(codec.configJSON());
    expect(files.eosTokenIds).toEqual([1]);
  });

  it.each<[string, readonly string[]]>([
    ['that has a word without a blank', ['<pad>', '<eos>', '▁up', 'down']],
    ['that has two words in a token', ['<pad>', '<eos>', '▁up▁down']],
    ['with other control tokens', ['<pad>', '</s>', '▁up']],
  ])('of Unigram %s is not read', (_, tokens) => {
    const types = tokens.map((token) => (token.startsWith('<') ? 3 : 1));
    const metadata = new Map<string, unknown>(
      Object.entries({ model: 't5', tokens, token_type: types }).map(([key, value]) => [
        `tokenizer.ggml.${key}`,
        value,
      ]),
    );
    expect(() => ggufTokenizer(metadata, 'm.gguf')).toThrow(
      'm.gguf: tokenizer.ggml.model "t5" — gpt2 (byte-level BPE) and llama',
    );
  });

  it('with a way to split that has no name is refused', async () => {
    const { codec } = await openSmallPretrained();
    const changed = { ...codec.toJSON(), pre_tokenizer: { type: 'Whitespace' } };
    const odd = { ...codec, toJSON: () => changed };
    expect(() => ggufVocabulary(odd, 'own')).toThrow(DataError);
    expect(() => ggufVocabulary(odd, 'own')).toThrow('it splits a text otherwise than gpt-2, smollm');
  });
});

describe('the command', () => {
  eachInOwnFolder();
  beforeEach(() => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const type = async (output: string): Promise<void> => EXPORT.run?.(['base'], { output, dtype: 'f16', check: 0 }, []);

  it('leaves a whole file, or none', async () => {
    const store = await smallPretrainedFiles();

    mkdirSync('base');
    for (const name of await store.list('base'))
      writeFileSync(`base/${name}`, (await store.read(`base/${name}`)) ?? '');
    await type('mine.gguf');
    expect(readdirSync('.').sort()).toEqual(['base', 'mine.gguf', 'mine.gguf.json']);
    await expect(type('mine.gguf')).rejects.toThrow(
      '--output mine.gguf — is there already; give the name of a new file.',
    );
    writeFileSync(
      'base/tokenizer.json',
      JSON.stringify({
        ...JSON.parse(readFileSync('base/tokenizer.json', 'utf8')),
        pre_tokenizer: { type: 'Whitespace' },
      }),
    );
    await expect(type('other.gguf')).rejects.toThrow('is not written as GGUF');
    expect(existsSync('other.gguf')).toBe(false);
    expect(readdirSync('.').sort()).toEqual(['base', 'mine.gguf', 'mine.gguf.json']);
  });
});
