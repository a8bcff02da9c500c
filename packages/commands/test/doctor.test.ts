import { describe, expect, it } from 'vitest';
import { type Examination, findingsOf, lines, verdict } from '../actions/doctor.ts';
import { checkEngine } from '../actions/engine_check.ts';

function engine({ single = 20, all = 40, fused = true, bits = 256 as 128 | 256 }): Examination['engine'] {
  return { single: { threads: 1, gflops: single, fused, bits }, all: { threads: 2, gflops: all, fused, bits } };
}

const HEALTHY: Examination = {
  version: '0.1.0',
  commit: 'f'.repeat(40),
  platform: 'linux 6.1 x64',
  cpu: 'A Processor',
  cores: 2,
  load: 1.5,
  memoryBytes: 16 * 2 ** 30,
  freeMemoryBytes: 12 * 2 ** 30,
  node: '24.9.0',
  v8: '13.6',
  sharedMemory: true,
  engine: engine({ single: 38.12, all: 74 }),
  engineBytes: 4 * 2 ** 30,
  reachBytes: 16 * 2 ** 30,
  auto: { backend: 'wasm', why: 'this machine shows no GPU' },
  webgpu: { adapters: ['llvmpipe (mesa, on the processor)'] },
  directory: '/home/me/runs',
  writable: true,
  freeDiskBytes: 75 * 2 ** 30,
};

describe('doctor', () => {
  it('finds nothing wrong with a healthy machine', () => {
    expect(findingsOf(HEALTHY)).toEqual([]);
    expect(verdict([])).toMatch(/ready$/);
    const text = lines(HEALTHY).join('\n');
    expect(text).toContain('256 bits, fused multiply-add yes, 2 threads');
    expect(text).toContain('38.1 GFLOP/s on 1 thread, 74.0 on 2');
    expect(text).toContain('takes wasm, since this machine shows no GPU');
    expect(text).toContain('shared memory yes, up to 16.0 GiB of it');
    expect(text).toContain('webgpu is installed: llvmpipe');
  });

  it('says how to install an optional part, and what it gives', () => {
    const failure = 'webgpu: the optional package webgpu is not installed. Install it with `npm install webgpu`.';
    const text = lines({ ...HEALTHY, webgpu: { failure } }).join('\n');
    expect(text).toContain('`npm install webgpu`. It trains on a GPU (Vulkan, Metal, Direct3D 12).');
  });

  it.each<[string, Partial<Examination>, boolean, RegExp]>([
    ['an engine that does not start', { engine: { failure: 'no simd' } }, true, /no simd.*Node 20/],
    ['a directory that cannot be written', { writable: false }, true, /\/home\/me\/runs cannot be written.*--output/],
    ['a full disk', { freeDiskBytes: 1e6 }, true, /0\.0 GiB free on the disk/],
    ['no shared memory', { sharedMemory: false }, false, /one thread only/],
    ['a busy processor', { load: 9.04 }, false, /load 9\.0 on 2 cores/],
    ['little address space', { engineBytes: 2 ** 30 }, false, /only 1\.0 GiB.*ulimit -v/],
    ['no fused multiply-add', { engine: engine({ fused: false, bits: 128 }) }, false, /no fused multiply-add/],
    [
      'an engine older than the processor',
      { node: '20.20.2', v8: '11.3', engine: engine({ bits: 128 }) },
      false,
      /Node 20\.20\.2 computes 128 bits at a time; from Node 24 on/,
    ],
  ])('finds %s', (_, change, stops, text) => {
    const found = { ...HEALTHY, ...change };
    expect(findingsOf(found)).toEqual([{ stops, text: expect.stringMatching(text) }]);
    expect(verdict(findingsOf(found))).toMatch(stops ? /not ready\n/ : /ready, not at its best\n/);
    expect(lines(found).length).toBeGreaterThan(6);
  });
});

it('the engine is measured by running it, and with or without fused multiply-add it says so', async () => {
  const plain = await checkEngine(1, { seconds: 0.01, fma: false });
  expect(plain.fused).toBe(false);
  const { gflops, threads, bits } = await checkEngine(1, { seconds: 0.01 });
  expect([128, 256]).toContain(bits);
  expect(threads).toBe(1);
  expect(gflops).toBeGreaterThan(0.05);
});
