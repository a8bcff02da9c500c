// groupAdvantages. Formula: kernels.ts. A few hundred numbers: one thread, float64, groups in order.
import { address, integer } from './arguments';
import { claim } from './threads';

const EPSILON: f64 = 1e-4;
const SCALE_GROUP: i32 = 0;
const SCALE_BATCH: i32 = 1;

// @ts-ignore: decorator
@inline
function reward(i: i32): f64 {
  return <f64>load<f32>(address(1) + (<usize>i << 2));
}

function mean(begin: i32, end: i32): f64 {
  let sum: f64 = 0;
  for (let i = begin; i < end; i++) sum += reward(i);
  return sum / <f64>(end - begin);
}

/** Standard deviation with n − 1; 0 for fewer than two values. */
function deviation(begin: i32, end: i32): f64 {
  if (end - begin < 2) return 0;
  const center = mean(begin, end);
  let sum: f64 = 0;
  for (let i = begin; i < end; i++) {
    const d = reward(i) - center;
    sum += d * d;
  }
  return sqrt(sum / <f64>(end - begin - 1));
}

function isDead(begin: i32, end: i32): bool {
  for (let i = begin + 1; i < end; i++) {
    if (reward(i) != reward(begin)) return false;
  }
  return true;
}

/** arguments: groups, rewards, offsets, scale, advantages, dead */
export function groupAdvantages(): void {
  if (claim(1) != 0) return;
  const groups = integer(0);
  const offsets = address(2);
  const scale = integer(3);
  let divisor: f64 = 1;
  if (scale == SCALE_BATCH) {
    divisor = deviation(load<i32>(offsets), load<i32>(offsets + (<usize>groups << 2))) + EPSILON;
  }
  for (let g = 0; g < groups; g++) {
    const begin = load<i32>(offsets + (<usize>g << 2));
    const end = load<i32>(offsets + (<usize>g << 2), 4);
    const dead = isDead(begin, end);
    store<i32>(address(5) + (<usize>g << 2), dead ? 1 : 0);
    const center = dead ? 0 : mean(begin, end);
    if (scale == SCALE_GROUP) divisor = deviation(begin, end) + EPSILON;
    for (let i = begin; i < end; i++) {
      store<f32>(address(4) + (<usize>i << 2), dead ? 0 : <f32>((reward(i) - center) / divisor));
    }
  }
}
