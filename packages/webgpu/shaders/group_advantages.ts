/**
 * Group-relative advantages, arXiv:2402.03300 §4.1. Formulas and shapes: kernels.ts (groupAdvantages). One thread a
 * group; the batch's deviation is taken by each of them, in the same order. A few thousand numbers: time is nothing.
 */
import type { GroupAdvantagesArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';

export function groupAdvantages(recorder: Recorder, args: GroupAdvantagesArgs): void {
  const groups = recorder.count(args.groups);
  const deviation = {
    group: 'deviation(first, last)',
    batch: 'deviation(u32(load_offsets(0u)), u32(load_offsets(groups())))',
  };
  const divisor = args.scale === 'none' ? '1.0' : `${deviation[args.scale]} + 1e-4`;
  recorder.dispatch({
    label: 'groupAdvantages',
    operands: {
      rewards: read(args.rewards),
      offsets: read(args.offsets),
      advantages: write(args.advantages),
      dead: write(args.dead),
    },
    counts: { groups },
    code: /* wgsl */ `
fn mean_of(first: u32, last: u32) -> f32 {
  var sum = 0.0;
  for (var i = first; i < last; i++) { sum += load_rewards(i); }
  return sum / f32(last - first);
}
fn deviation(first: u32, last: u32) -> f32 {
  let mean = mean_of(first, last);
  var squares = 0.0;
  for (var i = first; i < last; i++) { let d = load_rewards(i) - mean; squares = fma(d, d, squares); }
  return sqrt(squares / f32(last - first - 1u));
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= groups()) { return; }
  let first = u32(load_offsets(id.x));
  let last = u32(load_offsets(id.x + 1u));
  var dead = true;
  for (var i = first; i < last; i++) { if (load_rewards(i) != load_rewards(first)) { dead = false; } }
  store_dead(id.x, select(0, 1, dead));
  if (dead) {
    for (var i = first; i < last; i++) { store_advantages(i, 0.0); }
    return;
  }
  let mean = mean_of(first, last);
  let divisor = ${divisor};
  for (var i = first; i < last; i++) { store_advantages(i, (load_rewards(i) - mean) / divisor); }
}`,
    workgroups: () => [Math.ceil(groups.value / 64), 1],
  });
}
