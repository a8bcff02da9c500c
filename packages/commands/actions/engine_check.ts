/** What the engine does on this machine, measured by running it: speed, and whether its multiply-add is fused. */
import type { Kernels } from '../../../src/kernels/kernels.ts';
import { ArenaBuilder, type MemoryPlan, type PlannedMatrix, type Slot } from '../../../src/kernels/memory.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';

const ROWS = 1024;
const WIDTH = 256;
const SECONDS = 0.25;

export interface EngineCheck {
  readonly threads: number;
  /** For a matrix product [1024, 256] · [256, 256], median. */
  readonly gflops: number;
  /** A product and a sum are rounded once: the processor's own fused multiply-add is at work. */
  readonly fused: boolean;
  /** Bits of arithmetic at a time. */
  readonly bits: 128 | 256;
}

export interface CheckOptions {
  /** Seconds of measuring; default 0.25. */
  readonly seconds?: number;
  /** false: without relaxed-SIMD multiply-add. */
  readonly fma?: boolean;
}

/** @throws BackendError or a WebAssembly error where the engine cannot start */
export async function checkEngine(threads: number, options: CheckOptions = {}): Promise<EngineCheck> {
  const { plan, ...slots } = planProduct();
  const engine = await (await wasmBackend({ threads, fma: options.fma })).open(plan);
  try {
    engine.write(slots.x, wave(ROWS * WIDTH));
    engine.write(slots.weight, wave(WIDTH * WIDTH));
    // (1 + ε)² − 1 with ε = 2⁻¹²: 2ε + ε² where only the sum is rounded, 2ε where the product is rounded first.
    const epsilon = 2 ** -12;
    engine.write(slots.pair, [1, 1 + epsilon]);
    engine.write(slots.pairWeight, [-1, 1 + epsilon]);
    const once = (build: (kernels: Kernels) => void): Promise<void> => engine.replay(engine.record('check', build));
    await once((k) => k.linear({ x: slots.pair, weight: slots.pairWeight, out: slots.pairOut, rows: rows(1) }));
    const [difference] = await engine.read(slots.pairOut);
    const product = engine.record('product', (k) =>
      k.linear({ x: slots.x, weight: slots.weight, out: slots.out, rows: rows(ROWS) }),
    );
    await engine.replay(product); // warms up: compiles, packs the weight
    const seconds = await medianSeconds(options.seconds ?? SECONDS, () => engine.replay(product));
    const gflops = (2 * ROWS * WIDTH * WIDTH) / seconds / 1e9;
    const bits = engine.features.simd === '256-bit' ? 256 : 128;
    return { threads, gflops, fused: difference !== 2 * epsilon, bits };
  } finally {
    await engine.close();
  }
}

function rows(end: number): { readonly begin: number; readonly end: number } {
  return { begin: 0, end };
}

function wave(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(i));
}

function planProduct(): { readonly plan: MemoryPlan } & Record<
  'x' | 'weight' | 'out' | 'pair' | 'pairWeight' | 'pairOut',
  Slot
> {
  const arena = new ArenaBuilder('check', 'real', 'check');
  const weight = arena.slot([WIDTH, WIDTH]);
  const pairWeight = arena.slot([1, 2]);
  const slots = {
    weight,
    pairWeight,
    x: arena.slot([ROWS, WIDTH]),
    out: arena.slot([ROWS, WIDTH]),
    pair: arena.slot([1, 2]),
    pairOut: arena.slot([1, 1]),
  };
  const limits = { rows: ROWS, context: 1, vocabSize: 1, width: WIDTH, headDim: 1 };
  const matrices = [weight, pairWeight].map((slot): PlannedMatrix => ({ slot, uses: ['forward'] }));
  return { ...slots, plan: { arenas: [arena.spec()], matrices, limits } };
}

async function medianSeconds(seconds: number, work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  const start = performance.now();
  while (performance.now() - start < seconds * 1000 || times.length === 0) {
    const before = performance.now();
    await work();
    times.push((performance.now() - before) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
