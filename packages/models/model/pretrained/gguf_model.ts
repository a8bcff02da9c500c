/** A model in a GGUF file: its metadata as a shape, its tensors under Hugging Face's names, rows in Hugging Face's order. */
import { CheckpointError } from '../../../../src/errors.ts';
import type { ModelShape, RopeScaling } from '../../../../src/model/shape.ts';
import { allButEvery, GEMMA_EVERY, GEMMA_LOCAL_THETA, gemmaShape } from './gemma.ts';
import { GGUF_TYPES, ggufTypeName } from './gguf_blocks.ts';
import { type GgufFile, type GgufTensor, type GgufValue, readGguf } from './gguf_file.ts';
import { GEMMA, huggingFaceName, isPermuted, offsetInGguf, ROPE_FACTORS, rowOfHuggingFace } from './gguf_names.ts';
import {
  type ModelFiles,
  offsetBy,
  PIECE_BYTES,
  type PretrainedModel,
  type PretrainedTensor,
  readAll,
  requireLayers,
  unsupported,
} from './source.ts';

const ARCHITECTURES = ['llama', 'qwen2', 'qwen3', GEMMA];

/** Keys of an architecture that are read here, or that say nothing of the arithmetic. Others are refused by name. */
const KNOWN_KEYS = new Set([
  'attention.head_count',
  'attention.head_count_kv',
  'attention.key_length',
  'attention.layer_norm_rms_epsilon',
  'attention.sliding_window',
  'attention.value_length',
  'block_count',
  'context_length',
  'embedding_length',
  'feed_forward_length',
  'rope.dimension_count',
  'rope.freq_base',
  'rope.freq_base_swa',
  'rope.scaling.factor',
  'rope.scaling.finetuned',
  'rope.scaling.original_context_length',
  'rope.scaling.type',
  'vocab_size',
]);

export interface GgufModel extends PretrainedModel {
  /** The tokenizer's keys are among them. */
  readonly metadata: ReadonlyMap<string, GgufValue>;
}

/** Reads the header alone. @throws CheckpointError where it is damaged, or of a model that is not computed here */
export async function openGguf(files: ModelFiles, file: string): Promise<GgufModel> {
  const gguf = await readGguf(files, file);
  const { metadata } = gguf;
  const architecture = metadata.get('general.architecture');
  if (typeof architecture !== 'string' || !ARCHITECTURES.includes(architecture)) {
    const rule = `this engine computes ${ARCHITECTURES.join(', ')}`;
    throw unsupported(`${file}: general.architecture ${JSON.stringify(architecture)}`, rule, { architecture });
  }
  for (const key of metadata.keys()) {
    if (!key.startsWith(`${architecture}.`) || KNOWN_KEYS.has(key.slice(architecture.length + 1))) continue;
    const value = metadata.get(key);
    if (value === 0 || value === false) continue; // what it would do is off
    throw unsupported(`${file}: ${key} ${JSON.stringify(value)}`, 'this engine does not compute what it says');
  }
  const get = (key: string): GgufValue | undefined => metadata.get(`${architecture}.${key}`);
  const read = reader(get, (key) => `${file}: ${architecture}.${key}`);
  const shape = await shapeOf(files, file, gguf, read, architecture);
  const tensors = new Map<string, PretrainedTensor>();
  for (const [name, tensor] of gguf.tensors) {
    if (name === ROPE_FACTORS) continue;
    const headRows = isPermuted(architecture, name) ? shape.headDim : undefined;
    const opened = tensorAt(files, file, gguf, name, tensor, headRows);
    tensors.set(huggingFaceName(architecture, name), offsetBy(opened, -offsetInGguf(architecture, name)));
  }
  const positions = read.whole('context_length');
  // Where layers have the window of their own, texts may be longer.
  const window = shape.family?.window ? positions : read.whole('attention.sliding_window', positions);
  const context = Math.min(window, positions);
  const contextKey = `${architecture}.${window < positions ? 'attention.sliding_window' : 'context_length'}`;
  return { shape, context, contextKey, tensors, metadata };
}

interface MetadataReader {
  whole(key: string, byDefault?: number): number;
  positive(key: string, byDefault?: number): number;
  text(key: string): string | undefined;
}

function reader(get: (key: string) => GgufValue | undefined, place: (key: string) => string): MetadataReader {
  const positive = (key: string, byDefault?: number): number => {
    const value = get(key) ?? byDefault;
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
    throw unsupported(
      `${place(key)} ${value === undefined ? 'is missing' : JSON.stringify(value)}`,
      'must be a number above 0',
    );
  };
  return {
    positive,
    whole: (key, byDefault) => {
      const value = positive(key, byDefault);
      if (Number.isInteger(value)) return value;
      throw unsupported(`${place(key)} ${value}`, 'must be a whole number');
    },
    text: (key) => {
      const value = get(key);
      if (value === undefined || typeof value === 'string') return value;
      throw unsupported(`${place(key)} ${JSON.stringify(value)}`, 'must be a text');
    },
  };
}

async function shapeOf(
  files: ModelFiles,
  file: string,
  gguf: GgufFile,
  read: MetadataReader,
  architecture: string,
): Promise<ModelShape> {
  const { tensors } = gguf;
  const embedding = tensors.get('token_embd.weight');
  if (embedding === undefined)
    throw unsupported(`${file}: tensor token_embd.weight is missing`, 'it is no language model');
  const hiddenSize = read.whole('embedding_length');
  const numHeads = read.whole('attention.head_count');
  const numKvHeads = read.whole('attention.head_count_kv', numHeads);
  const headDim = read.whole('attention.key_length', hiddenSize / numHeads);
  for (const key of ['attention.value_length', 'rope.dimension_count']) {
    const value = read.whole(key, headDim);
    if (value !== headDim)
      throw unsupported(`${file}: ${key} ${value}`, `a head has ${headDim} elements, all of which are used and turned`);
  }
  if (numHeads % numKvHeads !== 0 || headDim % 2 !== 0) {
    const rule = 'query heads must be a multiple of key heads, and a head even';
    throw unsupported(`${file}: ${numHeads} heads, ${numKvHeads} key heads of ${headDim} elements`, rule);
  }
  const scaling = await ropeScaling(files, file, gguf, headDim, read);
  const numLayers = requireLayers(read.whole('block_count'), `${file}: block_count`);
  return {
    vocabSize: embedding.shape[0],
    hiddenSize,
    intermediateSize: read.whole('feed_forward_length'),
    numLayers,
    numHeads,
    numKvHeads,
    headDim,
    ropeTheta: read.positive('rope.freq_base', 10_000),
    ...(scaling !== undefined && { ropeScaling: scaling }),
    rmsNormEps: read.positive('attention.layer_norm_rms_epsilon'),
    tieWordEmbeddings: !tensors.has('output.weight'),
    attentionBias: tensors.has('blk.0.attn_q.bias'),
    qkNorm: tensors.has('blk.0.attn_q_norm.weight'),
    ...(architecture === GEMMA && {
      family: gemmaShape(
        hiddenSize,
        allButEvery(GEMMA_EVERY, numLayers),
        read.whole('attention.sliding_window'),
        read.positive('rope.freq_base_swa', GEMMA_LOCAL_THETA),
      ),
    }),
  };
}

async function ropeScaling(
  files: ModelFiles,
  file: string,
  gguf: GgufFile,
  headDim: number,
  read: MetadataReader,
): Promise<RopeScaling | undefined> {
  const type = read.text('rope.scaling.type') ?? 'none';
  if (type !== 'none' && type !== 'linear') {
    throw unsupported(
      `${file}: rope.scaling.type ${JSON.stringify(type)}`,
      'positions are turned by none or linear here',
    );
  }
  const tensor = gguf.tensors.get(ROPE_FACTORS);
  if (tensor === undefined)
    return type === 'linear' ? { type, factor: read.positive('rope.scaling.factor') } : undefined;
  const factors: number[] = [];
  await tensorAt(files, file, gguf, ROPE_FACTORS, tensor).read((values) => factors.push(...values));
  const isSound = factors.length === headDim / 2 && factors.every((factor) => factor > 0 && Number.isFinite(factor));
  if (isSound && type === 'none') return { type: 'factors', factors };
  throw unsupported(
    `${file}: tensor ${ROPE_FACTORS}`,
    `must hold ${headDim / 2} factors above 0, and no other scaling beside it`,
  );
}

/**
 * A tensor of the file, to be read.
 *
 * @param headRows  rows of a head, where they are to be brought into Hugging Face's order
 * @throws CheckpointError where its type is not read here, or the file is too short for it
 */
export function tensorAt(
  files: ModelFiles,
  file: string,
  { bytes: fileBytes }: GgufFile,
  name: string,
  { shape, type: number, begin }: GgufTensor,
  headRows?: number,
): PretrainedTensor {
  const type = GGUF_TYPES.get(number);
  if (type === undefined) {
    const known = [...GGUF_TYPES.values()].map((each) => each.name).join(', ');
    const rule = `${known} are read; take a file of one of these, such as -Q8_0.gguf`;
    throw unsupported(`${file}: tensor ${name} is of type ${ggufTypeName(number)}`, rule, {
      type: ggufTypeName(number),
    });
  }
  // A vector is one row, unless its elements are the rows of heads.
  const columns = shape.length === 1 && headRows !== undefined ? 1 : (shape[shape.length - 1] ?? 1);
  const rows = shape.reduce((product, size) => product * size, 1) / columns;
  const rowBytes = (columns / type.values) * type.bytes;
  if (!Number.isInteger(rowBytes) || begin + rows * rowBytes > fileBytes) {
    const message = `${file}: tensor ${name} of shape [${shape.join(', ')}] in ${type.name} does not fit into the file of ${fileBytes} bytes. Copy or fetch it again.`;
    throw new CheckpointError('gguf-malformed', message, { file, name });
  }
  /** Bytes of whole rows; the first is the row of Hugging Face's tensor with that number. */
  const readRows = async (take: (bytes: Uint8Array<ArrayBuffer>, row: number) => void): Promise<void> => {
    const rowsOfPiece = Math.max(1, Math.floor(PIECE_BYTES / rowBytes));
    for (let first = 0; first < rows; first += rowsOfPiece) {
      const end = Math.min(rows, first + rowsOfPiece);
      const bytes = await readAll(files, file, begin + first * rowBytes, begin + end * rowBytes);
      if (headRows === undefined) take(bytes, first);
      else {
        for (let row = first, at = 0; row < end; row++, at += rowBytes) {
          take(bytes.subarray(at, at + rowBytes), rowOfHuggingFace(row, headRows));
        }
      }
    }
  };
  const { storage, decode } = type;
  return {
    shape,
    file,
    read: (take) => readRows((bytes, row) => take(decode(bytes), row * columns)),
    stored: { storage, read: (take) => readRows((bytes, row) => take({ storage, bytes }, row * columns)) },
  };
}
