/** The host's waiting for a job: only the job's own end may end it. */
import { expect, it } from 'vitest';
import { ArenaBuilder, type MemoryPlan } from '../../src/kernels/memory.ts';
import { JOB_FINISHED } from '../../src/kernels/wasm/assembly/sizes.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { layOut } from '../../src/kernels/wasm/layout.ts';

it('a waking that was meant for an earlier job does not end a replay early', async () => {
  let memory: WebAssembly.Memory | undefined;
  const { Memory } = WebAssembly;
  // A constructor that keeps what it makes: the engine hides its memory.
  function Kept(descriptor: WebAssembly.MemoryDescriptor): WebAssembly.Memory {
    memory = new Memory(descriptor);
    return memory;
  }
  WebAssembly.Memory = Kept as unknown as typeof Memory;
  const arena = new ArenaBuilder('values', 'real', 'test');
  const x = arena.slot([256, 256]);
  const weight = arena.slot([256, 256]);
  const out = arena.slot([256, 256]);
  const limits = { rows: 256, context: 4, vocabSize: 4, width: 256, headDim: 1 };
  const plan: MemoryPlan = { arenas: [arena.spec()], matrices: [{ slot: weight, uses: ['forward'] }], limits };
  const engine = await (await wasmBackend({ threads: 2 })).open(plan);
  WebAssembly.Memory = Memory;
  const words = new Int32Array((memory as WebAssembly.Memory).buffer);
  const finished = layOut(plan, 2).job / 4 + JOB_FINISHED; // the word on which the host sleeps
  engine.write(x, new Float32Array(256 * 256).fill(1));
  engine.write(weight, new Float32Array(256 * 256).fill(1));
  const rows = { begin: 0, end: 256 };
  const long = engine.record('long', (kernels) => {
    for (let i = 0; i < 200; i++) kernels.linear({ x, weight, out, rows });
  });
  const replayed = engine.replay(long);
  const late = setInterval(() => Atomics.notify(words, finished), 1);
  await replayed;
  clearInterval(late);
  expect(Atomics.load(words, finished)).toBe(1);
  await engine.close();
});
