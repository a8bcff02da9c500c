/**
 * A pretrained model as its files have it: the shape, and its tensors under Hugging Face's names, each read in pieces
 * when it is asked for. `load_weights.ts` writes them into a policy.
 */
import { CheckpointError } from '../../../../src/errors.ts';
import type { Storage, StoredValues } from '../../../../src/kernels/storage.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import type { ReadableFiles } from '../../../../src/run/store/store.ts';

/** The files that a model is read from; a run's `Store` is one. */
export type ModelFiles = ReadableFiles;

/** Takes values of a tensor, row-major; the first one is element `at`. */
export type TakeValues = (values: Float32Array, at: number) => void;

export interface PretrainedTensor {
  readonly shape: readonly number[];
  /** The file it lies in, for messages. */
  readonly file: string;
  /** All its values, widened to float32, a few megabytes at a time. */
  read(take: TakeValues): Promise<void>;
  /** The same elements as the file has them, where an engine may keep them so. */
  readonly stored?: StoredTensor | undefined;
}

export interface StoredTensor {
  readonly storage: Storage;
  /** Whole blocks, a few megabytes at a time; the first element is number `at`. */
  read(take: (elements: StoredValues, at: number) => void): Promise<void>;
}

export interface PretrainedModel {
  readonly shape: ModelShape;
  /** Longest sequence that it computes as it was trained to, in tokens: its positions, or its sliding window. */
  readonly context: number;
  /** The key of its config that `context` comes from. */
  readonly contextKey: string;
  readonly tensors: ReadonlyMap<string, PretrainedTensor>;
}

/** A whole tensor. */
export async function allValues({ shape, read }: PretrainedTensor): Promise<Float32Array<ArrayBuffer>> {
  const all = new Float32Array(shape.reduce((count, size) => count * size, 1));
  await read((values, at) => all.set(values, at));
  return all;
}

/** A tensor with a number added to each of its values. */
export function offsetBy(tensor: PretrainedTensor, offset: number): PretrainedTensor {
  if (offset === 0) return tensor;
  const { shape, file, read } = tensor;
  const moved = (values: Float32Array): Float32Array => values.map((value) => value + offset);
  return { shape, file, read: (take) => read((values, at) => take(moved(values), at)) };
}

/** Most bytes of a file that are in memory at once. */
export const PIECE_BYTES = 4 * 1024 ** 2;

/** Bytes [begin, end) of a file, all of them. @throws CheckpointError where it became shorter */
export async function readAll(
  files: ModelFiles,
  file: string,
  begin: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await files.readRange(file, begin, end);
  if (bytes?.length === end - begin) return bytes;
  throw new CheckpointError('file-changed', `${file}: became shorter while it was read. Try again.`, { file });
}

/** Layers of a model; the largest of today have some 130. */
const MOST_LAYERS = 1000;

/** @param place  where the number is @returns it @throws CheckpointError where nothing could hold that many */
export function requireLayers(layers: number, place: string): number {
  if (layers <= MOST_LAYERS) return layers;
  throw unsupported(`${place} ${layers}`, `more than ${MOST_LAYERS} layers; is the file damaged?`);
}

/** A model that is well formed and not one of those that this engine computes. */
export function unsupported(
  place: string,
  rule: string,
  facts: Readonly<Record<string, unknown>> = {},
): CheckpointError {
  return new CheckpointError('model-unsupported', `${place} — ${rule}.`, { place, ...facts });
}
