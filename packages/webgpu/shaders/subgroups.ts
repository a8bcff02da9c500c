/**
 * Whether neighbouring invocations of a workgroup are lanes of one subgroup. WGSL does not say which lane an invocation
 * is; every known driver numbers them in order, and this asks the device at hand, with the exchanges that kernels use.
 */

import { MAP_READ, USAGE } from '../layout.ts';
import { masksBelow, type ReductionSize } from './reductions.ts';

const SIZES: readonly ReductionSize[] = [64, 256];

/**
 * Neighbouring invocations that may exchange values as lanes of one subgroup: the adapter's smallest subgroup, or 1 where
 * the device has no subgroups or numbers its lanes in another way.
 */
export async function neighbouringLanes(
  device: GPUDevice,
  { subgroupMinSize: lanes = 1 }: GPUAdapterInfo,
): Promise<number> {
  if (!device.features.has('subgroups') || lanes === 1) return 1;
  const areNeighbours = await Promise.all(SIZES.map((size) => exchangeWithNeighbours(device, size, lanes)));
  return areNeighbours.every(Boolean) ? lanes : 1;
}

async function exchangeWithNeighbours(device: GPUDevice, size: ReductionSize, lanes: number): Promise<boolean> {
  const masks = masksBelow(Math.min(lanes, size));
  const code = /* wgsl */ `
enable subgroups;
@group(0) @binding(0) var<storage, read_write> is_neighbour: array<u32, ${size}>;
@compute @workgroup_size(${size})
fn main(@builtin(local_invocation_index) t: u32) {
  var met = true;
  ${masks.map((mask) => `met = (subgroupShuffleXor(t, ${mask}u) == (t ^ ${mask}u)) && met;`).join('\n  ')}
  is_neighbour[t] = select(0u, 1u, met);
}`;
  const module = device.createShaderModule({ label: 'neighbouring lanes', code });
  const compute = { module, entryPoint: 'main' };
  // A driver that cannot compile its own feature has no use of it.
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute }).catch(() => undefined);
  if (pipeline === undefined) return false;
  const answers = device.createBuffer({ size: 4 * size, usage: USAGE.storage | USAGE.copySource });
  const staging = device.createBuffer({ size: 4 * size, usage: USAGE.mapRead | USAGE.copyDestination });
  const bindGroup = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer: answers } }],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindGroup);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(answers, 0, staging, 0, 4 * size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(MAP_READ);
  const all = new Uint32Array(staging.getMappedRange()).every((answer) => answer === 1);
  answers.destroy();
  staging.destroy();
  return all;
}
