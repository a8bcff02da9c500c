/** Types of gpu_calls.mjs, for the tests. */
export interface GpuCalls {
  readonly dispatches: number;
  readonly submissions: number;
  readonly writes: number;
  readonly mappings: number;
  readonly buffers: number;
  readonly bindGroups: number;
  readonly pipelines: number;
}
export function countedGpu(gpu: Pick<GPU, 'requestAdapter'>): {
  readonly source: Pick<GPU, 'requestAdapter'>;
  readonly take: () => GpuCalls;
};
