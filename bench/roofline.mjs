/**
 * The roofs of this machine, measured in the same WebAssembly engine that the kernels run in: how fast it multiplies
 * and adds when all operands are in registers, how fast the backend's own micro-kernel does with all operands in the
 * first-level cache, and how fast the engine copies a number of bytes.
 *
 * The loops (assembly/roofline.ts) are compiled here, with fused multiply-add where the backend uses it. A thread of a
 * measurement is a worker with a memory of its own. The best of several repeats counts: a roof is what can be reached.
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compileKernels } from '../build/src/kernels/wasm/modules.js';
import { compileAssembly, fmaFlags } from './assembly.mjs';

const LOOPS = fileURLToPath(new URL('assembly/roofline.ts', import.meta.url));

/** Length of the micro-kernel's sums: strip and panel take 11 KB, which every first-level cache holds. */
const K = 128;
/** Seconds of one measurement: posting it to the workers costs less than a hundredth of it. */
const SECONDS = 0.03;
const REPEATS = 7;
/** Addresses in a worker's memories: the loops' operands, two regions to copy between, the micro-kernel's operands. */
const OPERANDS = { registers: 0, regions: 65536, tile: 65536 };

const WORKER = `
  const { parentPort, workerData: { module, kernels, pages } } = require('node:worker_threads');
  const memory = new WebAssembly.Memory({ initial: pages });
  const shared = new WebAssembly.Memory({ initial: 3, maximum: 3, shared: true });
  const { exports: loops } = new WebAssembly.Instance(module, { env: { memory } });
  const { exports: { tryTile } } = new WebAssembly.Instance(kernels, { env: { memory: shared } });
  const exports = { ...loops, tryTile };
  new Float32Array(memory.buffer).fill(0.5);
  new Float32Array(shared.buffer, ${OPERANDS.tile}).fill(0.5);
  parentPort.on('message', ({ name, operands }) => {
    exports[name](...operands);
    parentPort.postMessage(undefined);
  });
  parentPort.postMessage(undefined);
`;

/** The next message of a worker. @throws its error, where it dies */
const reply = (worker) => once(worker, 'message');

/**
 * Opens the roofs of `threads` threads. The backend must have been opened before: it sets V8's flags.
 *
 * @param features  the backend's: fma 'relaxed-simd' or 'none', simd '128-bit' or '256-bit'
 * @param mostBytes largest amount that `secondsToMove` will be asked for
 */
export async function openRoofline({ threads, features, mostBytes = 0 }) {
  const fma = features.fma === 'relaxed-simd';
  const wide = features.simd === '256-bit';
  const module = await compileAssembly(LOOPS, fmaFlags(fma));
  const { module: kernels } = await compileKernels({ threads: true, fma, wide }, undefined);
  const regionBytes = Math.ceil(mostBytes / 2 / threads / 64) * 64;
  const pages = Math.ceil((OPERANDS.regions + 2 * regionBytes) / 65536);
  const workers = Array.from(
    { length: threads },
    () => new Worker(WORKER, { eval: true, workerData: { module, kernels, pages } }),
  );
  await Promise.all(workers.map(reply));

  /** Seconds of one call on every thread at once. */
  const call = async (name, operands) => {
    const replies = workers.map(reply);
    const start = performance.now();
    for (const worker of workers) worker.postMessage({ name, operands });
    await Promise.all(replies);
    return (performance.now() - start) / 1000;
  };
  /** Best seconds of a round; `operandsOf` takes the number of rounds. */
  const best = async (name, operandsOf) => {
    let rounds = 1;
    while ((await call(name, operandsOf(rounds))) < SECONDS) rounds *= 2;
    let seconds = Number.POSITIVE_INFINITY;
    for (let i = 0; i < REPEATS; i++) seconds = Math.min(seconds, (await call(name, operandsOf(rounds))) / rounds);
    return seconds;
  };
  return {
    /** Operations a second, in 1e9, of all threads together: from 128-bit registers, and of the micro-kernel. */
    async peak() {
      const registers = await best('registers', (rounds) => [OPERANDS.registers, rounds]);
      const tile = await best('tryTile', (rounds) => [OPERANDS.tile, K, rounds]);
      const tileFlop = 2 * 6 * (wide ? 16 : 8) * K;
      return { registers: (threads * 96) / registers / 1e9, microKernel: (threads * tileFlop) / tile / 1e9 };
    },
    /** Seconds to move `bytes` bytes, half of them read and half written, shared out over the threads. */
    async secondsToMove(bytes) {
      const share = Math.max(64, Math.floor(bytes / 2 / threads / 64) * 64);
      const { regions } = OPERANDS;
      const seconds = await best('copy', (rounds) => [regions, regions + regionBytes, share, rounds]);
      return (seconds * bytes) / (2 * share * threads);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** The peak of `threads` threads alone. */
export async function measurePeak(options) {
  const roofline = await openRoofline(options);
  try {
    return await roofline.peak();
  } finally {
    await roofline.close();
  }
}
