/** What the reference backend alone promises: float64 memory, and every mistake of a caller named at record time. */
import { describe, expect, it } from 'vitest';
import { BackendError } from '../../src/errors.ts';
import type { Engine } from '../../src/kernels/engine.ts';
import type { Kernels } from '../../src/kernels/kernels.ts';
import { ArenaBuilder, type MemoryPlan, type PlannedMatrix, type Slot } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';

function smallPlan() {
  const reals = new ArenaBuilder('reals', 'real', 'activations');
  const ints = new ArenaBuilder('ints', 'int', 'indices');
  const slots = {
    x: reals.slot([4, 8]),
    weight: reals.slot([6, 8]),
    other: reals.slot([6, 8]),
    out: reals.slot([4, 6]),
    vector: reals.slot([5]),
    rstd: reals.slot([4]),
    ids: ints.slot([4]),
    bounds: ints.slot([2]),
  };
  const limits = { rows: 4, context: 4, vocabSize: 6, width: 8, headDim: 1 };
  const matrices: PlannedMatrix[] = [{ slot: slots.weight, uses: ['forward'] }];
  const plan: MemoryPlan = { arenas: [reals.spec(), ints.spec()], matrices, limits };
  return { plan, ...slots };
}

const ROWS = { begin: 0, end: 4 };

async function recordOn(build: (kernels: Kernels, slots: ReturnType<typeof smallPlan>) => void): Promise<Engine> {
  const slots = smallPlan();
  const engine = await referenceBackend.open(slots.plan);
  engine.record('test', (kernels) => build(kernels, slots));
  return engine;
}

describe('the reference engine', () => {
  it.each([
    ['a size that differs between operands', 'linear: out must be', { out: 'rstd' }],
    ['a width that differs between operands', 'linear: weight must be \\[out, in\\]', { weight: 'vector' }],
    ['an int where a real belongs', 'linear: x is int, not real', { x: 'ids' }],
    ["a weight that is not among the plan's matrices", "weight is not one of the plan's matrices", { weight: 'other' }],
  ])('refuses %s, naming kernel, operand and shapes', async (_, message, swapped: Record<string, string>) => {
    const recorded = recordOn((kernels, slots) => {
      const named = slots as unknown as Record<string, Slot>;
      const pick = (operand: string): Slot => named[swapped[operand] ?? operand];
      kernels.linear({ x: pick('x'), weight: pick('weight'), out: pick('out'), rows: ROWS });
    });
    await expect(recorded).rejects.toThrow(new RegExp(`${message}.*given x \\[`));
  });

  it('refuses an unknown arena and a slot outside its arena, naming kernel and operand', async () => {
    const unknown = recordOn((kernels, { x, out }) => kernels.add({ x: { ...x, arena: 'nowhere' }, out }));
    await expect(unknown).rejects.toThrow(/add\.x: arena 'nowhere'/);
    const outside = recordOn((kernels, { out }) => kernels.fill({ out: { ...out, offset: 9000 }, value: 0 }));
    await expect(outside).rejects.toThrow(/fill\.out: elements \[9000, 9024\)/);
  });

  it('refuses at replay a row range that leaves the operands', async () => {
    const { plan, x, bounds } = smallPlan();
    const engine = await referenceBackend.open(plan);
    const rows = { begin: 0, end: { slot: bounds, index: 1 } };
    const program = engine.record('fill', (kernels) => kernels.fill({ out: x, value: 1, rows }));
    engine.write(bounds, [0, 5]);
    await expect(engine.replay(program)).rejects.toThrow(/fill\.rows\.end: 5 is not in 0 … 4/);
  });

  it('refuses a program of another engine, and any use after close', async () => {
    const { plan, x } = smallPlan();
    const [one, two] = [await referenceBackend.open(plan), await referenceBackend.open(plan)];
    const program = one.record('empty', () => {});
    await expect(two.replay(program)).rejects.toThrow(/not recorded by this engine/);
    await one.close();
    await expect(one.replay(program)).rejects.toThrow(BackendError);
    expect(() => one.write(x, [1])).toThrow(BackendError);
  });

  it('refuses a plan with two arenas of one name, or a matrix outside its arena', async () => {
    const { plan, weight } = smallPlan();
    await expect(referenceBackend.open({ ...plan, arenas: [...plan.arenas, plan.arenas[0]] })).rejects.toThrow(
      BackendError,
    );
    const matrices: PlannedMatrix[] = [{ slot: { ...weight, offset: 9000 }, uses: ['forward'] }];
    await expect(referenceBackend.open({ ...plan, matrices })).rejects.toThrow(/plan\.matrices\[0\]/);
  });

  it('holds reals as float64', async () => {
    const { plan, vector } = smallPlan();
    const engine = await referenceBackend.open(plan);
    engine.write(vector, [0.1]);
    expect(await engine.read(vector, 1)).toEqual(Float64Array.of(0.1));
  });
});
