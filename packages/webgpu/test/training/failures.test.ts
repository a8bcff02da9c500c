/** What a user is told when WebGPU cannot be had, cannot hold the plan, or is lost. */
import { expect, it } from 'vitest';
import { BackendError, MemoryPlanError } from '../../../../src/errors.ts';
import { ArenaBuilder, type MemoryPlan, wholeArena } from '../../../../src/kernels/memory.ts';
import { webgpuBackend } from '../../backend.ts';
import { listAdapters, nodeGpu } from '../../webgpu.node.ts';
import { openAdapter, watched } from '../support/adapters.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const gpu = await openAdapter(REQUIRED_ADAPTERS[0]);
const LIMITS = { rows: 16, context: 16, vocabSize: 16, width: 16, headDim: 1 };

function planOf(...lengths: readonly number[]): MemoryPlan {
  const arenas = lengths.map((length, i) => {
    const arena = new ArenaBuilder(`arena${i}`, 'real', 'activations');
    arena.slot([length]);
    return arena.spec();
  });
  return { arenas, matrices: [], limits: LIMITS };
}

it('lists every adapter, and says of a software one that it is none of a GPU', async () => {
  const adapters = await listAdapters();
  expect(adapters.length).toBeGreaterThanOrEqual(REQUIRED_ADAPTERS.length);
  expect(
    adapters.filter(({ description }) => /llvmpipe|SwiftShader/.test(description)).every((a) => a.isSoftware),
  ).toBe(true);
});

it('names the adapters that there are when it is asked for another', async () => {
  const opened = webgpuBackend(await nodeGpu('GeForce 256'));
  await expect(opened).rejects.toMatchObject({ code: 'no-adapter' });
  await expect(opened).rejects.toThrow(/no adapter named 'GeForce 256' \(there are: .+\)\. .*--backend wasm/);
});

it('says so where a browser has no adapter', async () => {
  await expect(webgpuBackend({ requestAdapter: async () => null })).rejects.toThrow(/no adapter.*--backend wasm/);
});

it('refuses before anything is allocated a buffer beyond the adapter, naming its purpose and what to lower', async () => {
  const backend = await webgpuBackend(gpu);
  const plan = planOf(2 ** 33);
  await expect(backend.open(plan)).rejects.toThrow(MemoryPlanError);
  await expect(backend.open(plan)).rejects.toThrow(/^activations: one buffer of 32\.00 GiB needed.*\n.*Lower /);
});

it('refuses what the device cannot give, with the reason and what to lower', async () => {
  const { source, devices } = watched(gpu);
  const backend = await webgpuBackend(source);
  await (await backend.open(planOf(64))).close();
  const device = devices[0];
  // Stands for a driver that is out of memory: a software adapter takes what the system overcommits.
  device.popErrorScope = async () => ({ message: 'not enough memory left' }) as GPUError;
  await expect(backend.open(planOf(64))).rejects.toThrow(/which .+ cannot give \(not enough memory left\)\.\n.*Lower /);
});

it('rejects after a loss with the reason and how to go on, and opens on a new device', async () => {
  const { source, devices } = watched(gpu);
  const backend = await webgpuBackend(source);
  const plan = planOf(64);
  const engine = await backend.open(plan);
  const slot = wholeArena(plan.arenas[0]);
  const program = engine.record('fill', (kernels) => kernels.fill({ out: slot, value: 1 }));
  await engine.replay(program);
  const reading = engine.read(slot);
  devices[0].destroy();
  await expect(reading).rejects.toThrow(BackendError);
  await expect(engine.replay(program)).rejects.toThrow(/device was lost.*--resume.*--backend wasm/);
  await engine.close();
  const next = await backend.open(plan);
  expect([...(await next.read(slot, 2))]).toEqual([0, 0]);
  await next.close();
  expect(devices).toHaveLength(2);
});

it('rejects when a kernel is malformed, instead of computing nothing', async () => {
  const { source, devices } = watched(gpu);
  const backend = await webgpuBackend(source);
  const plan = planOf(64);
  const engine = await backend.open(plan);
  const device = devices[0];
  const createShaderModule = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) => createShaderModule({ ...descriptor, code: `${descriptor.code} ?` });
  const program = engine.record('fill', (kernels) => kernels.fill({ out: wholeArena(plan.arenas[0]), value: 2 }));
  await expect(engine.replay(program)).rejects.toThrow(BackendError);
  await engine.close();
});
