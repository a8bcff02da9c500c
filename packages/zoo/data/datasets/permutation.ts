/**
 * A shuffled order without state: position i of n under a key, by a Feistel network over the next power of four,
 * iterated until the result is below n. Every position occurs once.
 *
 * @see Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002
 */
import { rngFor } from '../../../../src/kernels/philox.ts';

const ROUNDS = 4;
const LARGEST = 2 ** 32;

/** @param count  1 to 2^32 @returns the permutation of [0, count) that the key names */
export function keyedPermutation(key: string, count: number): (index: number) => number {
  if (!(Number.isInteger(count) && count >= 1 && count <= LARGEST)) throw new RangeError(`a permutation of ${count}`);
  // The least power of two whose square holds the count, without a logarithm, which differs between machines.
  let half = 2;
  while (half * half < count) half *= 2;
  const rng = rngFor(`permutation|${key}`);
  const keys = Array.from({ length: ROUNDS }, () => rng.int(0, LARGEST - 1));
  const once = (place: number): number => {
    let left = Math.floor(place / half);
    let right = place % half;
    for (const roundKey of keys) {
      const mixed = (left ^ (mix(right, roundKey) & (half - 1))) >>> 0;
      left = right;
      right = mixed;
    }
    return left * half + right;
  };
  return (index) => {
    let place = once(index);
    while (place >= count) place = once(place);
    return place;
  };
}

/** The finalizer of MurmurHash3 over both words. */
function mix(value: number, roundKey: number): number {
  let h = Math.imul(value, 0x9e3779b1) ^ roundKey;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
