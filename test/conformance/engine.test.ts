import { describe, expect, it } from 'vitest';
import { BackendError } from '../../src/errors.ts';
import { ArenaBuilder, type MemoryPlan, wholeArena } from '../../src/kernels/memory.ts';
import { requiredBackends } from '../support/backends.ts';

const LIMITS = { rows: 16, context: 16, vocabSize: 16, width: 16, headDim: 1 };

function smallPlan() {
  const reals = new ArenaBuilder('reals', 'real', 'activations');
  const ints = new ArenaBuilder('ints', 'int', 'indices');
  const slots = { a: reals.slot([8]), b: reals.slot([8]), bounds: ints.slot([2]) };
  const plan: MemoryPlan = { arenas: [reals.spec(), ints.spec()], matrices: [], limits: LIMITS };
  return { ...slots, plan };
}

for (const { label, backend } of await requiredBackends()) {
  describe(`the engine of ${label}`, () => {
    it('opens with every arena zero', async () => {
      const { plan } = smallPlan();
      const engine = await backend.open(plan);
      for (const arena of plan.arenas) {
        expect([...(await engine.read(wholeArena(arena)))]).toEqual(new Array(arena.length).fill(0));
      }
      await engine.close();
    });

    it('allocates what plannedBytes said, by purpose', async () => {
      const { plan } = smallPlan();
      const engine = await backend.open(plan);
      const planned = backend.plannedBytes(plan);
      for (const purpose of ['activations', 'indices']) expect([...planned.keys()]).toContain(purpose);
      expect(engine.bytes).toBe([...planned.values()].reduce((sum, bytes) => sum + bytes, 0));
      await engine.close();
    });

    it('writes at an element, and reads a copy of the first elements', async () => {
      const { plan, a } = smallPlan();
      const engine = await backend.open(plan);
      engine.write(a, [1, 2, 3], 2);
      const before = await engine.read(a, 6);
      engine.write(a, [9], 2);
      expect([...before]).toEqual([0, 0, 1, 2, 3, 0]);
      await engine.close();
    });

    it('refuses to write past the end of a slot', async () => {
      const { plan, a } = smallPlan();
      const engine = await backend.open(plan);
      expect(() => engine.write(a, [1, 2, 3], 6)).toThrow();
      await engine.close();
    });

    it('refuses to read past the end of a slot', async () => {
      const { plan, a } = smallPlan();
      const engine = await backend.open(plan);
      await expect((async () => engine.read(a, 9))()).rejects.toThrow();
      await engine.close();
    });

    it('runs programs, and the calls of a program, in order', async () => {
      const { plan, a, b } = smallPlan();
      const engine = await backend.open(plan);
      const one = engine.record('one', (kernels) => {
        kernels.fill({ out: a, value: 1 });
        kernels.add({ x: a, out: b });
      });
      const two = engine.record('two', (kernels) => {
        kernels.add({ x: b, out: a });
        kernels.copy({ x: a, out: b });
      });
      await engine.replay(one, two, one);
      expect([...(await engine.read(b))]).toEqual(new Array(8).fill(3));
      expect([one.label, one.kernelCount]).toEqual(['one', 2]);
      await engine.close();
    });

    it('runs nothing while it records, and calls build once', async () => {
      const { plan, a } = smallPlan();
      const engine = await backend.open(plan);
      let calls = 0;
      engine.record('never replayed', (kernels) => {
        calls++;
        kernels.fill({ out: a, value: 1 });
      });
      expect([...(await engine.read(a))]).toEqual(new Array(8).fill(0));
      expect(calls).toBe(1);
      await engine.close();
    });

    it('reads a row range from its slot at each replay', async () => {
      const { plan, a, bounds } = smallPlan();
      const engine = await backend.open(plan);
      const rows = { begin: { slot: bounds, index: 0 }, end: { slot: bounds, index: 1 } };
      const program = engine.record('fill', (kernels) => kernels.fill({ out: a, value: 5, rows }));
      engine.write(bounds, [1, 3]);
      await engine.replay(program);
      engine.write(bounds, [6, 7]);
      await engine.replay(program);
      expect([...(await engine.read(a))]).toEqual([0, 5, 5, 0, 0, 0, 5, 0]);
      await engine.close();
    });

    it('refuses at record time a slot of an unknown arena, or outside its arena', async () => {
      const { plan, a } = smallPlan();
      const engine = await backend.open(plan);
      for (const out of [
        { ...a, arena: 'nowhere' },
        { ...a, offset: 1000 },
      ]) {
        expect(() => engine.record('bad', (kernels) => kernels.fill({ out, value: 1 }))).toThrow(BackendError);
      }
      await engine.close();
    });
  });
}
