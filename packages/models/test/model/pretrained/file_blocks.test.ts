/** Blocks that only GGUF files have: element for element what the Python package `gguf` makes of the same bytes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../../src/errors.ts';
import { FILE_BLOCKS, type FileBlocks } from '../../../../../src/kernels/file_blocks.ts';
import { frozenStorage } from '../../../model/pretrained/frozen_storage.ts';
import { GGUF_TYPES } from '../../../model/pretrained/gguf_blocks.ts';
import type { PretrainedModel } from '../../../model/pretrained/source.ts';

const { types } = JSON.parse(
  readFileSync(new URL('../../../../../test/golden/gguf_blocks.json', import.meta.url), 'utf8'),
) as {
  readonly types: Readonly<Record<string, { readonly bytes: string; readonly values: string }>>;
};

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(hex, 'hex'));

it('has a golden for each type', () => {
  expect(Object.keys(types).sort()).toEqual(
    Object.keys(FILE_BLOCKS)
      .map((name) => name.toUpperCase())
      .sort(),
  );
});

it.each(Object.entries<FileBlocks>(FILE_BLOCKS))('%s', (name, { values, bytes, decode }) => {
  const golden = types[name.toUpperCase()] as (typeof types)[string];
  const given = bytesOf(golden.bytes);
  const expected = new Float32Array(bytesOf(golden.values).buffer);
  expect(expected.length).toBe((given.length / bytes) * values);
  expect(decode(given)).toEqual(expected);
  expect([...GGUF_TYPES.values()].map((type) => type.name)).toContain(name.toUpperCase());
});

describe('a matrix of a file in such blocks', () => {
  const tensor = {
    shape: [4, 256],
    file: 'model.gguf',
    read: async () => undefined,
    stored: { storage: 'q4_k', read: async () => undefined },
  };
  const model = {
    shape: { tieWordEmbeddings: true },
    tensors: new Map([['model.layers.0.self_attn.o_proj.weight', tensor]]),
  } as unknown as PretrainedModel;
  const asked = { dtype: 'auto', loadIn8bit: false, loadIn4bit: false } as const;

  it('is kept as it is, or in 8 bits where that is asked for', () => {
    expect(Object.values(frozenStorage(asked, model))).toEqual(['q4_k']);
    expect(Object.values(frozenStorage({ ...asked, loadIn8bit: true }, model))).toEqual(['q8_0']);
  });

  it('is not rounded a second time to 4 bits', () => {
    expect(() => frozenStorage({ ...asked, loadIn4bit: true }, model)).toThrow(ConfigError);
    expect(() => frozenStorage({ ...asked, loadIn4bit: true }, model)).toThrow(
      /model\.gguf has model\.layers\.0\.self_attn\.o_proj\.weight in Q4_K already/,
    );
  });
});
