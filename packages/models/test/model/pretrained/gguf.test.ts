/** GGUF files as llama.cpp lays them out: the very weights that transformers reads of them; damaged ones are refused. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CheckpointError } from '../../../../../src/errors.ts';
import { planPolicy } from '../../../../../src/model/memory/plan.ts';
import type { Parameter } from '../../../../../src/model/parameters.ts';
import { rotaryFrequencies } from '../../../../../src/model/rotary.ts';
import { SMALL_CAPACITY } from '../../../../../test/support/policies.ts';
import { refusalOf } from '../../../../../test/support/refusals.ts';
import { type GgufModel, openGguf } from '../../../model/pretrained/gguf_model.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { MemoryFiles } from '../../support/pretrained_files.ts';

const FOLDER = new URL('../../../../../test/golden/gguf/', import.meta.url);
const { sha256 } = JSON.parse(readFileSync(new URL('weights.json', FOLDER), 'utf8')) as {
  sha256: Record<string, Record<string, string>>;
};

function fixture(name: string): MemoryFiles {
  return new MemoryFiles(new Map([['model.gguf', new Uint8Array(readFileSync(new URL(`${name}.gguf`, FOLDER)))]]));
}

/** The weights as a policy takes them, hashed tensor by tensor. */
async function hashes(model: GgufModel): Promise<Record<string, string>> {
  const { parameters } = planPolicy(model.shape, SMALL_CAPACITY).slots.weights;
  const taken = new Map<string, Float32Array>();
  const writeParameter = ({ name, slot }: Parameter, values: ArrayLike<number>, at = 0): void => {
    const tensor =
      taken.get(name) ?? new Float32Array(slot.shape.reduce((count, size) => count * size, 1)).fill(Number.NaN);
    tensor.set(values, at);
    taken.set(name, tensor);
  };
  await loadPretrained(model, { parameters, writeParameter });
  const hashOf = (values: Float32Array): string =>
    createHash('sha256').update(new Uint8Array(values.buffer)).digest('hex');
  return Object.fromEntries([...taken].map(([name, values]) => [name, hashOf(values)]));
}

/** The fixture with some bytes of its header changed, of the same length. */
function changed(name: string, from: string, to: string): MemoryFiles {
  const files = fixture(name);
  const text = new TextDecoder('latin1').decode(files.files.get('model.gguf'));
  expect(text).toContain(from);
  const bytes = Uint8Array.from(text.replace(from, to), (character) => character.charCodeAt(0));
  files.files.set('model.gguf', bytes);
  return files;
}

const refusal = (files: MemoryFiles): Promise<CheckpointError> =>
  refusalOf(CheckpointError, openGguf(files, 'model.gguf').then(hashes));

it('has a fixture for each hash', () => {
  const files = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.gguf') ? [file.slice(0, -5)] : []));
  expect(files.sort()).toEqual(Object.keys(sha256).sort());
});

it.each(Object.keys(sha256))('%s holds the weights that transformers reads of it, bit for bit', async (name) => {
  const model = await openGguf(fixture(name), 'model.gguf');
  expect(await hashes(model)).toEqual(sha256[name]);
});

it.each(Object.keys(sha256))('%s has the shape of its metadata', async (name) => {
  const { shape, context } = await openGguf(fixture(name), 'model.gguf');
  const arch = name.split('_')[0];
  const isGemma = arch === 'gemma3';
  expect(context).toBe(64);
  expect(shape).toEqual({
    vocabSize: 13,
    hiddenSize: 32,
    intermediateSize: 64,
    numLayers: 1,
    numHeads: 4,
    numKvHeads: 2,
    headDim: 8,
    ropeTheta: 10_000,
    rmsNormEps: Math.fround(1e-5),
    tieWordEmbeddings: arch === 'qwen2' || isGemma,
    attentionBias: arch === 'qwen2',
    qkNorm: arch === 'qwen3' || isGemma,
    ...(isGemma && {
      family: {
        activation: 'gelu_tanh',
        embeddingScale: Math.fround(Math.sqrt(32)),
        offsetNorms: true,
        branchNorms: true,
        window: { size: 32, layers: [true] },
        otherRope: { layers: [true], theta: 10_000 },
      },
    }),
  });
});

it('divides each frequency by the factor that a file has for it', () => {
  const shape = { headDim: 4, ropeTheta: 100, ropeScaling: { type: 'factors', factors: [1, 8] } } as const;
  expect([...rotaryFrequencies(shape)]).toEqual([1, 0.1 / 8]);
});

describe('a GGUF file that is not one of ours', () => {
  it('is not GGUF', async () => {
    expect((await refusal(changed('llama_F16', 'GGUF', 'GGML'))).message).toMatch(
      /^model\.gguf: .*does not begin with "GGUF"/,
    );
  });

  it('is of another version', async () => {
    expect((await refusal(changed('llama_F16', 'GGUF\u0003', 'GGUF\u0001'))).message).toContain('version 1');
  });

  it('ends within its header, or within its data', async () => {
    for (const [bytes, reason] of [
      [500, 'ends within its header'],
      [15_000, 'does not fit into the file'],
    ] as const) {
      const files = fixture('llama_F16');
      files.files.set('model.gguf', (files.files.get('model.gguf') as Uint8Array<ArrayBuffer>).slice(0, bytes));
      expect((await refusal(files)).message).toContain(reason);
    }
  });

  it('is of another architecture', async () => {
    const { message } = await refusal(changed('qwen3_Q8_0', 'qwen3', 'gemma'));
    expect(message).toMatch(/^model\.gguf: general\.architecture "gemma" — this engine computes llama, qwen2, qwen3/);
  });

  it('says something of the arithmetic that is not computed', async () => {
    const { message } = await refusal(changed('llama_F16', 'llama.feed_forward_length', 'llama.feed_forward_scales'));
    expect(message).toContain('llama.feed_forward_scales 64');
  });

  it('has elements of another type, named', async () => {
    const files = fixture('llama_Q8_0');
    const bytes = files.files.get('model.gguf') as Uint8Array<ArrayBuffer>;
    const at = new TextDecoder('latin1').decode(bytes).indexOf('token_embd.weight') + 'token_embd.weight'.length;
    bytes[at + 4 + 16] = 10; // behind the count of dimensions and two of them
    expect((await refusal(files)).message).toContain(
      'tensor token_embd.weight is of type Q2_K — F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K are read',
    );
  });

  it('is not there', async () => {
    expect((await refusal(new MemoryFiles(new Map()))).message).toBe('model.gguf: no such file.');
  });
});
