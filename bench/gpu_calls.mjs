/**
 * Counts what an engine asks of WebGPU, at the interface itself: dispatches, submissions, writes, mappings, and what
 * is created. Counting costs time, so nothing is timed on a counted device.
 */

const NONE = { dispatches: 0, submissions: 0, writes: 0, mappings: 0, buffers: 0, bindGroups: 0, pipelines: 0 };

/**
 * An adapter source like `gpu` whose devices count.
 *
 * @returns the source, and `take()`: the calls since the last time
 */
export function countedGpu(gpu) {
  let calls = { ...NONE };
  const take = () => {
    const taken = calls;
    calls = { ...NONE };
    return taken;
  };
  const counting = (object, method, name) => {
    const original = object[method].bind(object);
    object[method] = (...args) => {
      calls[name]++;
      return original(...args);
    };
  };
  const watchPass = (pass) => counting(pass, 'dispatchWorkgroups', 'dispatches');
  const watchEncoder = (encoder) => {
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (descriptor) => {
      const pass = begin(descriptor);
      watchPass(pass);
      return pass;
    };
  };
  const watchDevice = (device) => {
    const createEncoder = device.createCommandEncoder.bind(device);
    device.createCommandEncoder = (descriptor) => {
      const encoder = createEncoder(descriptor);
      watchEncoder(encoder);
      return encoder;
    };
    const createBuffer = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      calls.buffers++;
      const buffer = createBuffer(descriptor);
      counting(buffer, 'mapAsync', 'mappings');
      return buffer;
    };
    counting(device, 'createBindGroup', 'bindGroups');
    counting(device, 'createComputePipelineAsync', 'pipelines');
    const { queue } = device;
    counting(queue, 'submit', 'submissions');
    counting(queue, 'writeBuffer', 'writes');
  };
  const requestAdapter = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    if (adapter === null) return null;
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      watchDevice(device);
      return device;
    };
    return adapter;
  };
  return { source: { requestAdapter }, take };
}
