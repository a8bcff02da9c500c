/**
 * Philox4x32-10, the counter-based random generator of everything in this package: 128 bits of counter and 64
 * bits of key give 128 random bits, with no state to carry or share.
 *
 * @see Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011
 */
import { DataError } from '../errors.ts';
import { murmur3OfText } from './murmur3.ts';

const ROUNDS = 10;
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const TWO_TO_32 = 4294967296;

/** High word of the 64-bit product of two 32-bit words, by 16-bit halves; every partial sum stays below 2^32. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (carry >>> 16);
}

/**
 * One block of Philox4x32-10. Allocates nothing; `out` may be `counter` itself.
 *
 * @param counter  four 32-bit words
 * @param key      two 32-bit words
 * @param out      Uint32Array(4), written
 */
export function philox4x32(counter: ArrayLike<number>, key: ArrayLike<number>, out: Uint32Array): void {
  let c0 = counter[0] | 0;
  let c1 = counter[1] | 0;
  let c2 = counter[2] | 0;
  let c3 = counter[3] | 0;
  let k0 = key[0] | 0;
  let k1 = key[1] | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** A stream of random draws. Two streams of different key strings are independent; equal keys give equal draws. */
export interface Rng {
  /** Uniform integer in [lo, hi], both included, without modulo bias. @throws DataError on an empty range */
  int(lo: number, hi: number): number;
  /** Uniform in [0, 1) with 53 random bits. */
  float(): number;
  /** Shuffles in place (Fisher-Yates) and returns the same array. */
  shuffle<T>(items: T[]): T[];
  /** One element, uniformly. @throws DataError on an empty array */
  pick<T>(items: readonly T[]): T;
  /** An index, with chance proportional to its weight (non-negative integers, sum below 2^32). */
  weighted(weights: readonly number[]): number;
  /** An independent stream; a function of this stream's key and the label, not of how much was drawn. */
  fork(label: string): Rng;
}

/** Shared by all streams between two lines of code only: a stream keeps its words as numbers, which are cheap to make. */
const hash = new Uint32Array(4);
const counter = new Uint32Array(4);
const key = new Uint32Array(2);

/** Words 0 and 1 of the hash are the key; words 2 and 3 are the high half of the counter, blocks count below. */
class PhiloxRng implements Rng {
  readonly #keyString: string;
  readonly #key0: number;
  readonly #key1: number;
  readonly #stream0: number;
  readonly #stream1: number;
  readonly #block = new Uint32Array(4);
  #nextBlock = 0;
  #unread = 0;

  constructor(keyString: string) {
    this.#keyString = keyString;
    murmur3OfText(keyString, hash);
    this.#key0 = hash[0];
    this.#key1 = hash[1];
    this.#stream0 = hash[2];
    this.#stream1 = hash[3];
  }

  #refill(): void {
    key[0] = this.#key0;
    key[1] = this.#key1;
    counter[0] = this.#nextBlock;
    counter[1] = this.#nextBlock / TWO_TO_32;
    counter[2] = this.#stream0;
    counter[3] = this.#stream1;
    philox4x32(counter, key, this.#block);
    this.#nextBlock++;
    this.#unread = 4;
  }

  #word(): number {
    if (this.#unread === 0) this.#refill();
    return this.#block[4 - this.#unread--];
  }

  int(lo: number, hi: number): number {
    const range = hi - lo + 1;
    if (!(range >= 1 && range <= TWO_TO_32)) {
      throw new DataError('empty-range', `rng.int(${lo}, ${hi}) — the range must hold 1 to 2^32 integers.`, { lo, hi });
    }
    const limit = TWO_TO_32 - (TWO_TO_32 % range);
    let word = this.#word();
    while (word >= limit) word = this.#word();
    return lo + (word % range);
  }

  float(): number {
    const high = this.#word() >>> 5;
    const low = this.#word() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      const moved = items[last];
      items[last] = items[other];
      items[other] = moved;
    }
    return items;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  weighted(weights: readonly number[]): number {
    let total = 0;
    for (const weight of weights) total += weight;
    let ticket = this.int(0, total - 1);
    let index = 0;
    while (ticket >= weights[index]) ticket -= weights[index++];
    return index;
  }

  fork(label: string): Rng {
    return new PhiloxRng(`${this.#keyString}/${label}`);
  }
}

/** The random stream named by a key string (its 128-bit MurmurHash3 is the Philox key and high counter). */
export function rngFor(keyString: string): Rng {
  return new PhiloxRng(keyString);
}
