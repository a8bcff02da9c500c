/** Model files: written from the policy's tensors and read into them, a piece at a time. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { Policy } from '../../src/model/policy.ts';
import { decodeSafetensors, encodeSafetensors, type TensorRecord } from '../../src/model/safetensors.ts';
import { loadModel, readWeights, weightsSha256, writeModel } from '../../src/run/model/model_files.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { openPolicy, SMALL_CAPACITY, SMALL_SHAPE } from '../support/policies.ts';
import { createTask } from '../support/tasks.ts';

const FILE = 'model/model.safetensors';
/** The embedding takes 5 MB: more than one piece. */
const SHAPE = { ...SMALL_SHAPE, hiddenSize: 512, vocabSize: 2500, numLayers: 1, tieWordEmbeddings: true };
const CAPACITY = { ...SMALL_CAPACITY, training: false };

const backend = await wasmBackend({ inline: true });
const { codec } = createTask({ name: 'sort_digits' });

let saved: Store;
let sha256: string;
let tensors: readonly TensorRecord[];
beforeAll(async () => {
  const policy = await openPolicy(backend, SHAPE, CAPACITY);
  saved = memoryStore();
  sha256 = await writeModel(saved, 'model', policy, codec);
  tensors = await readWeights(policy);
  await policy.close();
});

const openEmpty = (): Promise<Policy> => Policy.open(backend, SHAPE, CAPACITY);

/** A store, and what is read of it. */
function counting(store: Store): { readonly store: Store; readonly ranges: (readonly [number, number])[] } {
  const ranges: (readonly [number, number])[] = [];
  const counted: Store = Object.create(store, {
    read: { value: () => Promise.reject(new Error('a whole file is read')) },
    size: { value: (path: string) => store.size(path) },
    readRange: {
      value: (path: string, begin: number, end: number) => {
        ranges.push([begin, end]);
        return store.readRange(path, begin, end);
      },
    },
  });
  return { store: counted, ranges };
}

async function withFile(bytes: Uint8Array): Promise<Store> {
  const store = memoryStore();
  await store.writeAtomic(FILE, bytes);
  return store;
}

describe('a model file', () => {
  it('has the tensors of the policy, and its hash is that of their bytes', async () => {
    const { tensors: decoded, metadata } = decodeSafetensors((await saved.read(FILE))!);
    expect(metadata).toEqual({ format: 'pt' });
    expect([...decoded.keys()]).toEqual(tensors.map(({ name }) => name));
    const hash = createHash('sha256');
    for (const { name, shape, data } of tensors) {
      const found = decoded.get(name)!;
      expect([found.dtype, found.shape]).toEqual(['F32', shape]);
      expect(areEqual(found.data, data), name).toBe(true);
      hash.update(new Uint8Array(data.buffer));
    }
    expect(sha256).toBe(hash.digest('hex'));
    expect(areEqual((await saved.read(FILE))!, encodeSafetensors(tensors, { format: 'pt' }))).toBe(true);
  });

  it('is read once, in pieces of at most 4 MiB, and never whole', async () => {
    const policy = await openEmpty();
    const { store, ranges } = counting(saved);
    await loadModel(store, FILE, policy);
    expect(await weightsSha256(policy)).toBe(sha256);
    const lengths = ranges.map(([begin, end]) => end - begin);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(await saved.size(FILE));
    expect(Math.max(...lengths)).toBe(4 * 1024 ** 2);
    await policy.close();
  });

  it('of another order and with tensors that nobody asks for is read by name, the others left', async () => {
    const other = { name: 'other', shape: [100_000], data: new Float32Array(100_000) };
    const { store, ranges } = counting(await withFile(encodeSafetensors([other, ...[...tensors].reverse()])));
    const policy = await openEmpty();
    await loadModel(store, FILE, policy);
    expect(await weightsSha256(policy)).toBe(sha256);
    const read = ranges.reduce((sum, [begin, end]) => sum + end - begin, 0);
    expect(read).toBe(((await store.size(FILE)) ?? 0) - 400_000);
    await policy.close();
  });

  it('of bfloat16 is widened', async () => {
    const policy = await openEmpty();
    await loadModel(await withFile(asBfloat(tensors)), FILE, policy);
    for (const { name, data } of await readWeights(policy)) {
      const bits = new Uint32Array(tensors.find((tensor) => tensor.name === name)!.data.slice().buffer);
      const widened = bits.map((word) => word & 0xffff0000);
      expect(areEqual(data, widened), name).toBe(true);
    }
    await policy.close();
  });
});

describe('a model file that does not fit', () => {
  const last = 'model.norm.weight';
  it.each<[string, () => Promise<Store>, string, RegExp]>(
    /* biome-ignore format: a table */ [
      ['missing', async () => memoryStore(), 'no-model', /model\.safetensors: no such file/],
      ['of 5 bytes', () => withFile(new Uint8Array(5)), 'safetensors-malformed',
        /model\.safetensors: .*5 bytes are too few/],
      ['truncated in its data', async () => withFile((await saved.read(FILE))!.slice(0, -8)), 'safetensors-malformed',
        /model\.safetensors: .* ends at byte .*Or remove it/],
      ['truncated in its header', async () => withFile((await saved.read(FILE))!.slice(0, 100)),
        'safetensors-malformed', /model\.safetensors: .*header length .* is beyond the file \(100 bytes\)/],
      ['without a tensor', () => withFile(encodeSafetensors(tensors.filter(({ name }) => name !== last))),
        'tensor-mismatch', /model\.safetensors: tensor model\.norm\.weight is missing, the config needs \[512\]/],
      ['of another model',
        () =>
          withFile(encodeSafetensors([...tensors.slice(0, -1), { name: last, shape: [3], data: new Float32Array(3) }])),
        'tensor-mismatch', /tensor model\.norm\.weight has shape \[3\], the config needs \[512\]/],
    ],
  )('that is %s is named, and no weight is written', async (_, make, code, message) => {
    const policy = await openEmpty();
    const loading = loadModel(await make(), FILE, policy);
    await expect(loading).rejects.toMatchObject({ code });
    await expect(loading).rejects.toThrow(message);
    for (const { data } of await readWeights(policy)) expect(data.every((value) => value === 0)).toBe(true);
    await policy.close();
  });

  it('that becomes shorter while it is read is named', async () => {
    const policy = await openEmpty();
    const { store } = counting(saved);
    const shrinking: Store = Object.create(store, {
      readRange: {
        value: async (path: string, begin: number, end: number) =>
          saved.readRange(path, begin, end - (begin > 1e6 ? 4 : 0)),
      },
      size: { value: () => saved.size(FILE) },
    });
    await expect(loadModel(shrinking, FILE, policy)).rejects.toMatchObject({ code: 'file-changed' });
    await policy.close();
  });
});

/** `toEqual` takes seconds for a million numbers. */
function areEqual(...arrays: readonly [ArrayBufferView, ArrayBufferView]): boolean {
  const [a, b] = arrays.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return a.equals(b);
}

/** The upper halves of the words, under a header written by hand. */
function asBfloat(records: readonly TensorRecord[]): Uint8Array {
  let end = 0;
  const entries = records.map(({ name, shape, data }) => {
    const begin = end;
    end += 2 * data.length;
    return [name, { dtype: 'BF16', shape, data_offsets: [begin, end] }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const file = new Uint8Array(8 + header.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  let at = 8 + header.length;
  for (const { data } of records) {
    const halves = Uint16Array.from(new Uint32Array(data.slice().buffer), (word) => word >>> 16);
    file.set(new Uint8Array(halves.buffer), at);
    at += halves.byteLength;
  }
  return file;
}
