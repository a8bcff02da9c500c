/** A pretrained model with its adapter merged, as one GGUF file: what llama.cpp opens, and Ollama with it. */
import { CheckpointError } from '../../../../src/errors.ts';
import { rotaryFrequencies } from '../../../../src/model/rotary.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import { architecture } from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { allButEvery, GEMMA_EVERY, GEMMA_LOCAL_THETA } from '../../model/pretrained/gemma.ts';
import { GGUF_TYPES } from '../../model/pretrained/gguf_blocks.ts';
import { GGUF_ENCODERS, type GgufDtype, type GgufEncoder } from '../../model/pretrained/gguf_encoders.ts';
import { type DescribedTensor, type GgufEntry, ggufHead, padding } from '../../model/pretrained/gguf_head.ts';
import {
  GEMMA,
  ggufName,
  isPermuted,
  offsetInGguf,
  ROPE_FACTORS,
  rowOfHuggingFace,
} from '../../model/pretrained/gguf_names.ts';
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues, type ModelFiles, offsetBy, type PretrainedTensor } from '../../model/pretrained/source.ts';
import { ggufStopIds, ggufVocabulary } from '../../text/gguf_vocabulary.ts';
import { requireSameText } from './compare_codec.ts';
import { compareWeights, type Exported } from './compare_weights.ts';
import { textsToRead } from './export_texts.ts';
import { openPretrained } from './open_pretrained.ts';
import type { Pretrained } from './pretrained.ts';
import { contextOf } from './write_beside.ts';

/** A tensor of the file, and what it is made of. */
interface WrittenTensor extends DescribedTensor {
  readonly encoder: GgufEncoder;
  /** Its name in Hugging Face's layout. */
  readonly source: string;
  /** In the file's order. */
  values(): Promise<Float32Array>;
}

/** The file, opened again. */
export interface WrittenGguf extends Exported {
  readonly bytes: number;
}

/**
 * Writes the file, opens it again, and compares every weight and how texts are read. Not atomic.
 *
 * @param file  of the store; nothing is there yet
 * @throws CheckpointError, DataError where the model has no form in GGUF, or was not written as it is
 */
export async function writeGguf(
  store: Store & ModelFiles,
  file: string,
  pretrained: Pretrained,
  dtype: GgufDtype,
): Promise<WrittenGguf> {
  const { model, codec, name } = pretrained;
  const type = ggufArchitecture(model.shape, name);
  const tensors = tensorsOf(pretrained, type, GGUF_ENCODERS[dtype]);
  const metadata = new Map<string, GgufEntry>([
    ...modelMetadata(model.shape, type, await contextOf(pretrained)),
    ['general.name', name],
    ['general.file_type', GGUF_ENCODERS[dtype].fileType],
    ['general.quantization_version', 2],
    ...ggufVocabulary(codec, name),
  ]);
  await store.append(file, ggufHead(metadata, tensors));
  for (const { encoder, values } of tensors) {
    const bytes = encoder.encode(await values());
    await store.append(file, bytes);
    await store.append(file, padding(bytes.length));
  }
  await store.sync(file);
  return compare(store, file, pretrained, tensors);
}

function modelMetadata(shape: ModelShape, type: string, context: number): [string, GgufEntry][] {
  const scaling = shape.ropeScaling;
  const own: [string, GgufEntry][] = [
    ['context_length', context],
    ['embedding_length', shape.hiddenSize],
    ['block_count', shape.numLayers],
    ['feed_forward_length', shape.intermediateSize],
    ['attention.head_count', shape.numHeads],
    ['attention.head_count_kv', shape.numKvHeads],
    ['attention.key_length', shape.headDim],
    ['attention.value_length', shape.headDim],
    ['attention.layer_norm_rms_epsilon', { float32: shape.rmsNormEps }],
    ['rope.dimension_count', shape.headDim],
    ['rope.freq_base', { float32: shape.ropeTheta }],
    ['vocab_size', shape.vocabSize],
    ...(type === GEMMA
      ? ([
          ['attention.sliding_window', shape.family?.window?.size ?? context],
          ['rope.freq_base_swa', { float32: shape.family?.otherRope?.theta ?? GEMMA_LOCAL_THETA }],
        ] satisfies [string, GgufEntry][])
      : []),
    ...(scaling?.type === 'linear'
      ? ([
          ['rope.scaling.type', 'linear'],
          ['rope.scaling.factor', { float32: scaling.factor }],
        ] satisfies [string, GgufEntry][])
      : []),
  ];
  return [['general.architecture', type], ...own.map(([key, value]): [string, GgufEntry] => [`${type}.${key}`, value])];
}

/** Vectors stay in float32, as in every file of llama.cpp's, and so do rows that are no whole blocks. */
function tensorsOf({ model, name: shown }: Pretrained, type: string, encoder: GgufEncoder): WrittenTensor[] {
  const { shape } = model;
  const block = GGUF_TYPES.get(encoder.type)?.values ?? 1;
  const written = [...model.tensors]
    .filter(([name]) => !isDerived(name, model))
    .map(([source, tensor]): WrittenTensor => {
      const name = ggufName(type, source);
      if (name === undefined) throw noPlace(shown, source);
      const isWhole = tensor.shape.length > 1 && (tensor.shape[tensor.shape.length - 1] ?? 0) % block === 0;
      const own = isWhole ? encoder : GGUF_ENCODERS.f32;
      const headRows = isPermuted(type, name) ? shape.headDim : undefined;
      const moved = offsetBy(tensor, offsetInGguf(type, name));
      const values = (): Promise<Float32Array> => ggufValues(moved, headRows);
      return { name, shape: tensor.shape, type: own.type, encoder: own, source, values };
    });
  const factors = factorsOf(shape);
  if (factors === undefined) return written;
  if (type !== 'llama') throw noPlace(shown, `rope_scaling ${shape.ropeScaling?.type}`);
  const encoderOfFactors = GGUF_ENCODERS.f32;
  const described = { name: ROPE_FACTORS, shape: [factors.length], type: encoderOfFactors.type, source: ROPE_FACTORS };
  return [...written, { ...described, encoder: encoderOfFactors, values: async () => factors }];
}

/** What llama.cpp calls the family. @throws CheckpointError for one that is not written */
export function ggufArchitecture(shape: ModelShape, shown: string): string {
  const { type } = architecture(shape);
  const { family, numLayers } = shape;
  if (family === undefined) return type;
  if (!family.offsetNorms) throw noPlace(shown, `a model of ${type}`);
  // Files say neither which layers see all tokens nor how scores are scaled.
  const isAsThere =
    family.attentionScale === undefined || Math.abs(family.attentionScale * Math.sqrt(shape.headDim) - 1) < 1e-9;
  if (!isAsThere) throw noPlace(shown, 'query_pre_attn_scalar');
  if (family.otherRope?.layers.join() !== allButEvery(GEMMA_EVERY, numLayers).join())
    throw noPlace(shown, 'layer_types');
  return GEMMA;
}

function noPlace(name: string, what: string): CheckpointError {
  const rule = `${what} has no place in a GGUF file`;
  return new CheckpointError('no-gguf', `${name}: ${rule}; give the folder of the model to programs that open it.`);
}

/** What a frequency is divided by, where each has its own divisor. */
function factorsOf(shape: ModelShape): Float32Array | undefined {
  const type = shape.ropeScaling?.type;
  if (type === undefined || type === 'linear') return undefined;
  const { ropeScaling: _, ...plain } = shape;
  const scaled = rotaryFrequencies(shape);
  return Float32Array.from(rotaryFrequencies(plain), (frequency, i) => frequency / (scaled[i] as number));
}

/** All values of a tensor, in llama.cpp's order. @param headRows  rows of a head, where those of heads have another */
export async function ggufValues(tensor: PretrainedTensor, headRows: number | undefined): Promise<Float32Array> {
  const values = await allValues(tensor);
  if (headRows === undefined) return values;
  const columns = tensor.shape.length === 1 ? 1 : (tensor.shape[1] as number);
  const moved = new Float32Array(values.length);
  for (let row = 0; row < values.length / columns; row++) {
    const from = rowOfHuggingFace(row, headRows) * columns;
    moved.set(values.subarray(from, from + columns), row * columns);
  }
  return moved;
}

/** @throws CheckpointError `export-differs` */
async function compare(
  files: ModelFiles,
  file: string,
  pretrained: Pretrained,
  tensors: readonly WrittenTensor[],
): Promise<WrittenGguf> {
  const { model, codec, name } = pretrained;
  const opened = await openPretrained({ name, files, gguf: file });
  const written = tensors.map(({ source, encoder }) => ({ name: source, encoder }));
  const change = await compareWeights(name, written, { own: model.tensors, opened: opened.model.tensors });
  requireSameText(name, {
    own: codec,
    opened: opened.codec,
    texts: textsToRead(pretrained),
    stopIds: ggufStopIds(codec),
  });
  return { change, opened, bytes: (await files.size(file)) ?? 0 };
}
