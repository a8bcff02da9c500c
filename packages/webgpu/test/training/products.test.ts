/** Every way to compute a matrix product gives the same bits: those for GPUs as those for software adapters. */
import { expect, it } from 'vitest';
import type { MemoryPlan } from '../../../../src/kernels/memory.ts';
import { ArenaBuilder } from '../../../../src/kernels/memory.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import { normals } from '../../../../test/support/data.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

/** Rows, inputs, outputs: few rows and many, one segment and more, with and without vectors, tiles that are cut. */
const SHAPES: readonly (readonly [rows: number, inputs: number, outputs: number])[] = [
  [5, 260, 36],
  [9, 1100, 7],
  [37, 70, 45],
  [70, 132, 68],
];
/** Enough tiles for the large ones. */
const LARGE = [770, 36, 1000] as const;
/** SwiftShader takes 8 seconds and more to compile for each shape: before a release those that leave out nothing but the small ones. */
const FEW = fewOf([SHAPES[3], SHAPES[1]], { quick: 1, all: 1 });

async function products(label: string, [rows, inputs, outputs]: readonly [number, number, number]) {
  const arenas = ['weights', 'values', 'results'].map((name) => new ArenaBuilder(name, 'real', 'activations'));
  const [weights, values, results] = arenas;
  const weight = weights.slot([outputs, inputs]);
  const bias = weights.slot([outputs]);
  const x = values.slot([rows, inputs]);
  const dOut = values.slot([rows, outputs]);
  const out = results.slot([rows, outputs]);
  const dX = results.slot([rows, inputs]);
  const dWeight = results.slot([outputs, inputs]);
  const plan: MemoryPlan = {
    arenas: arenas.map((arena) => arena.spec()),
    matrices: [{ slot: weight, uses: ['forward', 'backward'] }],
    limits: { rows, context: rows, vocabSize: 16, width: Math.max(inputs, outputs), headDim: 1 },
  };
  const engine = await (await loadBackend(label)).open(plan);
  try {
    [weight, bias, x, dOut, out, dX, dWeight].forEach((slot, i) => {
      engine.write(slot, normals(slot.shape, i));
    });
    const all = { begin: 1, end: rows }; // the first row stays as it is
    const program = engine.record('products', (kernels) => {
      kernels.linear({ x, weight, bias, residual: out, out, rows: all });
      kernels.linearInputGradient({ dOut, weight, dX, rows: all });
      kernels.linearWeightGradient({ dOut, x, dWeight, rows: all });
    });
    await engine.replay(program);
    return await Promise.all([out, dX, dWeight].map((slot) => engine.read(slot)));
  } finally {
    await engine.close();
  }
}

for (const adapter of REQUIRED_ADAPTERS) {
  it.each(adapter === 'swiftshader' ? FEW : [...SHAPES, LARGE])(
    `the products of %i rows, %i inputs and %i outputs have one result on ${adapter}`,
    async (...shape) => {
      const inRegisters = await products(`webgpu:${adapter}:tiling=registers`, shape);
      const inTiles = await products(`webgpu:${adapter}:tiling=workgroups`, shape);
      ['out', 'dX', 'dWeight'].forEach((name, i) => {
        expectSameBits(inTiles[i], inRegisters[i], name);
      });
      expect(inTiles[0].some((value) => value !== 0)).toBe(true);
    },
  );
}
