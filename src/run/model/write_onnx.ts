/** A pretrained model with its adapter merged, as a folder that `pipeline('text-generation', folder)` of transformers.js opens. */
import { decoderGraph, type GraphWeight } from '../../model/onnx/decoder_graph.ts';
import type { ExternalPlace, GraphTensor } from '../../model/onnx/graph.ts';
import { openOnnx } from '../../model/onnx/onnx_file.ts';
import type { Part } from '../../model/onnx/protobuf.ts';
import { GGUF_ENCODERS } from '../../model/pretrained/gguf_encoders.ts';
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues, type PretrainedTensor } from '../../model/pretrained/source.ts';
import type { Store } from '../store/store.ts';
import { compareWeights, differs, type Exported } from './compare_weights.ts';
import { folderOf, openCodec } from './open_pretrained.ts';
import type { Pretrained } from './pretrained.ts';
import { contextOf, writeBeside } from './write_beside.ts';

/** Types of its matrices, by their names on the command line: what transformers.js calls each, and its file. */
export const ONNX_DTYPES = {
  f32: { library: 'fp32', file: 'model.onnx' },
  f16: { library: 'fp16', file: 'model_fp16.onnx' },
} as const;

export type OnnxDtype = keyof typeof ONNX_DTYPES;

/** Bytes of tensors in one file: what a message of Protocol Buffers and a buffer of a browser hold is 2 GiB. */
export const MOST_BYTES = 1.9 * 1024 ** 3;

/** As the file says who wrote it. */
const PRODUCER = 'rlvr-train';

/** Where external data may begin. */
const ALIGNMENT = 64;

/**
 * Writes the graph, a tensor at a time, config and tokenizer, opens the folder again, and compares every weight. Not atomic.
 *
 * Vectors stay in float32. Matrices of more than `mostBytes` lie in files beside the graph.
 *
 * @param folder  of the store; nothing is in it yet
 * @throws CheckpointError where it was not written as it is
 */
export async function writeOnnx(
  store: Store,
  folder: string,
  pretrained: Pretrained,
  dtype: OnnxDtype,
  mostBytes = MOST_BYTES,
): Promise<Exported> {
  const { model, codec, name: shown } = pretrained;
  const { library, file } = ONNX_DTYPES[dtype];
  const tensors = [...model.tensors].filter(([name]) => !isDerived(name, model));
  const encoderOf = ({ shape }: PretrainedTensor): (typeof GGUF_ENCODERS)[OnnxDtype] =>
    GGUF_ENCODERS[shape.length > 1 ? dtype : 'f32'];
  const weights = new Map(
    tensors.map(([name, tensor]): [string, GraphWeight] => {
      const { shape } = tensor;
      const element = shape.length > 1 ? dtype : 'f32';
      const length = shape.reduce((product, size) => product * size, element === 'f32' ? 4 : 2);
      const read = async (): Promise<Uint8Array> => encoderOf(tensor).encode(await allValues(tensor));
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
  const written = tensors.map(([name, tensor]) => ({ name, encoder: encoderOf(tensor) }));
  const change = await compareWeights(shown, written, { own: model.tensors, opened });
  const again = await openCodec(folderOf(store, folder), pretrained);
  if (String(again.stopIds) !== String(codec.stopIds)) {
    throw differs(shown, `an answer ends with ${again.stopIds}, where the model has ${codec.stopIds}`);
  }
  return { change, opened: { ...pretrained, codec: again, model: { ...model, tensors: opened } }, graph: path };
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
