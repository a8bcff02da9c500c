/**
 * Global gradient norm in two fixed stages. Formula and shapes: kernels.ts (gradientNorm). One workgroup of 64 per block
 * of 1,024 gradients, then one workgroup of 256 over the partial sums.
 */
import type { GradientNormArgs } from '../../../src/kernels/kernels.ts';
import { GRADIENT_NORM_BLOCK } from '../../../src/kernels/kernels.ts';
import { slotLength } from '../../../src/kernels/memory.ts';
import type { Recorder } from '../recorder.ts';
import { MOST_WORKGROUPS, read, write } from '../recorder.ts';
import { GROUP_ROW } from './rms_norm.ts';

/** partials = Σ gradients² a block;  norm = √Σ partials */
export function gradientNorm(recorder: Recorder, { gradients, partials, norm }: GradientNormArgs): void {
  for (const { begin, end, slot } of recorder.pieces(gradients, GRADIENT_NORM_BLOCK)) {
    const blocks = Math.ceil((end - begin) / GRADIENT_NORM_BLOCK);
    recorder.dispatch({
      label: 'gradientNorm partials',
      operands: { gradients: read(slot), partials: write(partials) },
      scalars: { length: end - begin, first: begin / GRADIENT_NORM_BLOCK, blocks },
      reductions: 64,
      code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let block = ${GROUP_ROW};
  if (block >= P.blocks) { return; }
  let last = min(P.length, (block + 1u) * ${GRADIENT_NORM_BLOCK}u);
  var squares = 0.0;
  for (var i = block * ${GRADIENT_NORM_BLOCK}u + t; i < last; i += 64u) { let g = load_gradients(i); squares = fma(g, g, squares); }
  squares = workgroup_sum(t, squares);
  if (t == 0u) { store_partials(P.first + block, squares); }
}`,
      workgroups: () => [Math.min(blocks, MOST_WORKGROUPS), Math.ceil(blocks / MOST_WORKGROUPS)],
      work: () => end - begin,
    });
  }
  recorder.dispatch({
    label: 'gradientNorm',
    operands: { partials: read(partials), norm: write(norm) },
    scalars: { blocks: slotLength(partials) },
    reductions: 256,
    code: /* wgsl */ `
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32) {
  var sum = 0.0;
  for (var i = t; i < P.blocks; i += 256u) { sum += load_partials(i); }
  sum = workgroup_sum(t, sum);
  if (t == 0u) { store_norm(0u, sqrt(sum)); }
}`,
    workgroups: () => [1, 1],
    work: () => slotLength(partials),
  });
}
