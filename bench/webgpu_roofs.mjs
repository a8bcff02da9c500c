/**
 * The roofs of a WebGPU adapter: multiply-adds a second when nothing is moved, and bytes a second when nothing is
 * computed. The best of several repeats counts: a roof is what can be reached.
 */

const STORAGE = 0x80;
const REPEATS = 5;
/** Seconds of one measurement, at least: submitting costs little of it. */
const SECONDS = { software: 0.05, hardware: 0.1 };

/** 16 independent chains of four lanes: enough to hide the latency of a multiply-add. */
const CHAINS = 16;
const WORKGROUP = 256;

const names = Array.from({ length: CHAINS }, (_, i) => `a${i}`);
const PEAK = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
override rounds: u32;
@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let scale = out[0]; // not known to the compiler; 0, so that the chains stay finite
  ${names.map((name, i) => `var ${name} = vec4f(f32(id.x + ${i}u));`).join(' ')}
  for (var i = 0u; i < rounds; i++) {
    ${names.map((name) => `${name} = fma(${name}, scale, scale);`).join(' ')}
  }
  let sum = ${names.join(' + ')};
  if (sum.x > 1.0) { out[1] = sum; }
}`;

const COPY = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> to: array<vec4f>;
@group(0) @binding(1) var<storage, read> source: array<vec4f>;
@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < arrayLength(&to); i += groups.x * ${WORKGROUP}u) { to[i] = source[i]; }
}`;

/** @returns GFLOP/s of fused multiply-adds in registers (two operations each), and GB/s of a copy, both ways counted */
export async function measureRoofs(adapter, { isSoftware, copyBytes }) {
  const device = await adapter.requestDevice({
    requiredLimits: {
      maxBufferSize: adapter.limits.maxBufferSize,
      maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
    },
  });
  try {
    const seconds = isSoftware ? SECONDS.software : SECONDS.hardware;
    return {
      gflops: await peak(device, seconds, isSoftware ? 64 : 8192),
      gigabytes: await copy(device, seconds, copyBytes),
    };
  } finally {
    device.destroy();
  }
}

async function peak(device, seconds, workgroups) {
  const buffer = device.createBuffer({ size: 64, usage: STORAGE });
  const rounds = 256;
  const run = recorded(device, PEAK, [buffer], workgroups, { rounds });
  const flop = 2 * 4 * CHAINS * rounds * WORKGROUP * workgroups;
  return flop / (await best(device, run, seconds)) / 1e9;
}

async function copy(device, seconds, bytes) {
  const [to, from] = [0, 1].map(() => device.createBuffer({ size: bytes, usage: STORAGE }));
  const run = recorded(device, COPY, [to, from], Math.min(65_535, Math.ceil(bytes / 16 / WORKGROUP)), {});
  return (2 * bytes) / (await best(device, run, seconds)) / 1e9;
}

/** A function that encodes a number of dispatches of a kernel. */
function recorded(device, code, buffers, workgroups, constants) {
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main', constants } });
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return (times) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let i = 0; i < times; i++) pass.dispatchWorkgroups(workgroups);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
}

/** Best seconds of one dispatch. */
async function best(device, run, atLeast) {
  const timed = async (times) => {
    const start = performance.now();
    run(times);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - start) / 1000;
  };
  let times = 1;
  while ((await timed(times)) < atLeast) times *= 2;
  let seconds = Number.POSITIVE_INFINITY;
  for (let i = 0; i < REPEATS; i++) seconds = Math.min(seconds, (await timed(times)) / times);
  return seconds;
}
