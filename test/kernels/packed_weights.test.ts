/** Matrices that are packed alone: no plain copy, read back as they were written, the same products to the bit. */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/kernels/engine.ts';
import { ArenaBuilder, type MatrixUse, type MemoryPlan, type Slot } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { bitsOf } from '../support/policies.ts';

/** Three parts of one matrix; neither outputs nor inputs are a multiple of a panel. */
const PARTS = [21, 10, 6];
const [OUT, IN, N] = [37, 29, 5];

function planOf(packedAlone: boolean, uses: readonly MatrixUse[]) {
  const weights = new ArenaBuilder('matrices', 'real', 'weights', { packedAlone });
  const others = new ArenaBuilder('others', 'real', 'test');
  const parts = PARTS.map((rows, i) => weights.slot([rows, IN], { packed: i > 0 }));
  const weight: Slot = { ...parts[0], shape: [OUT, IN] };
  const second = weights.slot([3, 50]);
  const plan: MemoryPlan = {
    arenas: [weights.spec(), others.spec()],
    matrices: [weight, second].map((slot) => ({ slot, uses })),
    limits: { rows: N, context: 4, vocabSize: 40, width: 64, headDim: 8 },
  };
  const [x, out, dX] = [others.slot([N, IN]), others.slot([N, OUT]), others.slot([N, IN])];
  const arenas = [weights.spec(), others.spec()];
  return { plan: { ...plan, arenas }, parts, weight, second, x, out, dX };
}

const wave = (length: number, from = 0): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(i + from));
const BACKENDS = {
  'wasm, narrow': await wasmBackend({ threads: 1, wide: false }),
  'wasm, wide': await wasmBackend({ threads: 2, wide: true }),
  reference: referenceBackend,
};

describe.each(Object.entries(BACKENDS))('a matrix that is packed alone, %s', (_, backend) => {
  it.each([[['forward', 'backward']], [['forward']], [['backward']]] as const)(
    'is read as it was written, part by part, in pieces (%j)',
    async (uses) => {
      const { plan, parts, weight, second } = planOf(true, uses);
      const engine = await backend.open(plan);
      const whole = wave(OUT * IN);
      engine.write(parts[0], whole.subarray(0, 21 * IN));
      engine.write(parts[2], whole.subarray(31 * IN));
      for (let at = 0; at < 10 * IN; at += 47) {
        const from = 21 * IN + at;
        engine.write(parts[1], whole.subarray(from, Math.min(from + 47, 31 * IN)), at);
      }
      engine.write(second, wave(150, 7));
      expect(Float32Array.from(await engine.read(weight))).toEqual(whole);
      expect(Float32Array.from(await engine.read(parts[1], 40))).toEqual(whole.slice(21 * IN, 21 * IN + 40));
      expect(Float32Array.from(await engine.read(second))).toEqual(wave(150, 7));
      await engine.close();
    },
  );

  it('gives the bits of one that is not', async () => {
    const results = async (packedAlone: boolean): Promise<Int32Array[]> => {
      const { plan, weight, x, out, dX } = planOf(packedAlone, ['forward', 'backward']);
      const engine: Engine = await backend.open(plan);
      engine.write(weight, wave(OUT * IN));
      engine.write(x, wave(N * IN, 3));
      const rows = { begin: 0, end: N };
      const both = engine.record('both', (kernels) => {
        kernels.linear({ x, weight, out, rows });
        kernels.linearInputGradient({ dOut: out, weight, dX, rows });
      });
      await engine.replay(both);
      const read = await Promise.all([engine.read(out), engine.read(dX)]);
      await engine.close();
      return read.map((values) => bitsOf(Float32Array.from(values)));
    };
    expect(await results(true)).toEqual(await results(false));
  });
});

describe('on wasm', () => {
  it('there is no plain copy of it in the plan', () => {
    const bytesOf = (packedAlone: boolean) =>
      BACKENDS['wasm, wide'].plannedBytes(planOf(packedAlone, ['forward']).plan);
    expect(bytesOf(true).get('weights')).toBeUndefined();
    expect(bytesOf(true).get('packed weights')).toBe(bytesOf(false).get('packed weights'));
  });

  it('a program that reads it as anything but a matrix is refused when it is recorded', async () => {
    const { plan, weight } = planOf(true, ['forward']);
    const engine = await BACKENDS['wasm, wide'].open(plan);
    expect(() => engine.record('fill', (kernels) => kernels.fill({ out: weight, value: 0 }))).toThrow(/no such arena/);
    await engine.close();
  });
});
