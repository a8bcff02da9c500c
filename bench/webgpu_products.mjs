/** Matrix products of the webgpu backend at given shapes, in GFLOP/s, through the kernel interface. */
import { ArenaBuilder } from '../build/src/kernels/memory.js';
import { summarize } from './statistics.mjs';

/** Seconds of one measurement, at least: reading one number back at its end costs little of it. */
const SECONDS = 0.1;

/** [name, rows, inputs, outputs] */
export const QUICK_SHAPES = [
  ['256³', 256, 256, 256],
  ['race, gate and up', 512, 128, 640],
];
export const SHAPES = [
  ['1024³', 1024, 1024, 1024],
  ['4096³', 4096, 4096, 4096],
  ['race, gate and up', 4496, 128, 640],
  ['135 M, gate and up', 2104, 576, 3072],
  ['135 M, decode 64', 64, 576, 3072],
];

/** Median GFLOP/s of out = x·Wᵀ, dX = dOut·W and dW += dOutᵀ·x. */
export async function measureProducts(backend, [name, rows, inputs, outputs], repeats) {
  const arenas = { weights: {}, values: {}, results: {} };
  for (const arena of Object.keys(arenas)) arenas[arena] = new ArenaBuilder(arena, 'real', 'benchmark');
  const weight = arenas.weights.slot([outputs, inputs]);
  const x = arenas.values.slot([rows, inputs]);
  const dOut = arenas.values.slot([rows, outputs]);
  const out = arenas.results.slot([rows, outputs]);
  const dX = arenas.results.slot([rows, inputs]);
  const dWeight = arenas.results.slot([outputs, inputs]);
  const engine = await backend.open({
    arenas: Object.values(arenas).map((arena) => arena.spec()),
    matrices: [{ slot: weight, uses: ['forward', 'backward'] }],
    limits: { rows, context: 1, vocabSize: 16, width: Math.max(inputs, outputs), headDim: 1 },
  });
  try {
    for (const slot of [weight, x, dOut]) engine.write(slot, noise(slot.shape[0] * slot.shape[1]));
    const all = { begin: 0, end: rows };
    const forms = {
      NT: engine.record('NT', (k) => k.linear({ x, weight, out, rows: all })),
      NN: engine.record('NN', (k) => k.linearInputGradient({ dOut, weight, dX, rows: all })),
      TN: engine.record('TN', (k) => k.linearWeightGradient({ dOut, x, dWeight, rows: all })),
    };
    const flop = 2 * rows * inputs * outputs;
    const gflops = {};
    for (const [form, program] of Object.entries(forms)) {
      const timed = async (times) => {
        const start = performance.now();
        for (let i = 0; i < times; i++) await engine.replay(program);
        await engine.read(out, 1);
        return (performance.now() - start) / 1000;
      };
      let times = 1;
      while ((await timed(times)) < SECONDS) times *= 2;
      const seconds = [];
      for (let i = 0; i < repeats; i++) seconds.push((await timed(times)) / times);
      gflops[form] = flop / summarize(seconds).median / 1e9;
    }
    return { name, rows, inputs, outputs, gflops };
  } finally {
    await engine.close();
  }
}

/** Numbers between −0.5 and 0.5, none of them special. */
function noise(length) {
  let state = 1;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}
