/** A replay that is interrupted between two of its parts. */
import { expect, it } from 'vitest';
import { ArenaBuilder, type MemoryPlan } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';

const arena = new ArenaBuilder('values', 'real', 'test');
const [x, first, second, out] = [arena.slot([4, 8]), arena.slot([8, 8]), arena.slot([8, 8]), arena.slot([4, 8])];
const limits = { rows: 4, context: 4, vocabSize: 8, width: 8, headDim: 8, forwardOnly: true };
const matrices = [first, second].map((slot) => ({ slot, uses: ['forward'] as const }));
const plan: MemoryPlan = { arenas: [arena.spec()], matrices, limits };
const rows = { begin: 0, end: 4 };

it.each([
  ['reference', referenceBackend],
  ['wasm', await wasmBackend({ inline: true })],
  ['wasm on two threads', await wasmBackend({ threads: 2 })],
])('on %s ends there, and the next one is as if there had been none', async (_, backend) => {
  const engine = await backend.open(plan);
  engine.write(x, new Float32Array(32).fill(1));
  for (const slot of [first, second]) engine.write(slot, new Float32Array(64).fill(2));
  const long = engine.record('long', (kernels) => {
    for (let i = 0; i < 200; i++) kernels.linear({ x, weight: first, out, rows });
  });
  const short = engine.record('short', (kernels) => kernels.linear({ x, weight: second, out, rows }));
  let parts = 0;
  engine.interruption = () => {
    if (++parts === 2) throw new Error('enough');
  };
  await expect(engine.replay(long, short)).rejects.toThrow('enough');
  engine.interruption = undefined;
  await engine.replay(short); // whatever the first one was to prepare for it
  expect([...(await engine.read(out))]).toEqual(new Array(32).fill(16));
  await engine.close();
});
