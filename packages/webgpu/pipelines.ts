/** Compute pipelines by their WGSL text: compiled asynchronously and in parallel, each once a device. */

/** How a kernel uses a storage buffer. */
export type BindingAccess = 'read' | 'write';

/** A pipeline that may still be compiling. */
export interface PendingPipeline {
  pipeline: GPUComputePipeline | undefined;
  readonly ready: Promise<void>;
}

/** Bindings 0 and 1 of every kernel are uniforms: the dispatch's parameters, and the counts. Storage buffers follow. */
export const FIRST_STORAGE_BINDING = 2;

export class PipelineCache {
  readonly #device: GPUDevice;
  readonly #pipelines = new Map<string, PendingPipeline>();
  readonly #bindGroupLayouts = new Map<string, GPUBindGroupLayout>();
  readonly #pipelineLayouts = new Map<string, GPUPipelineLayout>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** The one bind group of kernels that use their storage buffers in this way. */
  bindGroupLayout(accesses: readonly BindingAccess[]): GPUBindGroupLayout {
    return memoized(this.#bindGroupLayouts, accesses.join(), () => {
      const types = accesses.map((access) => (access === 'read' ? 'read-only-storage' : 'storage'));
      return this.#device.createBindGroupLayout({
        entries: (['uniform', 'uniform', ...types] as const).map((type, binding) => ({
          binding,
          visibility: GPU_SHADER_STAGE_COMPUTE,
          buffer: { type },
        })),
      });
    });
  }

  /** The pipeline of a shader; compiles in the background the first time. */
  pipeline(label: string, code: string, accesses: readonly BindingAccess[]): PendingPipeline {
    return memoized(this.#pipelines, code, () => {
      const layout = memoized(this.#pipelineLayouts, accesses.join(), () =>
        this.#device.createPipelineLayout({ bindGroupLayouts: [this.bindGroupLayout(accesses)] }),
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
      pending.ready.catch(() => {}); // the replay of the program awaits it and gets the error
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
