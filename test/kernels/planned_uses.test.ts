/** A matrix has a packed form for each planned use: a kernel that would read another one is refused when it is recorded. */
import { describe, expect, it } from 'vitest';
import type { Kernels } from '../../src/kernels/kernels.ts';
import { ArenaBuilder, type MatrixUse, type MemoryPlan } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';

const arena = new ArenaBuilder('reals', 'real', 'test');
const weight = arena.slot([40, 8]);
const dWeight = arena.slot([40, 8]);
const x = arena.slot([4, 8]);
const out = arena.slot([4, 40]);
const rows = { begin: 0, end: 4 };
const CALLS: Readonly<Record<string, (kernels: Kernels) => void>> = {
  linear: (kernels) => kernels.linear({ x, weight, out, rows }),
  linearInputGradient: (kernels) => kernels.linearInputGradient({ dOut: out, weight, dX: x, rows }),
  linearWeightGradient: (kernels) => kernels.linearWeightGradient({ dOut: out, x, dWeight, rows }),
};

function planFor(uses: readonly MatrixUse[], forwardOnly = false): MemoryPlan {
  const limits = { rows: 4, context: 4, vocabSize: 40, width: 40, headDim: 8, forwardOnly };
  return { arenas: [arena.spec()], matrices: [{ slot: weight, uses }], limits };
}

const BACKENDS = { reference: referenceBackend, wasm: await wasmBackend({ inline: true }) };

describe.each(Object.entries(BACKENDS))('a matrix on %s', (_, backend) => {
  it.each([
    ['forward', 'linearInputGradient'],
    ['backward', 'linear'],
  ] as const)('that is planned for %s kernels is refused to %s', async (use, kernel) => {
    const engine = await backend.open(planFor([use]));
    expect(() => engine.record('refused', CALLS[kernel])).toThrow(/is not planned for (forward|backward) kernels/);
    await engine.close();
  });
});

describe('wasm', () => {
  it('gives the same bits whether a matrix is planned for one use or for both', async () => {
    const product = async (kernel: string, uses: readonly MatrixUse[]): Promise<ArrayLike<number>> => {
      const engine = await BACKENDS.wasm.open(planFor(uses));
      const wave = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(i));
      engine.write(weight, wave(320));
      engine.write(x, wave(32));
      engine.write(out, wave(160));
      await engine.replay(engine.record('product', CALLS[kernel]));
      const result = await engine.read(kernel === 'linear' ? out : x);
      await engine.close();
      return result;
    };
    for (const [kernel, use] of [['linear', 'forward'] as const, ['linearInputGradient', 'backward'] as const]) {
      expect(await product(kernel, [use])).toEqual(await product(kernel, ['forward', 'backward']));
    }
  });

  it('keeps one packed form for one use, and no scratch for gradients in a plan that is forward only', () => {
    const bytesOf = (plan: MemoryPlan, purpose: string): number => BACKENDS.wasm.plannedBytes(plan).get(purpose) ?? 0;
    const [one, both] = [planFor(['forward']), planFor(['forward', 'backward'])];
    expect(bytesOf(one, 'packed weights')).toBeLessThan(0.6 * bytesOf(both, 'packed weights'));
    expect(bytesOf(planFor(['forward'], true), 'scratch')).toBeLessThan(bytesOf(one, 'scratch'));
  });

  it('refuses a weight gradient in a plan that is forward only', async () => {
    const engine = await BACKENDS.wasm.open(planFor(['forward'], true));
    expect(() => engine.record('refused', CALLS.linearWeightGradient)).toThrow(/the plan is forward only/);
    await engine.close();
  });
});
