/** A small pretrained model with a byte-level tokenizer and a chat template, as files in memory. */
import { readFileSync } from 'node:fs';
import { STORAGE, type Storage } from '../../../../src/kernels/storage.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { type AdapterConfig, adapterScale } from '../../../../src/model/adapter_config.ts';
import { initialTensor } from '../../../../src/model/initialize.ts';
import { Policy } from '../../../../src/model/policy.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import { type AdapterBase, writeAdapter } from '../../../../src/run/model/adapter_export.ts';
import { writeModel } from '../../../../src/run/model/model_files.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { normals } from '../../../../test/support/data.ts';
import { SMALL_CAPACITY } from '../../../../test/support/policies.ts';
import { folderOf, openPretrained } from '../../run/model/open_pretrained.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

type Json = Record<string, unknown>;

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8')) as {
  readonly tokenizers: Readonly<Record<string, { readonly tokenizer: Json }>>;
  readonly tokens: Json;
  readonly templates: Readonly<Record<string, { readonly template: string }>>;
};

/** The vocabulary has 420 tokens; the embedding is padded. */
export const PADDED_VOCABULARY = 432;

const SHAPE: ModelShape = {
  vocabSize: PADDED_VOCABULARY,
  hiddenSize: 16,
  intermediateSize: 24,
  numLayers: 1,
  numHeads: 2,
  numKvHeads: 1,
  headDim: 8,
  ropeTheta: 10_000,
  ropeScaling: { type: 'llama3', factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalMaxPositionEmbeddings: 64 },
  rmsNormEps: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  qkNorm: false,
};

interface SmallFiles {
  readonly context?: number;
  readonly folder?: string;
  /** Other sizes than its own. */
  readonly sizes?: Partial<ModelShape>;
  /** Each tensor is written as what it is once it is kept so. */
  readonly rounded?: (name: string) => Storage;
}

/** Its folder: config.json, weights, tokenizer, template. */
export async function smallPretrainedFiles({
  context = 512,
  folder = 'base',
  sizes = {},
  rounded = () => 'f32',
}: SmallFiles = {}): Promise<Store> {
  const shape = { ...SHAPE, ...sizes };
  const { tokenizer } = golden.tokenizers.smollm;
  const config = { ...golden.tokens, chat_template: golden.templates.smollm2.template };
  const files = { tokenizer, config, chatTemplate: undefined, eosTokenIds: [2, 0], source: 'small' };
  const codec = pretrainedCodec(files, { vocabSize: PADDED_VOCABULARY });
  const policy = await Policy.open(await wasmBackend({ inline: true }), shape, { ...SMALL_CAPACITY, training: false });
  for (const parameter of policy.parameters) {
    const { encode, decode } = STORAGE[rounded(parameter.name)];
    policy.writeParameter(parameter, decode(encode(initialTensor(shape, parameter, 5, 0.2))));
  }
  const store = memoryStore();
  await writeModel(store, folder, policy, codec, context);
  await policy.close();
  return store;
}

export async function openSmallPretrained(context?: number): Promise<Pretrained> {
  const store = await smallPretrainedFiles({ context });
  return openPretrained({ name: './base', files: folderOf(store, 'base') });
}

export const SMALL_ADAPTER: AdapterConfig = {
  rank: 2,
  alpha: 4,
  useRslora: false,
  targets: ['q_proj', 'v_proj', 'down_proj'],
};

/** Writes an adapter of the small model, A and B random, into a folder of the store. */
export async function writeSmallAdapter(
  store: Store,
  folder: string,
  base: AdapterBase = { name: { name: 'base' }, sha256: '' },
): Promise<void> {
  const { rank, targets } = SMALL_ADAPTER;
  const adapter = { rank, targets, scale: adapterScale(SMALL_ADAPTER) };
  const policy = await Policy.open(await wasmBackend({ inline: true }), SHAPE, SMALL_CAPACITY, { adapter });
  for (const [i, parameter] of policy.adapterParameters.entries()) {
    policy.writeParameter(parameter, normals(parameter.slot.shape, i + 1, 0.3));
  }
  await writeAdapter(store, folder, policy, SMALL_ADAPTER, base);
  await policy.close();
}
