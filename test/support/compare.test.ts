import { afterEach, describe, expect, it, vi } from 'vitest';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { loadBackend, requiredBackends } from './backends.ts';
import { expectClose, expectConformance, expectSameBits } from './compare.ts';
import { given, POISON, poisoned } from './harness.ts';

describe('expectClose', () => {
  it('allows relative·√terms of the largest expected magnitude, and no more', () => {
    expectClose([100, 1.019], [100, 1], { relative: 1e-4, terms: 4 });
    expect(() => expectClose([100, 1.021], [100, 1], { relative: 1e-4, terms: 4 })).toThrow(/output\[1\]/);
  });

  it('fails on an element left poisoned, written where poison is expected, or not finite', () => {
    expect(() => expectClose([POISON], [1], { relative: 1e30 })).toThrow();
    expect(() => expectClose([1], [POISON], { relative: 1e30 })).toThrow();
    expect(() => expectClose([Number.NaN, 1], [1, 1], { relative: 1e30 })).toThrow();
    expectClose([POISON, Number.NaN], [POISON, Number.NaN], { relative: 0 });
  });

  it('does not let poison widen the tolerance of its neighbours', () => {
    expect(() => expectClose([POISON, 1.1], [POISON, 1])).toThrow(/output\[1\]/);
  });
});

describe('expectSameBits', () => {
  it('tells 0 from −0, and Float32Array from Float64Array', () => {
    expectSameBits(Float32Array.of(1, 2), Float32Array.of(1, 2));
    expect(() => expectSameBits(Float32Array.of(1, -0), Float32Array.of(1, 0))).toThrow(/output\[1\]/);
    expect(() => expectSameBits(Float32Array.of(1), Float64Array.of(1))).toThrow(/type/);
  });
});

describe('expectConformance', () => {
  it('fails where a kernel writes a slot that the case does not name', async () => {
    const slots = { x: given([2], [1, 2]), out: poisoned([2]) };
    const test = { slots, writes: { out: {} } };
    await expectConformance(referenceBackend, { ...test, build: (kernels, { x, out }) => kernels.copy({ x, out }) });
    const wrong = expectConformance(referenceBackend, {
      ...test,
      build: (kernels, { x }) => kernels.fill({ out: x, value: 0 }),
    });
    await expect(wrong).rejects.toThrow(/which no kernel writes/);
  });
});

describe('requiredBackends', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('reads its list from RLVR_TEST_BACKENDS, with options', async () => {
    vi.stubEnv('RLVR_TEST_BACKENDS', 'reference,wasm:threads=2:fma=false');
    expect((await requiredBackends()).map(({ label }) => label)).toEqual(['reference', 'wasm:threads=2:fma=false']);
  });

  it('fails, and skips nothing, where a backend or an option is unknown', async () => {
    vi.stubEnv('RLVR_TEST_BACKENDS', 'reference,abacus');
    await expect(requiredBackends()).rejects.toThrow(/abacus/);
    await expect(loadBackend('wasm:speed=11')).rejects.toThrow(/speed=11/);
  });
});
