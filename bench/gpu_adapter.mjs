// The GPU that a benchmark asks for.
import { nodeGpu } from '../build/packages/webgpu/webgpu.node.js';
import { fail } from './command.mjs';

/**
 * Ends the benchmark in a sentence where there is none.
 *
 * @param wanted  a part of its name; undefined: the first that is powerful
 * @returns the source, and its adapter
 */
export async function gpuAdapter(wanted) {
  const gpu = await nodeGpu(wanted).catch(({ message }) => fail(message));
  const found = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(({ message }) => fail(message));
  if (found === null) {
    fail('WebGPU finds no adapter on this machine. A driver for Vulkan makes one; Mesa’s lavapipe is one in software.');
  }
  return { gpu, found };
}
