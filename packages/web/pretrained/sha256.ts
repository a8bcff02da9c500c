/**
 * SHA-256 of bytes that come a piece at a time, which the browser's own takes only as a whole: a model is hashed without
 * being in memory. Some 150 MB a second.
 *
 * @see FIPS 180-4, §6.2
 */

/** The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const PRIMES = Array.from({ length: 312 }, (_, n) => n).filter((n) => n > 1 && !hasDivisor(n));
const ROUND = Uint32Array.from(PRIMES.slice(0, 64), (prime) => fractionBits(Math.cbrt(prime)));
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));

function hasDivisor(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return true;
  return false;
}

function fractionBits(root: number): number {
  return (root - Math.floor(root)) * 2 ** 32;
}

const BLOCK = 64;

export class Sha256 {
  readonly #state = START.slice();
  readonly #words = new Int32Array(BLOCK);
  /** Bytes that are no whole block yet. */
  readonly #rest = new Uint8Array(BLOCK);
  #length = 0;

  update(bytes: Uint8Array): void {
    let at = 0;
    const held = this.#length % BLOCK;
    this.#length += bytes.length;
    if (held > 0) {
      at = Math.min(BLOCK - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < BLOCK) return;
      this.#block(this.#rest, 0);
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.#block(bytes, at);
    this.#rest.set(bytes.subarray(at));
  }

  /** 64 lower-case hexadecimal digits; nothing may follow. */
  digest(): string {
    const bits = 8 * this.#length;
    const held = this.#length % BLOCK;
    const tail = new Uint8Array(held < 56 ? BLOCK : 2 * BLOCK);
    tail.set(this.#rest.subarray(0, held));
    tail[held] = 0x80;
    new DataView(tail.buffer).setBigUint64(tail.length - 8, BigInt(bits));
    for (let at = 0; at < tail.length; at += BLOCK) this.#block(tail, at);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #block(bytes: Uint8Array, begin: number): void {
    const words = this.#words;
    for (let i = 0, at = begin; i < 16; i++, at += 4) {
      const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [number, number, number, number];
      words[i] = (a << 24) | (b << 16) | (c << 8) | d;
    }
    for (let i = 16; i < BLOCK; i++) {
      const [x, y] = [words[i - 15] as number, words[i - 2] as number];
      const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
      const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
      words[i] = (words[i - 16] as number) + s0 + (words[i - 7] as number) + s1;
    }
    const state = this.#state;
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < BLOCK; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (words[i] as number)) | 0;
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] = (state[i] as number) + word;
    });
  }
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
