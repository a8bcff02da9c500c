/**
 * The tensors of a model in Hugging Face's layout: model.safetensors, or shards that model.safetensors.index.json lists.
 * Headers are read first; of the data no more than a piece is held at a time.
 */
import { CheckpointError } from '../../../../src/errors.ts';
import type { Storage } from '../../../../src/kernels/storage.ts';
import {
  decodeElements,
  elementBytes,
  namingFile,
  readHeader,
  type TensorPlace,
} from '../../../../src/model/safetensors.ts';
import { INDEX, WHOLE } from '../../../../src/run/model/file_names.ts';
import {
  type ModelFiles,
  PIECE_BYTES,
  type PretrainedTensor,
  readAll,
  type StoredTensor,
  type TakeValues,
} from './source.ts';

/**
 * @param files  of the model's folder
 * @throws CheckpointError where a file is missing or damaged, or does not hold what the index says
 */
export async function safetensorsTensors(files: ModelFiles): Promise<ReadonlyMap<string, PretrainedTensor>> {
  if ((await files.size(WHOLE)) !== undefined) return tensorsOf(files, WHOLE);
  const index = await files.read(INDEX);
  if (index === undefined) {
    const message = `${WHOLE}: no such file, and no ${INDEX} either — a model has one of them. Copy or fetch it again.`;
    throw new CheckpointError('no-model', message);
  }
  return shardedTensors(files, weightMap(index));
}

async function shardedTensors(
  files: ModelFiles,
  shardOf: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, PretrainedTensor>> {
  const shards = new Map<string, ReadonlyMap<string, PretrainedTensor>>();
  for (const shard of new Set(shardOf.values())) shards.set(shard, await tensorsOf(files, shard));
  const tensors = new Map<string, PretrainedTensor>();
  for (const [name, shard] of shardOf) {
    const tensor = shards.get(shard)?.get(name);
    if (tensor === undefined) {
      const message = `${INDEX}: says that ${shard} has the tensor ${name}, which it has not. Copy or fetch both again.`;
      throw new CheckpointError('tensor-missing', message, { name, shard });
    }
    tensors.set(name, tensor);
  }
  for (const [shard, own] of shards) {
    const unlisted = [...own.keys()].find((name) => !shardOf.has(name));
    if (unlisted === undefined) continue;
    const message = `${shard}: has the tensor ${unlisted}, which ${INDEX} does not list. Copy or fetch both again.`;
    throw new CheckpointError('tensor-missing', message, { name: unlisted, shard });
  }
  return tensors;
}

/** Tensor name → file. @throws CheckpointError where the index is none */
export function weightMap(index: Uint8Array): ReadonlyMap<string, string> {
  let map: unknown;
  try {
    map = (JSON.parse(new TextDecoder().decode(index)) as { weight_map?: unknown } | null)?.weight_map;
  } catch {
    map = undefined; // said below, as for any other text
  }
  const entries = typeof map === 'object' && map !== null ? Object.entries(map) : [];
  const isSound = entries.every(([, file]) => typeof file === 'string' && /^[^/\\]+\.safetensors$/.test(file));
  if (entries.length > 0 && isSound) return new Map(entries as [string, string][]);
  const message = `${INDEX}: is not an index of shards (weight_map: tensor → file in the same folder). Copy or fetch it again.`;
  throw new CheckpointError('index-malformed', message);
}

async function tensorsOf(files: ModelFiles, file: string): Promise<ReadonlyMap<string, PretrainedTensor>> {
  return (await openSafetensors(files, file)).tensors;
}

/** The tensors of one file, by name, and its metadata. @throws CheckpointError where it is missing or damaged */
export async function openSafetensors(
  files: ModelFiles,
  file: string,
): Promise<{
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, PretrainedTensor>;
}> {
  const size = await files.size(file);
  if (size === undefined) {
    throw new CheckpointError('no-model', `${file}: no such file, though ${INDEX} names it. Copy or fetch it again.`);
  }
  const { metadata, places } = await namingFile(
    file,
    readHeader((begin, end) => readAll(files, file, begin, end), size),
  );
  return { metadata, tensors: new Map([...places].map(([name, place]) => [name, tensorAt(files, file, place)])) };
}

/** Element types that engines keep as they are. */
const STORED: Readonly<Partial<Record<TensorPlace['dtype'], Storage>>> = { F32: 'f32', F16: 'f16', BF16: 'bf16' };

function tensorAt(files: ModelFiles, file: string, place: TensorPlace): PretrainedTensor {
  const { dtype, shape, begin, end } = place;
  const readPieces = async (take: (piece: Uint8Array<ArrayBuffer>, at: number) => void): Promise<void> => {
    for (let at = begin; at < end; at += PIECE_BYTES) {
      const piece = await readAll(files, file, at, Math.min(at + PIECE_BYTES, end));
      take(piece, (at - begin) / elementBytes(dtype));
    }
  };
  const read = (take: TakeValues): Promise<void> =>
    readPieces((piece, at) => {
      const values = decodeElements(dtype, piece);
      take(values instanceof Float32Array ? values : Float32Array.from(values), at);
    });
  const storage = STORED[dtype];
  const stored = storage && {
    storage,
    read: (take: Parameters<StoredTensor['read']>[0]) => readPieces((bytes, at) => take({ storage, bytes }, at)),
  };
  return { shape, file, read, stored };
}
