/** A pretrained model with its adapter merged, as a folder that `pipeline('text-generation', folder)` of transformers.js opens. */

import { CheckpointError } from '../../../../src/errors.ts';
import { architecture } from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { decoderGraph, type GraphWeight } from '../../model/onnx/decoder_graph.ts';
import { BLOCK, BLOCK_BYTES, fourBits } from '../../model/onnx/four_bits.ts';
import type { ExternalPlace, GraphTensor } from '../../model/onnx/graph.ts';
import { openOnnx } from '../../model/onnx/onnx_file.ts';
import type { LaterBytes, Part } from '../../model/onnx/protobuf.ts';
import { GGUF_ENCODERS, type GgufEncoder } from '../../model/pretrained/gguf_encoders.ts';
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues, type PretrainedTensor } from '../../model/pretrained/source.ts';
import { requireSameText } from './compare_codec.ts';
import { compareWeights, type Exported } from './compare_weights.ts';
import { textsToRead } from './export_texts.ts';
import { folderOf, openCodec } from './open_pretrained.ts';
import type { Pretrained } from './pretrained.ts';
import { contextOf, writeBeside } from './write_beside.ts';

/** Types of its matrices, by their names on the command line: what transformers.js calls each, and its file. */
export const ONNX_DTYPES = {
  f32: { library: 'fp32', file: 'model.onnx' },
  f16: { library: 'fp16', file: 'model_fp16.onnx' },
  q4f16: { library: 'q4f16', file: 'model_q4f16.onnx' },
} as const;

export type OnnxDtype = keyof typeof ONNX_DTYPES;

/** Bytes of tensors in one file: what a message of Protocol Buffers and a buffer of a browser hold is 2 GiB. */
export const MOST_BYTES = 1.9 * 1024 ** 3;

/** Read row by row, which no product in 4 bits does. */
const EMBEDDING = 'model.embed_tokens.weight';

/** As the file says who wrote it. */
const PRODUCER = 'rlvr-train';

/** Where external data may begin. */
const ALIGNMENT = 64;

/**
 * Writes the graph, a tensor at a time, config and tokenizer, opens the folder again, and compares every weight. Not atomic.
 *
 * Vectors stay in float32. In 4 bits are the matrices of the layers, and a head of its own, where their rows are whole blocks; the
 * embedding is in float16. Matrices of more than `mostBytes` lie in files beside the graph.
 *
 * @param folder  of the store; nothing is in it yet
 * @throws CheckpointError for a family that has no graph, and where it was not written as it is
 */
export async function writeOnnx(
  store: Store,
  folder: string,
  pretrained: Pretrained,
  dtype: OnnxDtype,
  mostBytes = MOST_BYTES,
): Promise<Exported> {
  const { model, codec, name: shown } = pretrained;
  if (model.shape.family !== undefined) {
    const rule = `a model of ${architecture(model.shape).type} has no graph here; use --to merged`;
    throw new CheckpointError('no-onnx', `${shown}: ${rule}.`);
  }
  const { library, file } = ONNX_DTYPES[dtype];
  const tensors = [...model.tensors].filter(([name]) => !isDerived(name, model));
  const elementOf = (name: string, { shape }: PretrainedTensor): 'f32' | 'f16' | 'q4' => {
    if (shape.length < 2) return 'f32';
    if (dtype !== 'q4f16') return dtype;
    return name === EMBEDDING || (shape[1] as number) % BLOCK !== 0 ? 'f16' : 'q4';
  };
  const encoderOf = (name: string, tensor: PretrainedTensor): GgufEncoder => {
    const element = elementOf(name, tensor);
    return GGUF_ENCODERS[element === 'q4' ? 'q4_0' : element];
  };
  const weights = new Map(
    tensors.map(([name, tensor]): [string, GraphWeight] => {
      const { shape } = tensor;
      const element = elementOf(name, tensor);
      const count = shape.reduce((product, size) => product * size, 1);
      if (element === 'q4') return [name, { shape, element, ...fourBitData(tensor, count) }];
      const length = count * (element === 'f32' ? 4 : 2);
      const read = async (): Promise<Uint8Array> => encoderOf(name, tensor).encode(await allValues(tensor));
      return [name, { shape, element, data: { length, read } }];
    }),
  );
  const graph = decoderGraph(model.shape, await contextOf(pretrained), weights);
  const { places, files } = placesOf(graph.tensors, file, mostBytes);
  const path = `${folder}/onnx/${file}`;
  await writeParts(store, path, graph.model(PRODUCER, ({ name }) => places.get(name)).parts);
  for (const tensor of graph.tensors) {
    const place = places.get(tensor.name);
    if (place !== undefined)
      await appendAt(store, `${folder}/onnx/${place.location}`, place.offset, await tensor.data.read());
  }
  const external = files === 0 ? {} : { use_external_data_format: { [file]: files } };
  const others = { 'transformers.js_config': { dtype: library, ...external } };
  await writeBeside(store, folder, pretrained, { dtype: 'float32', others });
  const opened = new Map([...(await openOnnx(store, path))].filter(([name]) => weights.has(name)));
  const written = tensors.map(([name, tensor]) => ({ name, encoder: encoderOf(name, tensor) }));
  const change = await compareWeights(shown, written, { own: model.tensors, opened });
  const again = await openCodec(folderOf(store, folder), pretrained);
  requireSameText(shown, { own: codec, opened: again, texts: textsToRead(pretrained) });
  return { change, opened: { ...pretrained, codec: again, model: { ...model, tensors: opened } }, graph: path };
}

/** Quanta and scales of a matrix, each made of its values as it is written. */
function fourBitData(
  tensor: PretrainedTensor,
  count: number,
): { readonly quanta: LaterBytes; readonly scales: LaterBytes } {
  const blocks = count / BLOCK;
  return {
    quanta: { length: blocks * BLOCK_BYTES, read: async () => fourBits(await allValues(tensor)).quanta },
    scales: {
      length: 4 * blocks,
      read: async () => new Uint8Array(fourBits(await allValues(tensor)).scales.buffer as ArrayBuffer),
    },
  };
}

/** Tensors beside the graph, in files of at most `mostBytes`; none where all of them fit into one. */
function placesOf(
  tensors: readonly GraphTensor[],
  file: string,
  mostBytes: number,
): { readonly places: ReadonlyMap<string, ExternalPlace>; readonly files: number } {
  const places = new Map<string, ExternalPlace>();
  if (tensors.reduce((sum, { data }) => sum + data.length, 0) <= mostBytes) return { places, files: 0 };
  let [files, offset] = [1, 0];
  for (const { name, shape, data } of tensors) {
    if (shape.length < 2) continue;
    if (offset > 0 && offset + data.length > mostBytes) [files, offset] = [files + 1, 0];
    places.set(name, { location: `${file}_data${files === 1 ? '' : `_${files - 1}`}`, offset });
    offset += Math.ceil(data.length / ALIGNMENT) * ALIGNMENT;
  }
  return { places, files };
}

/** Small parts, of which there are thousands, are gathered. */
async function writeParts(store: Store, path: string, parts: readonly Part[]): Promise<void> {
  let small: Uint8Array[] = [];
  const flush = async (): Promise<void> => {
    const bytes = new Uint8Array(small.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of small) {
      bytes.set(part, at);
      at += part.length;
    }
    small = [];
    await store.append(path, bytes);
  };
  for (const part of parts) {
    if (part instanceof Uint8Array) small.push(part);
    else {
      await flush();
      await store.append(path, await part.read());
    }
  }
  await flush();
  await store.sync(path);
}

async function appendAt(store: Store, file: string, offset: number, bytes: Uint8Array): Promise<void> {
  const gap = offset - ((await store.size(file)) ?? 0);
  if (gap > 0) await store.append(file, new Uint8Array(gap));
  await store.append(file, bytes);
  await store.sync(file);
}
