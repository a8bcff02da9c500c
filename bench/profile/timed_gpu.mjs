/**
 * What each kernel takes on a WebGPU device, by its own clock: a source of adapters whose devices give every dispatch a
 * pass of its own, with a timestamp before and after it. Passes of their own cost time, so a step takes longer than
 * otherwise; what a kernel takes is between its timestamps.
 */

/** Timestamps of a submission: WebGPU's most in a set. Dispatches beyond them run untimed, and are counted. */
const MOST_QUERIES = 4096;

/**
 * An adapter source like `gpu` whose devices time their dispatches.
 *
 * @returns the source, and `take()`: by label of a kernel its `calls` and `ms` since the last time, and how many dispatches
 *   were `untimed`; it waits for what is under way
 * @throws Error at `requestDevice`, where the adapter has no timestamps
 */
export function timedGpu(gpu) {
  let taken = { kernels: new Map(), untimed: 0 };
  const pending = new Set();
  const labels = new WeakMap();

  const watchDevice = (device) => {
    const free = [];
    const timers = new WeakMap();
    const createPipeline = device.createComputePipelineAsync.bind(device);
    device.createComputePipelineAsync = async (descriptor) => {
      const pipeline = await createPipeline(descriptor);
      labels.set(pipeline, descriptor.label);
      return pipeline;
    };
    const createEncoder = device.createCommandEncoder.bind(device);
    device.createCommandEncoder = (descriptor) => {
      const encoder = createEncoder(descriptor);
      const timer = { ...(free.pop() ?? newTimer(device)), names: [] };
      const begin = encoder.beginComputePass.bind(encoder);
      encoder.beginComputePass = () => timedPass(begin, timer);
      const finish = encoder.finish.bind(encoder);
      encoder.finish = () => {
        const count = 2 * timer.names.length;
        if (count > 0) {
          encoder.resolveQuerySet(timer.queries, 0, count, timer.resolved, 0);
          encoder.copyBufferToBuffer(timer.resolved, 0, timer.read, 0, 8 * count);
        }
        const commands = finish();
        timers.set(commands, timer);
        return commands;
      };
      return encoder;
    };
    const submit = device.queue.submit.bind(device.queue);
    device.queue.submit = (lists) => {
      submit(lists);
      for (const timer of lists.map((list) => timers.get(list))) {
        const reading = read(timer).then(() => free.push(timer));
        pending.add(reading);
        reading.finally(() => pending.delete(reading));
      }
    };
  };

  /** A pass whose dispatches each become a pass. */
  const timedPass = (begin, timer) => {
    const groups = new Map();
    let pipeline;
    return {
      setPipeline: (given) => {
        pipeline = given;
      },
      setBindGroup: (...given) => groups.set(given[0], given),
      dispatchWorkgroups: (...counts) => {
        const first = 2 * timer.names.length;
        const isTimed = first < MOST_QUERIES;
        const writes = { querySet: timer.queries, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
        const pass = begin(isTimed ? { timestampWrites: writes } : {});
        pass.setPipeline(pipeline);
        for (const group of groups.values()) pass.setBindGroup(...group);
        pass.dispatchWorkgroups(...counts);
        pass.end();
        if (isTimed) timer.names.push(labels.get(pipeline) ?? 'without a label');
        else taken.untimed++;
      },
      end: () => {},
    };
  };

  const read = async ({ names, read: buffer }) => {
    if (names.length === 0) return;
    await buffer.mapAsync(1, 0, 16 * names.length); // GPUMapMode.READ
    const stamps = new BigUint64Array(buffer.getMappedRange(0, 16 * names.length).slice(0));
    buffer.unmap();
    names.forEach((name, i) => {
      const kernel = taken.kernels.get(name) ?? { calls: 0, ms: 0 };
      kernel.calls++;
      kernel.ms += Number(stamps[2 * i + 1] - stamps[2 * i]) / 1e6;
      taken.kernels.set(name, kernel);
    });
  };

  const requestAdapter = async (options) => {
    const adapter = await gpu.requestAdapter(options);
    if (adapter === null) return null;
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      if (!adapter.features.has('timestamp-query')) throw new Error('the adapter has no timestamps (timestamp-query)');
      const requiredFeatures = [...(descriptor?.requiredFeatures ?? []), 'timestamp-query'];
      const device = await requestDevice({ ...descriptor, requiredFeatures });
      watchDevice(device);
      return device;
    };
    return adapter;
  };
  const take = async () => {
    await Promise.all(pending);
    const result = taken;
    taken = { kernels: new Map(), untimed: 0 };
    return result;
  };
  return { source: { requestAdapter }, take };
}

/** Queries, the buffer that they are resolved into, and one to read them from. */
function newTimer(device) {
  const size = 8 * MOST_QUERIES;
  return {
    queries: device.createQuerySet({ type: 'timestamp', count: MOST_QUERIES }),
    resolved: device.createBuffer({ label: 'timestamps', size, usage: 0x0200 | 0x0004 }), // QUERY_RESOLVE | COPY_SRC
    read: device.createBuffer({ label: 'timestamps read', size, usage: 0x0001 | 0x0008 }), // MAP_READ | COPY_DST
  };
}
