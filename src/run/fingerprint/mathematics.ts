/**
 * Hashes this JavaScript engine's results of the functions that ECMAScript leaves implementation-defined (exp, log,
 * cos, …).
 *
 * Engines differ in the last bit of a double: Node 20 from 24 in powers, Chrome from both in most functions. A run
 * keeps float32, in which all but one in some hundred million such differences vanish, so results are rounded before
 * they are compared. If two engines agree on thousands of arguments, a run on `wasm` may move between them.
 */
import { sha256Hex } from './sha256.ts';

const FUNCTIONS: readonly ((x: number) => number)[] = [
  Math.exp,
  Math.expm1,
  (x) => Math.log(Math.abs(x)),
  (x) => Math.log1p(Math.abs(x)),
  (x) => Math.log2(Math.abs(x)),
  (x) => Math.log10(Math.abs(x)),
  Math.sin,
  Math.cos,
  Math.tan,
  Math.tanh,
  Math.atan,
  Math.cbrt,
  (x) => Math.abs(x) ** 0.75,
  (x) => 10_000 ** (-Math.abs(x) / 32),
  (x) => Math.hypot(x, 1),
];

/** Arguments per function: engines whose results differ at one in a thousand are told apart. */
const ARGUMENTS = 4096;

/** Hash of the results, 16 hexadecimal digits; a few milliseconds, once per process. */
export function mathematicsHash(): Promise<string> {
  cachedHash ??= sha256Hex(new Uint8Array(results().buffer)).then((hash) => hash.slice(0, 16));
  return cachedHash;
}

let cachedHash: Promise<string> | undefined;

function results(): Float32Array<ArrayBuffer> {
  const values = new Float32Array(FUNCTIONS.length * ARGUMENTS);
  let state = 1;
  for (let i = 0; i < ARGUMENTS; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Exact: a multiple of a power of two, in (−8, 8), half of them below 1/4.
    const x = ((state / 2 ** 31 - 1) * 8) / (i % 2 === 0 ? 1 : 32);
    FUNCTIONS.forEach((of, f) => {
      values[f * ARGUMENTS + i] = of(x);
    });
  }
  return values;
}
