/**
 * The profile of a race step on WebGPU: what each kernel takes between its timestamps (timed_gpu.mjs), on the adapter that
 * --adapter names. A software adapter gets a smaller step, which takes seconds.
 */
import { webgpuBackend } from '../../build/packages/rlvr-train/index.js';
import { describeAdapter } from '../../build/packages/webgpu/adapter.js';
import { fail, machineLine, table, writeJson } from '../command.mjs';
import { gpuAdapter } from '../gpu_adapter.mjs';
import { quantile } from '../statistics.mjs';
import { openWorkload, RACE, stepper, workloadLine } from '../workload.mjs';
import { timedGpu } from './timed_gpu.mjs';

const SMALL = { ...RACE, prompts: 4, groupSize: 4 };
/** Share of a step below which kernels are one row. */
const LEAST_SHARE = 0.004;

/** @param wanted  a part of the adapter's name */
export async function profileOnGpu({ wanted, machine, repeats, quick, json }) {
  const { gpu, found } = await gpuAdapter(wanted);
  const adapter = describeAdapter(found);
  if (!found.features.has('timestamp-query'))
    fail(`--backend: webgpu — ${adapter.description} has no timestamps (timestamp-query); use another --adapter.`);
  const { source, take } = timedGpu(gpu);
  const workload = adapter.isSoftware ? SMALL : RACE;
  const run = await openWorkload(workload, { backend: webgpuBackend(source) });
  try {
    const step = stepper(run);
    for (let i = 0; i < (quick ? 1 : 3); i++) await step();
    await take();
    const steps = [];
    for (let i = 0; i < repeats; i++) steps.push({ seconds: (await step()).seconds, ...(await take()) });
    report({ steps, adapter, machine, workload, run, json });
  } finally {
    await run.engine.policy.close();
  }
}

function report({ steps, adapter, machine, workload, run, json }) {
  const stepMs = quantile(
    steps.map(({ seconds }) => 1000 * seconds),
    0.5,
  );
  const names = [...new Set(steps.flatMap(({ kernels }) => [...kernels.keys()]))];
  const rows = names
    .map((kernel) => {
      const each = steps.map(({ kernels }) => kernels.get(kernel) ?? { calls: 0, ms: 0 });
      const ms = quantile(
        each.map((one) => one.ms),
        0.5,
      );
      return { kernel, calls: each.at(-1).calls, ms };
    })
    .sort((a, b) => b.ms - a.ms);
  const onDevice = rows.reduce((sum, { ms }) => sum + ms, 0);
  const untimed = steps.at(-1).untimed;
  const small = rows.filter(({ ms }) => ms < LEAST_SHARE * onDevice);
  const lines = rows.filter((row) => !small.includes(row)).map((row) => line(row, onDevice));
  if (small.length > 0) {
    const sum = (key) => small.reduce((total, row) => total + row[key], 0);
    lines.push(line({ kernel: `${small.length} more`, calls: sum('calls'), ms: sum('ms') }, onDevice));
  }
  process.stdout.write(
    `${[
      machineLine(machine),
      `on ${adapter.description}: ${workloadLine(workload, run)}`,
      `a step takes ${stepMs.toFixed(0)} ms with a pass for each dispatch, median of ${steps.length}; ${onDevice.toFixed(0)} ms of it between timestamps${untimed > 0 ? `, ${untimed} dispatches untimed` : ''}`,
      '',
      table(['kernel', 'dispatches', 'ms', 'of them', 'µs each'], lines),
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  const settings = { work: 'race', backend: 'webgpu', ...workload, repeats: steps.length };
  writeJson(json, 'profile', { machine, adapter, settings, stepMs, onDeviceMs: onDevice, untimed, rows });
}

const line = ({ kernel, calls, ms }, all) => [
  kernel,
  calls,
  ms.toFixed(2),
  `${((100 * ms) / all).toFixed(1)} %`,
  ((1000 * ms) / calls).toFixed(0),
];
