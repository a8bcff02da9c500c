/** Little-endian bytes of a message, written and read in order; floats keep their bits. */
import { FleetError } from '../../src/errors.ts';

/** Writes a message; it grows as it is written. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  u8(value: number): void {
    const at = this.#take(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#take(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#take(4);
    this.#view.setUint32(at, value, true);
  }

  f64(value: number): void {
    const at = this.#take(8);
    this.#view.setFloat64(at, value, true);
  }

  ints(values: Int32Array): void {
    const at = this.#take(4 * values.length);
    values.forEach((value, i) => this.#view.setInt32(at + 4 * i, value, true));
  }

  /** As they are: a NaN keeps its payload. */
  floats(values: Float32Array): void {
    this.ints(new Int32Array(values.buffer, values.byteOffset, values.length));
  }

  /** @param hex  two digits a byte */
  hex(hex: string): void {
    for (let i = 0; i < hex.length; i += 2) this.u8(Number.parseInt(hex.slice(i, i + 2), 16));
  }

  /** What was written. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #take(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.#length);
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}

/** Reads a message that somebody else wrote: nothing is taken beyond its end, and nothing may be left. */
export class ByteReader {
  readonly #what: string;
  readonly #view: DataView;
  #at = 0;

  /** @param what  what the message is, for errors */
  constructor(what: string, bytes: Uint8Array) {
    this.#what = what;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  ints(count: number): Int32Array {
    const at = this.#take(4 * count);
    return Int32Array.from({ length: count }, (_, i) => this.#view.getInt32(at + 4 * i, true));
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.ints(count).buffer);
  }

  hex(count: number): string {
    return Array.from({ length: count }, () => this.u8().toString(16).padStart(2, '0')).join('');
  }

  /** A whole number of a range. @param name  of the field */
  within(name: string, value: number, min: number, max: number): number {
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw this.wrong(`${name} is ${value}, and may be ${min} to ${max}`);
  }

  /** @throws FleetError where bytes follow */
  end(): void {
    const left = this.#view.byteLength - this.#at;
    if (left > 0) throw this.wrong(`${left} bytes too many`);
  }

  /** The error of a message that is not as it has to be. */
  wrong(rule: string): FleetError {
    return new FleetError('fleet-message', `${this.#what}: ${rule}.`);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#view.byteLength) throw this.wrong(`it ends after ${this.#view.byteLength} bytes`);
    this.#at += count;
    return at;
  }
}
