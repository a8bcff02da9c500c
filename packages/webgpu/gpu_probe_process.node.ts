/** The process of `probeGpu`: looks for adapters, and prints what it finds as JSON, on the last line. */

import { chooseBackend } from '../../src/cli/process/backend.ts';
import { BackendError } from '../../src/errors.ts';
import { adapterLine } from './adapter.ts';
import type { GpuFindings } from './gpu_probe.node.ts';
import { WEBGPU } from './named_backend.node.ts';
import { listAdapters } from './webgpu.node.ts';

async function auto(): Promise<GpuFindings['auto']> {
  let why = '';
  try {
    const tell = (reason: string): void => {
      why = reason;
    };
    const backend = await chooseBackend({ backend: 'auto' }, tell, [WEBGPU]);
    return { backend: backend.name, why };
  } catch (error) {
    if (error instanceof BackendError) return { backend: 'nothing', why: error.message };
    throw error;
  }
}

async function webgpu(): Promise<GpuFindings['webgpu']> {
  try {
    return { adapters: (await listAdapters()).map(adapterLine) };
  } catch (error) {
    if (error instanceof BackendError) return { failure: error.message };
    throw error;
  }
}

const found: GpuFindings = { auto: await auto(), webgpu: await webgpu() };
// A device that is open would keep the process.
process.stdout.write(`\n${JSON.stringify(found)}`, () => process.exit(0));
