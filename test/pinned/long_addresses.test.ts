/**
 * Kernels over memory with 64-bit addresses: the bits of the others, and what lies beyond 4 GiB. Node has such memory from
 * version 24 on; elsewhere it is refused by name, and limits are those of 32 bits.
 */
import { describe, expect, it } from 'vitest';
import { BackendError, MemoryPlanError } from '../../src/errors.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { ArenaBuilder } from '../../src/kernels/memory.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { bitsOf } from '../support/policies.ts';
import { finishSmallRun } from '../support/small_runs.ts';

const isThere = Number.parseInt(process.versions.node, 10) >= 24;
const GIBIBYTE = 1024 ** 3;

const GRPO = `task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 1, intermediate_size: 24}
eval_strategy: "no"
max_steps: 3
num_generations: 4
generation_batch_size: 32
num_generations_eval: 1
reward_funcs: [lcs]
`;

/** Rows times a matrix, which begin after `bytes` bytes of their arena. */
async function productBehind(backend: Backend, bytes: number): Promise<Int32Array> {
  const reals = new ArenaBuilder('reals', 'real', 'test');
  reals.slot([bytes / 4]);
  const [N, IN, OUT] = [13, 40, 29];
  const [x, weight, out] = [reals.slot([N, IN]), reals.slot([OUT, IN]), reals.slot([N, OUT])];
  const engine = await backend.open({
    arenas: [reals.spec()],
    matrices: [{ slot: weight, uses: ['forward'] }],
    limits: { rows: N, context: 4, vocabSize: OUT, width: IN, headDim: 8, forwardOnly: true },
  });
  try {
    engine.write(
      x,
      Float32Array.from({ length: N * IN }, (_, i) => Math.sin(i)),
    );
    engine.write(
      weight,
      Float32Array.from({ length: OUT * IN }, (_, i) => Math.cos(1.3 * i)),
    );
    const program = engine.record('product', (kernels) =>
      kernels.linear({ x, weight, out, rows: { begin: 0, end: N } }),
    );
    await engine.replay(program);
    return bitsOf((await engine.read(out)) as Float32Array);
  } finally {
    await engine.close();
  }
}

describe.runIf(isThere)('memory with 64-bit addresses', () => {
  it('learns the same weights', async () => {
    const hashes = await Promise.all(
      [false, true].map(async (memory64) => {
        const { sha256 } = await finishSmallRun(await wasmBackend({ threads: 2, memory64 }), { yaml: GRPO });
        return sha256;
      }),
    );
    expect(hashes[1]).toBe(hashes[0]);
  });

  it('is taken where a plan needs more than 4 GiB, and reaches all of it', async () => {
    const backend = await wasmBackend({ threads: 2 });
    expect(await productBehind(backend, 4.25 * GIBIBYTE)).toEqual(await productBehind(backend, 64));
  });

  it('can be left out', async () => {
    const short = await wasmBackend({ threads: 1, memory64: false });
    await expect(productBehind(short, 4.25 * GIBIBYTE)).rejects.toThrow(/4\.0 GiB is what WebAssembly can address/);
  });
});

describe.runIf(!isThere)('where the engine has no memory with 64-bit addresses', () => {
  it('it is refused by name', async () => {
    await expect(wasmBackend({ memory64: true })).rejects.toThrow(BackendError);
  });

  it('a plan beyond 4 GiB is refused', async () => {
    await expect(productBehind(await wasmBackend(), 4.25 * GIBIBYTE)).rejects.toThrow(MemoryPlanError);
  });
});

it('is not there without threads', async () => {
  await expect(wasmBackend({ inline: true, memory64: true })).rejects.toThrow(
    /memory64: true — this engine does not give shared memory with 64-bit addresses/,
  );
});
