import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckpointError } from '../../src/errors.ts';
import {
  decodeSafetensors,
  encodeSafetensors,
  type TensorData,
  type TensorRecord,
} from '../../src/model/safetensors.ts';

const encoder = new TextEncoder();

/** A file with the given header and data, whether they fit or not. */
function fileOf(header: unknown, data: ArrayLike<number> = [], declaredBytes?: bigint): Uint8Array {
  const json = encoder.encode(typeof header === 'string' ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, declaredBytes ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

const rawBytes = (data: TensorData): number[] => [...new Uint8Array(data.buffer, data.byteOffset, data.byteLength)];

const shape = fc.array(fc.nat(4), { maxLength: 3 });
const bits = (length: number) => fc.array(fc.nat(2 ** 32 - 1), { minLength: length, maxLength: length });
const tensor: fc.Arbitrary<TensorRecord> = fc
  .tuple(fc.string(), shape, fc.constantFrom('float', 'int', 'uint'))
  .filter(([name]) => name !== '__metadata__')
  .chain(([name, dimensions, kind]) =>
    bits(dimensions.reduce((a, b) => a * b, 1)).map((words) => {
      const unsigned = Uint32Array.from(words);
      const data =
        kind === 'float'
          ? new Float32Array(unsigned.buffer)
          : kind === 'int'
            ? new Int32Array(unsigned.buffer)
            : unsigned;
      return { name, shape: dimensions, data };
    }),
  );
const tensors = fc.uniqueArray(tensor, { selector: ({ name }) => name, maxLength: 6 });

describe('safetensors round trip', () => {
  it('any tensors and metadata come back bit for bit, NaN payloads included', () => {
    fc.assert(
      fc.property(tensors, fc.dictionary(fc.string(), fc.string()), fc.nat(7), (records, metadata, shift) => {
        const file = encodeSafetensors(records, metadata);
        const shifted = new Uint8Array(file.length + shift).subarray(shift); // a view that starts anywhere
        shifted.set(file);
        const decoded = decodeSafetensors(shifted);
        expect(Object.entries(decoded.metadata).sort()).toEqual(Object.entries(metadata).sort());
        expect(decoded.tensors.size).toBe(records.length);
        for (const { name, shape, data } of records) {
          const read = decoded.tensors.get(name);
          expect(read?.shape).toEqual(shape);
          expect(read?.data.constructor).toBe(data.constructor);
          expect(rawBytes(read!.data)).toEqual(rawBytes(data));
        }
      }),
    );
  });

  it('tensors keep the order given, names that look like integers too', () => {
    const records = ['b', '2', 'a', '1'].map((name) => ({ name, shape: [1], data: new Float32Array(1) }));
    expect([...decodeSafetensors(encodeSafetensors(records)).tensors.keys()]).toEqual(['b', '2', 'a', '1']);
  });

  it('the layout is Hugging Face’s: length, padded header, aligned data', () => {
    const file = encodeSafetensors([{ name: 'w', shape: [2], data: Float32Array.of(1, -2) }], { format: 'pt' });
    const headerBytes = Number(new DataView(file.buffer).getBigUint64(0, true));
    expect(headerBytes % 8).toBe(0);
    expect(new TextDecoder().decode(file.subarray(8, 8 + headerBytes)).trimEnd()).toBe(
      '{"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
    );
    expect([...file.subarray(8 + headerBytes)]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
  });

  it('no tensors make a valid file', () => {
    expect(decodeSafetensors(encodeSafetensors([])).tensors.size).toBe(0);
  });

  it('a tensor that is a view of an arena is written from its own place', () => {
    const arena = Float32Array.of(0, 1, 2, 3);
    const file = encodeSafetensors([{ name: 'slot', shape: [2], data: arena.subarray(1, 3) }]);
    expect(decodeSafetensors(file).tensors.get('slot')?.data).toEqual(Float32Array.of(1, 2));
  });
});

describe('half-width floats', () => {
  it('F16 is widened exactly', () => {
    const halves = [0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x7c00, 0xfc00, 0x3555];
    const data = halves.flatMap((half) => [half & 0xff, half >> 8]);
    const file = fileOf({ h: { dtype: 'F16', shape: [8], data_offsets: [0, 16] } }, data);
    const read = decodeSafetensors(file).tensors.get('h');
    expect(read?.dtype).toBe('F16');
    const values = [1, -2, 65504, 2 ** -24, -0, Infinity, -Infinity, 0.333251953125];
    expect(read?.data).toEqual(Float32Array.from(values));
  });

  it('an F16 NaN stays one', () => {
    const file = fileOf({ h: { dtype: 'F16', shape: [], data_offsets: [0, 2] } }, [0x01, 0x7c]);
    expect(decodeSafetensors(file).tensors.get('h')?.data[0]).toBeNaN();
  });

  it('BF16 is the upper half of an F32', () => {
    const file = fileOf(
      { b: { dtype: 'BF16', shape: [3], data_offsets: [0, 6] } },
      [0x80, 0x3f, 0x49, 0xc0, 0x80, 0x7f],
    );
    expect(decodeSafetensors(file).tensors.get('b')?.data).toEqual(Float32Array.of(1, -3.140625, Infinity));
  });
});

describe('malformed safetensors', () => {
  const f32 = (begin: number, end: number, shape = [(end - begin) / 4]) => ({
    dtype: 'F32',
    shape,
    data_offsets: [begin, end],
  });
  const zeros = (bytes: number) => new Uint8Array(bytes);

  it.each<[string, Uint8Array, RegExp]>([
    ['an empty file', zeros(0), /0 bytes are too few/],
    ['a header beyond the file', fileOf({}, [], 100n), /header length 100 is beyond the file \(10 bytes\)/],
    ['an absurd header length', fileOf({}, [], 2n ** 63n), /header length 9223372036854775808 is beyond/],
    ['a header that is not JSON', fileOf('{"a":'), /the header is not JSON/],
    ['a header that is not UTF-8', fileOf({}, []).fill(0xff, 8), /the header is not JSON/],
    ['a header that is a list', fileOf([]), /not a JSON object/],
    ['metadata that is not text', fileOf({ __metadata__: { a: 1 } }), /__metadata__\.a is not a string/],
    ['an entry that is no object', fileOf({ w: 3 }), /entry of tensor "w" is not an object/],
    ['an unknown dtype', fileOf({ w: { dtype: 'F8', shape: [], data_offsets: [0, 1] } }), /dtype "F8".*known: F32/],
    ['an inherited dtype', fileOf({ w: { dtype: 'toString', shape: [], data_offsets: [0, 1] } }), /dtype "toString"/],
    ['a negative dimension', fileOf({ w: f32(0, 4, [-1]) }, zeros(4)), /no valid shape/],
    ['an overflowing shape', fileOf({ w: f32(0, 4, [2 ** 40, 2 ** 40]) }, zeros(4)), /no valid shape/],
    ['offsets that run backwards', fileOf({ w: f32(8, 4, [1]) }, zeros(8)), /no valid data_offsets/],
    ['a shape that does not fit', fileOf({ w: f32(0, 8, [3]) }, zeros(8)), /shape \[3\] needs 12 bytes.*hold 8/],
    ['offsets beyond the file', fileOf({ w: f32(0, 8) }, zeros(4)), /"w" ends at byte 8 of 4/],
    ['overlapping tensors', fileOf({ a: f32(0, 8), b: f32(4, 12) }, zeros(12)), /"b" overlaps another/],
    ['a hole', fileOf({ a: f32(0, 4), b: f32(8, 12) }, zeros(12)), /bytes 4 to 8 before tensor "b"/],
    ['trailing bytes', fileOf({ a: f32(0, 4) }, zeros(7)), /3 bytes after the last tensor/],
  ])('%s is refused, and the message says why', (_name, file, reason) => {
    expect(() => decodeSafetensors(file)).toThrow(CheckpointError);
    expect(() => decodeSafetensors(file)).toThrow(reason);
  });

  it('no bytes whatever make it throw anything but a CheckpointError', () => {
    const valid = encodeSafetensors([{ name: 'w', shape: [3], data: new Float32Array(3) }], { a: 'b' });
    const change = fc.tuple(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length));
    fc.assert(
      fc.property(change, ([position, byte, length]) => {
        const changed = Uint8Array.from(valid);
        changed[position] = byte;
        try {
          decodeSafetensors(changed.subarray(0, length));
        } catch (error) {
          expect(error).toBeInstanceOf(CheckpointError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('tensors that cannot be written', () => {
  const data = new Float32Array(2);
  it.each<[string, TensorRecord[], RegExp]>([
    ['a reserved name', [{ name: '__metadata__', shape: [2], data }], /reserved/],
    ['a name used twice', [1, 2].map(() => ({ name: 'w', shape: [2], data })), /"w" .*twice/],
    ['a shape that does not fit', [{ name: 'w', shape: [3], data }], /shape \[3\] needs 3 elements, the data has 2/],
    ['a shape that is no shape', [{ name: 'w', shape: [-1, -2], data }], /valid number of/],
  ])('%s is refused', (_name, records, reason) => {
    expect(() => encodeSafetensors(records)).toThrow(reason);
  });
});
