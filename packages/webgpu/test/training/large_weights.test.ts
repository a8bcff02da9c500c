/** Weights that are larger than what one kernel can see of a buffer are cut, and the cut changes no bit. */
import { expect, it } from 'vitest';
import { ADAMW, GRADIENT_NORM_BLOCK } from '../../../../src/kernels/kernels.ts';
import type { MemoryPlan, Slot } from '../../../../src/kernels/memory.ts';
import { ArenaBuilder, wholeArena } from '../../../../src/kernels/memory.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import { integers, normals } from '../../../../test/support/data.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const [R, D, V] = [5, 40, 3001];
/** The columns of a wider slot that products write and read. */
const [FIRST_COLUMN, COLUMNS] = [17, V + 30];

/** Two arenas of a large matrix each, and the small operands of every kernel that reads or writes one. */
function planHead() {
  const arenas = {
    weights: new ArenaBuilder('weights', 'real', 'weights'),
    gradients: new ArenaBuilder('gradients', 'real', 'gradients'),
    moments: new ArenaBuilder('moments', 'real', 'optimizer'),
    moreMoments: new ArenaBuilder('moreMoments', 'real', 'optimizer'),
    small: new ArenaBuilder('small', 'real', 'activations'),
    ints: new ArenaBuilder('ints', 'int', 'indices'),
  };
  const { small, ints } = arenas;
  const slots = {
    weight: arenas.weights.slot([V, D]),
    dWeight: arenas.gradients.slot([V, D]),
    firstMoment: arenas.moments.slot([V, D]),
    secondMoment: arenas.moreMoments.slot([V, D]),
    hidden: small.slot([R, D]),
    embedded: small.slot([R, D]),
    dHidden: small.slot([R, D]),
    wide: small.slot([R, COLUMNS]),
    dOfColumns: small.slot([R, D]),
    logprobs: small.slot([R]),
    logSumExp: small.slot([R]),
    entropies: small.slot([R]),
    dLogprobs: small.slot([R]),
    dEntropies: small.slot([R]),
    keptLogMass: small.slot([R]),
    sampledLogprobs: small.slot([R]),
    temperature: small.slot([1]),
    sampling: small.slot([4]),
    norm: small.slot([1]),
    partials: small.slot([Math.ceil((V * D) / GRADIENT_NORM_BLOCK)]),
    settings: small.slot([ADAMW.length]),
    targets: ints.slot([R]),
    offsets: ints.slot([R + 1]),
    key: ints.slot([2]),
    rolloutNumbers: ints.slot([R, 2]),
    counters: ints.slot([R]),
    sampled: ints.slot([R]),
  };
  const plan: MemoryPlan = {
    arenas: Object.values(arenas).map((arena) => arena.spec()),
    matrices: [{ slot: slots.weight, uses: ['forward', 'backward'] }],
    limits: { rows: R, context: R, vocabSize: V, width: COLUMNS, headDim: 1 },
  };
  return { plan, slots };
}

async function everyResult(label: string) {
  const { plan, slots } = planHead();
  const engine = await (await loadBackend(label)).open(plan);
  const flat = (slot: Slot): Slot => ({ ...slot, shape: [V * D] });
  const rows = { begin: 0, end: R };
  try {
    engine.write(slots.weight, normals([V, D], 1, 0.2));
    engine.write(slots.hidden, normals([R, D], 2));
    engine.write(slots.wide, normals([R, COLUMNS], 6));
    engine.write(slots.dLogprobs, normals([R], 3));
    engine.write(slots.dEntropies, normals([R], 4));
    engine.write(slots.targets, [0, 17, 1500, 2047, V - 1]);
    engine.write(slots.offsets, [0, 1, 2, 3, 4, 5]);
    engine.write(slots.counters, integers([R], 5, 100));
    engine.write(slots.temperature, [0.7]);
    engine.write(slots.sampling, [0.7, 40, 0.9, 0]);
    engine.write(slots.settings, [1e-2, 0.9, 0.99, 1e-8, 0.1, 0.1, 0.01, 1]);
    const program = engine.record('head', (kernels) => {
      const { weight, dWeight, hidden, temperature, logSumExp, entropies, targets } = slots;
      kernels.embedding({ tokens: targets, table: weight, out: slots.embedded, rows });
      kernels.linearLogprob({ ...slots, rows });
      kernels.linearLogprobBackward({ ...slots, hidden, temperature, logSumExp, entropies, rows });
      const buckets = { sortedRows: slots.offsets, bucketTokens: targets, bucketOffsets: slots.offsets, buckets: R };
      kernels.embeddingBackward({
        ...buckets,
        sortedRows: { ...slots.offsets, shape: [R] },
        dOut: hidden,
        dTable: dWeight,
      });
      const { wide } = slots;
      const columns = { firstColumn: FIRST_COLUMN, rows };
      kernels.linear({ x: hidden, weight, residual: wide, out: wide, ...columns });
      kernels.linearInputGradient({ dOut: wide, weight, dX: slots.dOfColumns, ...columns });
      kernels.linearWeightGradient({ dOut: wide, x: hidden, dWeight, ...columns });
      const gradients = flat(dWeight);
      kernels.gradientNorm({ gradients, partials: slots.partials, norm: slots.norm });
      const moments = { firstMoment: flat(slots.firstMoment), secondMoment: flat(slots.secondMoment) };
      const { norm, settings } = slots;
      kernels.adamw({ parameters: flat(weight), gradients, ...moments, norm, settings, decayLength: 70_000 });
      kernels.add({ x: flat(weight), out: moments.firstMoment });
      kernels.copy({ x: flat(dWeight), out: moments.secondMoment });
      kernels.fill({ out: dWeight, value: 3 });
      kernels.sample({ ...slots, tokens: slots.sampled, logprobs: slots.sampledLogprobs, rows });
    });
    await engine.replay(program);
    return await Promise.all(plan.arenas.map((arena) => engine.read(wholeArena(arena))));
  } finally {
    await engine.close();
  }
}

it.each(REQUIRED_ADAPTERS)('every kernel over a table gives the same bits on %s, cut or whole', async (adapter) => {
  const whole = await everyResult(`webgpu:${adapter}`);
  const cut = await everyResult(`webgpu:${adapter}:bindingBytes=131072`);
  whole.forEach((values, arena) => expectSameBits(cut[arena], values, `arena ${arena}`));
  expect(whole[0].some((value) => value !== 0)).toBe(true);
});
