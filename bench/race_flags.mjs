// Flags of the comparisons that take steps of the race on a backend: --backend wasm or webgpu, and there --adapter.
import { describeAdapter } from '../build/packages/webgpu/adapter.js';
import { describeMachine, fail, readFlags, readThreads, THREADS_FLAG } from './command.mjs';
import { gpuAdapter } from './gpu_adapter.mjs';
import { RACE } from './workload.mjs';

/** Seconds of work for a software adapter. */
const SMALL = { ...RACE, prompts: 4, groupSize: 4 };

/** What the command asks for, and the machine that it is asked of. @param repeats  where --repeats says nothing */
export async function readRace(repeats) {
  const further = { ...THREADS_FLAG, backend: { type: 'string', default: 'wasm' }, adapter: { type: 'string' } };
  const { quick, json, backend, adapter: wanted, repeats: times, ...flags } = readFlags({ repeats, further });
  if (!['wasm', 'webgpu'].includes(backend)) fail(`--backend: ${backend} — use wasm or webgpu.`);
  const threads = readThreads(flags);
  const { gpu, found } = backend === 'webgpu' ? await gpuAdapter(wanted) : {};
  const adapter = found && describeAdapter(found);
  const workload = adapter?.isSoftware ? SMALL : RACE;
  return { quick, repeats: times, json, backend, threads, machine: describeMachine(), gpu, adapter, workload };
}
