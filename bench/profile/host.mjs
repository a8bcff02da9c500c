/**
 * The wasm backend in a build that tells what its threads do (src/kernels/wasm/assembly/profile.ts), and the table in which
 * they count it. The build that runs otherwise has none of this.
 *
 * A thread counts for each recorded command how often it ran, its milliseconds between barriers, those at barriers, and the
 * work that only the call itself knows: the first thread counts rows and pairs of a query and a key.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { wasmBackendOn } from '../../build/src/kernels/wasm/engine.js';
import { compileKernels } from '../../build/src/kernels/wasm/modules.js';
import * as host from '../../build/src/kernels/wasm/workers.node.js';
import { compileAssembly, fmaFlags } from '../assembly.mjs';
import { AMOUNT, COLUMNS, COMMAND_BYTES, TABLE_COMMANDS } from './columns.mjs';

const KERNELS = fileURLToPath(new URL('../../src/kernels/wasm/assembly/index.ts', import.meta.url));
const WORKER = new URL('worker.mjs', import.meta.url);

/**
 * @param wide  true: tiles for 256 bits, unmeasured
 * @returns the backend, and what it has counted since it was opened: `programs`, each with its label and commands, `table`
 *   with COLUMNS numbers for each thread and command, and `command`, which reads a command's words
 */
export async function profiledBackend({ threads, wide: wanted }) {
  const { fma, wide } = await compileKernels({ threads: true, fma: true, wide: wanted }, host.engineSwitches);
  const further = [...(wide ? ['--use', 'WIDE=1'] : []), '--use', 'PROFILE=1'];
  const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];
  const module = await compileAssembly(KERNELS, [...fmaFlags(fma), ...further, ...shared]);
  const table = new Float64Array(new SharedArrayBuffer(8 * COLUMNS * TABLE_COMMANDS * threads));
  const programs = [];
  let memory;
  const profilingHost = {
    ...host,
    startWorkers: ({ memory: given, work, onFailure }) => {
      memory = given;
      const workers = work.map((list, index) => {
        const worker = new Worker(WORKER, { workerData: { module, memory, work: list, table, index } });
        worker.on('error', onFailure);
        return worker;
      });
      return { terminate: () => Promise.all(workers.map((worker) => worker.terminate())) };
    },
  };
  const backend = await wasmBackendOn(profilingHost, { threads, fma, wide });
  const open = async (plan) => {
    const engine = await backend.open(plan);
    const record = engine.record.bind(engine);
    engine.record = (label, build) => {
      const program = record(label, build);
      programs.push({ label, ...program.run });
      return program;
    };
    return engine;
  };
  return {
    backend: { ...backend, open },
    features: { fma: fma ? 'relaxed-simd' : 'none', simd: wide ? '256-bit' : '128-bit' },
    programs,
    table,
    /** Kernel number and arguments, as recorded: counts that are read at replay are addresses here. */
    command(index) {
      const [kernel, , ...args] = new Int32Array(memory.buffer, index * COMMAND_BYTES, COMMAND_BYTES / 4);
      return { kernel, args };
    },
    /** What one thread has counted of a command. */
    counted(thread, index) {
      const at = COLUMNS * (thread * TABLE_COMMANDS + index);
      const [calls, workMs, waitMs] = table.subarray(at, at + COLUMNS);
      return { calls, workMs, waitMs, rows: table[at + AMOUNT], pairs: table[at + AMOUNT + 1] };
    },
  };
}
