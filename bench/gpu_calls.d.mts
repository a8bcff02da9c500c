/** Types of gpu_calls.mjs, for the tests. */
import type { AdapterSource } from '../packages/webgpu/adapter.ts';

export interface GpuCalls {
  readonly dispatches: number;
  readonly submissions: number;
  readonly writes: number;
  readonly mappings: number;
  readonly buffers: number;
  readonly bindGroups: number;
  readonly pipelines: number;
}
export function countedGpu(gpu: AdapterSource): {
  readonly source: AdapterSource;
  readonly take: () => GpuCalls;
};
