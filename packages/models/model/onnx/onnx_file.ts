/** The weights of an ONNX file, opened again: its tensors by name, in it or in files beside it. Nothing of the graph is read. */
import { CheckpointError } from '../../../../src/errors.ts';
import { STORAGE, type Storage } from '../../../../src/kernels/storage.ts';
import { allValues, type ModelFiles, PIECE_BYTES, type PretrainedTensor, readAll } from '../pretrained/source.ts';
import { BLOCK, ofFourBits, QUANTA, SCALES } from './four_bits.ts';
import { ELEMENT } from './graph.ts';
import { type Field, readFields } from './protobuf.ts';

/** Where the elements of a tensor lie. */
interface Place {
  readonly file: string;
  readonly begin: number;
  readonly bytes: number;
}

/**
 * Real tensors of an ONNX file.
 *
 * @param file  of `files`, which have those beside it too
 * @throws CheckpointError `onnx-malformed`
 */
export async function openOnnx(files: ModelFiles, file: string): Promise<ReadonlyMap<string, PretrainedTensor>> {
  const size = await files.size(file);
  if (size === undefined) throw new CheckpointError('no-model', `${file}: no such file.`);
  const read = bufferedReader(files, file);
  try {
    const tensors = new Map<string, PretrainedTensor>();
    const quanta = new Map<string, FoundTensor>();
    for (const graph of (await readFields(read, 0, size)).filter(({ field }) => field === 7)) {
      for (const { field, begin, end } of await readFields(read, graph.begin, graph.end)) {
        if (field !== 5) continue;
        const found = await tensorOf(file, read, await readFields(read, begin, end));
        if (found === undefined) continue;
        if (found.element === ELEMENT.u8) quanta.set(found.name.slice(0, -QUANTA.length), found);
        else tensors.set(found.name, realTensor(files, found));
      }
    }
    for (const [name, found] of quanta) {
      const scales = tensors.get(name + SCALES);
      if (scales === undefined) continue;
      tensors.delete(name + SCALES);
      tensors.set(name, fourBitTensor(files, found, scales));
    }
    return tensors;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CheckpointError('onnx-malformed', `${file}: is no ONNX model (${error.message}). Write it again.`);
  }
}

type Read = (begin: number, end: number) => Promise<Uint8Array>;

/** The heads of fields lie close together. */
function bufferedReader(files: ModelFiles, file: string): Read {
  const length = 65_536;
  let held = { begin: 0, bytes: new Uint8Array() };
  return async (begin, end) => {
    if (begin < held.begin || end > held.begin + held.bytes.length) {
      const bytes = (await files.readRange(file, begin, Math.max(end, begin + length))) ?? new Uint8Array();
      held = { begin, bytes };
    }
    return held.bytes.subarray(begin - held.begin, end - held.begin);
  };
}

/** A tensor of a kind that weights have. */
interface FoundTensor {
  readonly name: string;
  readonly shape: readonly number[];
  /** ONNX's number. */
  readonly element: number;
  readonly place: Place;
}

const STORED: Readonly<Record<number, Extract<Storage, 'f32' | 'f16'>>> = {
  [ELEMENT.f32]: 'f32',
  [ELEMENT.f16]: 'f16',
};

async function tensorOf(file: string, read: Read, fields: readonly Field[]): Promise<FoundTensor | undefined> {
  const text = async ({ begin, end }: Field): Promise<string> => new TextDecoder().decode(await read(begin, end));
  const one = (number: number): Field | undefined => fields.find(({ field }) => field === number);
  const element = one(2)?.value ?? 0;
  const name = one(8);
  if ((STORED[element] === undefined && element !== ELEMENT.u8) || name === undefined) return undefined;
  const shape = fields.filter(({ field }) => field === 1).map(({ value }) => value);
  const raw = one(9);
  const external = new Map<string, string>();
  for (const { begin, end } of fields.filter(({ field }) => field === 13)) {
    const [key, value] = await readFields(read, begin, end);
    if (key && value) external.set(await text(key), await text(value));
  }
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  const place: Place =
    raw === undefined
      ? {
          file: `${folder}${external.get('location')}`,
          begin: Number(external.get('offset') ?? 0),
          bytes: Number(external.get('length') ?? 0),
        }
      : { file, begin: raw.begin, bytes: raw.end - raw.begin };
  return { name: await text(name), shape, element, place };
}

function realTensor(files: ModelFiles, { shape, element, place }: FoundTensor): PretrainedTensor {
  const storage = STORED[element] as Extract<Storage, 'f32' | 'f16'>; // no other was found
  return { shape, file: place.file, read: (take) => readPlace(files, place, storage, take) };
}

/** A matrix, made of its quanta and its scales. */
function fourBitTensor(files: ModelFiles, { shape, place }: FoundTensor, scales: PretrainedTensor): PretrainedTensor {
  const [rows = 0, blocks = 0] = shape;
  return {
    shape: [rows, blocks * BLOCK],
    file: place.file,
    read: async (take) => {
      const quanta = await readAll(files, place.file, place.begin, place.begin + place.bytes);
      take(ofFourBits(quanta, await allValues(scales)), 0);
    },
  };
}

async function readPlace(
  files: ModelFiles,
  { file, begin, bytes }: Place,
  storage: 'f32' | 'f16',
  take: (values: Float32Array, at: number) => void,
): Promise<void> {
  const each = STORAGE[storage].bytes;
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = await readAll(files, file, begin + at, begin + Math.min(at + PIECE_BYTES, bytes));
    take(STORAGE[storage].decode(piece), at / each);
  }
}
