/** What a caller may choose of the webgpu engine. */
import type { StorageDtype } from '../../src/kernels/memory.ts';

/** How matrix products are tiled: through workgroup memory on GPUs, in registers alone on software adapters. */
export type Tiling = 'workgroups' | 'registers';

/** How the WebGPU backend is opened. Each has a default that fits the adapter. */
export interface WebgpuOptions {
  /** Bytes that a kernel sees of one buffer, at most; default: what the adapter allows. Larger weights are cut. */
  readonly bindingBytes?: number | undefined;
  /** How matrix products are tiled; default: in registers on software adapters, else through workgroup memory. */
  readonly tiling?: Tiling | undefined;
  /** Reduce rows by exchanges between the lanes of subgroups where the adapter has them; default true. */
  readonly subgroups?: boolean | undefined;
  /** How a plan for it keeps what may be rounded; default float32. float16 needs an adapter with shader-f16; bfloat16 it does not have. */
  readonly storageDtype?: StorageDtype | undefined;
  /** Decoding steps between two reads, at most. */
  readonly stepsPerRead?: number | undefined;
}
