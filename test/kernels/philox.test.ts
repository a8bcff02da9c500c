import { describe, expect, it } from 'vitest';
import { murmur3, murmur3OfText } from '../../src/kernels/murmur3.ts';
import { philox4x32, rngFor } from '../../src/kernels/philox.ts';

function hex(words: Uint32Array): string {
  return [...words].map((word) => word.toString(16).padStart(8, '0')).join(' ');
}

describe('philox4x32', () => {
  // Random123, kat_vectors: counter, key, output.
  it.each([
    [[0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [[0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff], '408f276d 41c83b0e a20bc7c6 6d5451fd'],
    [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], 'd16cfe09 94fdcceb 5001e420 24126ea1'],
  ])('gives the known answer for counter %j and key %j', (counter, key, expected) => {
    const out = new Uint32Array(4);
    philox4x32(counter, key, out);
    expect(hex(out)).toBe(expected);
  });
});

describe('murmur3', () => {
  it('has the verification value that SMHasher publishes for x86_128', () => {
    const digest = new Uint32Array(4);
    const digests = new Uint32Array(256 * 4);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (let length = 0; length < 256; length++) {
      murmur3(bytes, length, 256 - length, digest);
      digests.set(digest, length * 4);
    }
    murmur3(new Uint8Array(digests.buffer), digests.byteLength, 0, digest);
    expect(digest[0]).toBe(0xb3ece62a);
  });

  // Made with mmh3 5.3.1 (Python): hash_bytes(text, 0, x64arch=False), as little-endian words.
  it.each([
    ['', '00000000 00000000 00000000 00000000'],
    ['a', 'a794933c 5556b01b 5556b01b 5556b01b'],
    ['hello', '2b2444a0 db91def7 9adb31b6 9adb31b6'],
    ['The quick brown fox jumps over the lazy dog', '2f1583c3 ecee2c67 5d7bf66c e5e91d2c'],
    ['split|countdown|1|cd|13|2,3,7', '0fd91e54 7e4e688a 7f955828 ae2e8a39'],
    ['zażółć 日本 😀', 'e50e6ff9 7daed901 99a3065e f7e59f7a'],
  ])('gives the known answer for %j', (text, expected) => {
    const digest = new Uint32Array(4);
    murmur3OfText(text, digest);
    expect(hex(digest)).toBe(expected);
  });

  it('hashes a text longer than its first buffer', () => {
    const digest = new Uint32Array(4);
    const direct = new Uint32Array(4);
    const text = 'é'.repeat(5000);
    murmur3OfText(text, digest);
    murmur3(new TextEncoder().encode(text), 10000, 0, direct);
    expect(hex(digest)).toBe(hex(direct));
  });
});

describe('rngFor', () => {
  it('repeats its draws for the same key and differs for another', () => {
    const draws = (key: string) =>
      Array.from(
        { length: 20 },
        (
          (rng) => () =>
            rng.int(0, 1e9)
        )(rngFor(key)),
      );
    expect(draws('a')).toEqual(draws('a'));
    expect(draws('a')).not.toEqual(draws('b'));
  });

  it('draws every integer of a range about equally often', () => {
    const rng = rngFor('uniform');
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 7000; i++) counts[rng.int(3, 9) - 3]++;
    // 5 standard deviations of a binomial(7000, 1/7).
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(147);
  });

  it('rejects words that would favour small integers', () => {
    const rng = rngFor('bias');
    const third = 3 * 2 ** 30;
    let low = 0;
    // Word modulo 3·2^30 would land in the first third with chance 1/2.
    for (let i = 0; i < 3000; i++) if (rng.int(0, third - 1) < 2 ** 30) low++;
    expect(Math.abs(low - 1000)).toBeLessThan(130);
  });

  it('keeps floats in [0, 1) with mean one half', () => {
    const rng = rngFor('float');
    const values = Array.from({ length: 4000 }, () => rng.float());
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    expect(Math.abs(values.reduce((a, b) => a + b) / 4000 - 0.5)).toBeLessThan(0.023);
  });

  it('shuffles to a permutation, and each order comes up', () => {
    const rng = rngFor('shuffle');
    const orders = new Set(Array.from({ length: 200 }, () => rng.shuffle([1, 2, 3]).join('')));
    expect([...orders].sort()).toEqual(['123', '132', '213', '231', '312', '321']);
  });

  it('never draws an index of weight zero and honours the weights', () => {
    const rng = rngFor('weighted');
    const counts = [0, 0, 0];
    for (let i = 0; i < 4000; i++) counts[rng.weighted([1, 0, 3])]++;
    expect(counts[1]).toBe(0);
    expect(Math.abs(counts[0] - 1000)).toBeLessThan(137);
  });

  it('forks a stream that does not depend on how much was drawn before', () => {
    const rng = rngFor('parent');
    const before = rng.fork('child').int(0, 1e9);
    rng.float();
    expect(rng.fork('child').int(0, 1e9)).toBe(before);
    expect(rng.fork('other').int(0, 1e9)).not.toBe(before);
  });

  it('refuses an empty range and an empty choice', () => {
    expect(() => rngFor('x').int(5, 4)).toThrow('rng.int(5, 4)');
    expect(() => rngFor('x').pick([])).toThrow('range');
  });
});
