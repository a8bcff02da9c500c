/**
 * Kernels that read a matrix as it is stored, in fewer bits: right by the specification on the same stored values, and with
 * the very bits of the same kernels on the widened matrix, whatever the tile and the number of threads.
 */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { ArenaBuilder, type MemoryPlan, type Slot } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import {
  FILE_STORAGES,
  isOfFiles,
  ROUNDED_STORAGES,
  STORAGE,
  type Storage,
  type StoredValues,
} from '../../src/kernels/storage.ts';
import { requiredBackends } from '../support/backends.ts';
import { fewOf } from '../support/budget.ts';
import { expectClose } from '../support/compare.ts';
import { fileBlocks } from '../support/file_blocks.ts';
import { bitsOf } from '../support/policies.ts';

/** Rows, outputs and inputs: fewer than a panel and a strip; several blocks of rows; sums longer than one part. */
const SHAPES = {
  small: [5, 37, { single: 29, blocks: 32, parts: 256 }],
  'many rows': [101, 20, { single: 45, blocks: 64, parts: 512 }],
  'long sums over inputs': [7, 5, { single: 1601, blocks: 1600, parts: 1792 }],
  'long sums over outputs': [7, 1601, { single: 9, blocks: 32, parts: 256 }],
} as const;

const wave = (length: number, from: number, size = 1): Float32Array =>
  Float32Array.from({ length }, (_, i) => size * Math.sin(1.7 * i + from));

function storedMatrix(type: Storage, length: number, size: number): StoredValues {
  return isOfFiles(type)
    ? fileBlocks(type, length)
    : { storage: type, bytes: STORAGE[type].encode(wave(length, 1, size)) };
}

/** Which width of a shape is one for blocks of this type. */
function widthOf(type: Storage): 'single' | 'blocks' | 'parts' {
  const { values } = STORAGE[type];
  return values === 1 ? 'single' : values === 32 ? 'blocks' : 'parts';
}

type Read = Readonly<Record<string, Float32Array>>;

/** What every kernel that reads a matrix makes of it. */
async function readBy(
  backend: Backend,
  type: Storage,
  kept: Storage,
  shape: readonly [number, number, number],
): Promise<Read> {
  const [N, OUT, IN] = shape;
  const matrices = new ArenaBuilder('matrices', 'real', 'weights', { storage: kept });
  const reals = new ArenaBuilder('reals', 'real', 'test');
  const ints = new ArenaBuilder('ints', 'int', 'test');
  matrices.slot([3, IN]); // it does not begin where its arena does
  const weight = matrices.slot([OUT, IN]);
  const real = (...size: number[]): Slot => reals.slot(size);
  const [x, bias, residual, out, dX, embedded] = [
    real(N, IN),
    real(OUT),
    real(N, OUT),
    real(N, OUT),
    real(N, IN),
    real(N, IN),
  ];
  const [temperature, logprobs, logSumExp, entropies] = [real(1), real(N), real(N), real(N)];
  const [dLogprobs, dEntropies, dHidden] = [real(N), real(N), real(N, IN)];
  const [sampling, sampledLogprobs, sampledEntropies, keptLogMass] = [real(4), real(N), real(N), real(N)];
  const [tokens, targets, key, rolloutNumbers, counters, sampled] = [[N], [N], [2], [N, 2], [N], [N]].map((size) =>
    ints.slot(size),
  ) as [Slot, Slot, Slot, Slot, Slot, Slot];
  const plan: MemoryPlan = {
    arenas: [matrices.spec(), reals.spec(), ints.spec()],
    matrices: [{ slot: weight, uses: ['forward', 'backward'] }],
    limits: { rows: N, context: 4, vocabSize: OUT, width: Math.max(IN, OUT), headDim: 8 },
  };
  const engine = await backend.open(plan);
  // The same numbers whichever way they are kept.
  engine.write(weight, storedMatrix(type, OUT * IN, 1.5 / Math.sqrt(IN)));
  engine.write(x, wave(N * IN, 2));
  engine.write(bias, wave(OUT, 3));
  engine.write(residual, wave(N * OUT, 4));
  engine.write(temperature, [0.9]);
  engine.write(dLogprobs, wave(N, 5));
  engine.write(dEntropies, wave(N, 6, 0.1));
  engine.write(sampling, [1, 0, 1, 0]);
  engine.write(key, [7, 8]);
  for (const [slot, most] of [
    [tokens, OUT],
    [targets, OUT],
    [counters, 9],
  ] as const) {
    engine.write(
      slot,
      Int32Array.from({ length: N }, (_, i) => (i * 31) % most),
    );
  }
  const rows = { begin: 0, end: N };
  const hidden = x;
  await engine.replay(
    engine.record('all', (kernels) => {
      kernels.linear({ x, weight, bias, residual, out, rows });
      kernels.linearInputGradient({ dOut: residual, weight, dX, rows });
      kernels.embedding({ tokens, table: weight, out: embedded, rows });
      kernels.linearLogprob({ hidden, weight, targets, temperature, logprobs, logSumExp, entropies, rows });
      kernels.linearLogprobBackward({
        hidden,
        weight,
        targets,
        temperature,
        logSumExp,
        entropies,
        dLogprobs,
        dEntropies,
        dHidden,
        dWeight: undefined,
        rows,
      });
      kernels.sample({
        hidden,
        weight,
        sampling,
        key,
        rolloutNumbers,
        counters,
        tokens: sampled,
        logprobs: sampledLogprobs,
        entropies: sampledEntropies,
        keptLogMass,
        rows,
      });
    }),
  );
  const slots = {
    weight,
    out,
    dX,
    embedded,
    logprobs,
    logSumExp,
    entropies,
    dHidden,
    sampled,
    sampledLogprobs,
    sampledEntropies,
  };
  const read: [string, Float32Array][] = [];
  for (const [name, slot] of Object.entries(slots)) read.push([name, Float32Array.from(await engine.read(slot))]);
  await engine.close();
  return Object.fromEntries(read);
}

const backends = await requiredBackends();

describe.each(Object.keys(SHAPES) as (keyof typeof SHAPES)[])('%s', (size) => {
  const types = [...fewOf(ROUNDED_STORAGES, { quick: 2, all: 3 }), ...fewOf(FILE_STORAGES, { quick: 2, all: 5 })];
  it.each(types)('%s', async (type) => {
    const [N, OUT, widths] = SHAPES[size];
    const shape = [N, OUT, widths[widthOf(type)]] as const;
    let specified: Read | undefined; // seconds, and nothing where no backend keeps the type
    for (const { label: name, backend } of backends) {
      if (!backend.frozenStorages?.includes(type)) {
        await expect(readBy(backend, type, type, shape), name).rejects.toMatchObject({ code: 'storage' });
        continue;
      }
      const stored = await readBy(backend, type, type, shape);
      const widened = await readBy(backend, type, 'f32', shape);
      for (const [slot, values] of Object.entries(stored)) {
        expect(bitsOf(values), `${name}: ${slot}`).toEqual(bitsOf(widened[slot] as Float32Array));
      }
      specified ??= await readBy(referenceBackend, type, type, shape);
      for (const [slot, values] of Object.entries(specified)) {
        if (slot.startsWith('sampled')) continue; // a token near the edge of two is either
        expectClose(stored[slot] as Float32Array, values, { terms: shape[1] + shape[2] }, `${name}: ${slot}`);
      }
    }
  });
});
