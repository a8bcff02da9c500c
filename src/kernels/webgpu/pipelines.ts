/// <reference types="@webgpu/types" />
/** Compute pipelines by their WGSL text: compiled asynchronously and in parallel, each once a device. */

/** How a kernel uses a storage buffer. */
export type BindingAccess = 'read' | 'write';

/** A pipeline that may still be compiling. */
export interface PendingPipeline {
  pipeline: GPUComputePipeline | undefined;
  readonly ready: Promise<void>;
}

export class PipelineCache {
  /** Group 1 of every kernel: the dispatch's parameters at a dynamic offset, and the counts. */
  readonly parameterLayout: GPUBindGroupLayout;
  readonly #device: GPUDevice;
  readonly #pipelines = new Map<string, PendingPipeline>();
  readonly #storageLayouts = new Map<string, GPUBindGroupLayout>();
  readonly #pipelineLayouts = new Map<string, GPUPipelineLayout>();

  constructor(device: GPUDevice) {
    this.#device = device;
    const visibility = GPU_SHADER_STAGE_COMPUTE;
    this.parameterLayout = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility, buffer: { type: 'uniform', hasDynamicOffset: true } },
        { binding: 1, visibility, buffer: { type: 'uniform' } },
      ],
    });
  }

  /** Group 0 of kernels that use their storage buffers in this way. */
  storageLayout(accesses: readonly BindingAccess[]): GPUBindGroupLayout {
    return memoized(this.#storageLayouts, accesses.join(), () =>
      this.#device.createBindGroupLayout({
        entries: accesses.map((access, binding) => ({
          binding,
          visibility: GPU_SHADER_STAGE_COMPUTE,
          buffer: { type: access === 'read' ? 'read-only-storage' : 'storage' },
        })),
      }),
    );
  }

  /** The pipeline of a shader; compiles in the background the first time. */
  pipeline(label: string, code: string, accesses: readonly BindingAccess[]): PendingPipeline {
    return memoized(this.#pipelines, code, () => {
      const layout = memoized(this.#pipelineLayouts, accesses.join(), () =>
        this.#device.createPipelineLayout({ bindGroupLayouts: [this.storageLayout(accesses), this.parameterLayout] }),
      );
      const module = this.#device.createShaderModule({ label, code });
      const compiled = this.#device.createComputePipelineAsync({
        label,
        layout,
        compute: { module, entryPoint: 'main' },
      });
      const pending: PendingPipeline = {
        pipeline: undefined,
        ready: compiled.then((pipeline) => {
          pending.pipeline = pipeline;
        }),
      };
      pending.ready.catch(() => {}); // whoever replays the program awaits it and gets the error
      return pending;
    });
  }
}

/** GPUShaderStage.COMPUTE, which Node has not as a global. */
const GPU_SHADER_STAGE_COMPUTE = 4;

function memoized<Value>(cache: Map<string, Value>, key: string, create: () => Value): Value {
  let value = cache.get(key);
  if (value === undefined) {
    value = create();
    cache.set(key, value);
  }
  return value;
}
