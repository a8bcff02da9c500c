/**
 * What does a step spend its time on? On wasm: which kernel, on which thread, at barriers, on the host, and beside each kernel its
 * roof. On webgpu: which kernel, by the device's own clock (profile/on_gpu.mjs).
 *
 *   npm run bench -- profile [--work race] [--repeats 15] [--quick] [--threads 2] [--wide] [--model PATH]
 *     [--json FILE]
 *   npm run bench -- profile --backend webgpu [--adapter NAME] [--repeats 15] [--quick] [--json FILE]
 *
 * --work race is the GRPO step of `bench -- step`, sft the supervised step of `bench -- sft`, lora the step of an adapter
 * beside SmolLM2-135M (or --model) of `bench -- lora`, main a GRPO step of configs/countdown-steps.yaml. --wide takes tiles for 256 bits without measuring first, which other
 * work on the machine disturbs. The kernels run in a build of their own whose threads look at a clock
 * at each command and barrier (profile/host.mjs); the table says what that build's step takes.
 *
 * A kernel's roof is the time that its multiply-adds take in the micro-kernel, or that a copy of as many bytes takes
 * (roofline.mjs), whichever is longer. A row is the median over the steps, in milliseconds of a step; a thread works or
 * waits at a barrier, and `host` is the rest: from one job to the next.
 */
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { openCountdown, SUPERVISED_STEPS } from './countdown_workload.mjs';
import { openLoraWorkload, SMOLLM2 } from './lora_workload.mjs';
import { profiledBackend } from './profile/host.mjs';
import { profileOnGpu } from './profile/on_gpu.mjs';
import { Snapshots } from './profile/snapshots.mjs';
import { profileTable } from './profile/table.mjs';
import { openRoofline } from './roofline.mjs';
import { openWorkload, RACE, stepper } from './workload.mjs';

const LORA = { promptTokens: 96, completionTokens: 8, prompts: 2, groupSize: 8 };
/** Most bytes that a roof's copy moves at once: what no cache holds. */
const MOST_BYTES = 2 ** 27;

const OPEN = {
  race: (backend) => openWorkload(RACE, { backend }),
  sft: (backend) =>
    openWorkload({ ...RACE, prompts: RACE.prompts * RACE.groupSize, groupSize: 1 }, { stage: 'sft', backend }),
  lora: (backend) => openLoraWorkload(flags.model, LORA, { backend, rewardedBelow: 1000 }),
  main: (backend) => openCountdown({ backend }),
};
/** Steps before the first that counts. */
const WARMUP = { race: 5, sft: 5, lora: 1, main: SUPERVISED_STEPS + 3 };

const flags = readFlags({
  further: {
    ...THREADS_FLAG,
    work: { type: 'string', default: 'race' },
    wide: { type: 'boolean' },
    model: { type: 'string', default: SMOLLM2 },
    backend: { type: 'string', default: 'wasm' },
    adapter: { type: 'string' },
  },
});
const { repeats, quick, json, work } = flags;
const machine = describeMachine();
if (!['wasm', 'webgpu'].includes(flags.backend)) fail(`--backend: ${flags.backend} — use wasm or webgpu.`);
if (!Object.hasOwn(OPEN, work)) fail(`--work: ${work} — use one of ${Object.keys(OPEN).join(', ')}.`);
const threads = readThreads(flags);
if (flags.backend === 'wasm') await profileOnWasm();
else await profileOnGpu({ wanted: flags.adapter, machine, repeats, quick, json });

async function profileOnWasm() {
  const profile = await profiledBackend({ threads, wide: flags.wide });
  const run = await OPEN[work](profile.backend);
  try {
    const step = stepper(run);
    for (let i = 0; i < (quick && work !== 'main' ? 1 : WARMUP[work]); i++) await step();
    const snapshots = new Snapshots(profile, threads);
    for (let i = 0; i < repeats; i++) snapshots.add((await step()).seconds);
    const rows = snapshots.rows();
    const roofline = await openRoofline({ threads, features: profile.features, mostBytes: MOST_BYTES });
    const peak = await roofline.peak();
    for (const row of rows) await addRoof(row, roofline, peak);
    await roofline.close();
    report({ rows, peak, ...snapshots.whole() }, profile.features);
  } finally {
    await run.engine.policy.close();
  }
}

async function addRoof(row, roofline, peak) {
  const { flop, bytes, calls } = row;
  const multiplyMs = flop / peak.microKernel / 1e6;
  const each = Math.min(MOST_BYTES, bytes / calls);
  const moveMs = bytes > 0 ? (1000 * (await roofline.secondsToMove(each)) * bytes) / each : 0;
  row.bound = multiplyMs > moveMs ? 'arithmetic' : 'memory';
  row.roofMs = Math.max(multiplyMs, moveMs);
}

function report(result, features) {
  const { peak, stepMs } = result;
  process.stdout.write(
    `${[
      machineLine(machine),
      `a step of ${work} on ${threads} ${threads === 1 ? 'thread' : 'threads'}: ${stepMs.toFixed(0)} ms, median of ${repeats}; ${features.simd}, the micro-kernel reaches ${peak.microKernel.toFixed(0)} GFLOP/s`,
      '',
      profileTable(result, threads),
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  writeJson(json, 'profile', { machine, settings: { work, threads, repeats, ...features }, ...result });
}
