// rotary and its backward. Formulas: kernels.ts. Pairs (i, i + hd/2) of a head are rotated together.
import { address, float, integer } from './arguments';
import { bytesOf, narrow } from './kept_keys';
import { dot, fma1 } from './simd';
import { normalize, normalizeBackward } from './rms_norm';
import { copyRow } from './rows';
import { PACKED } from './sizes';
import { barrier, claim, grainOf, scratch } from './threads';

/**
 * y = rotation of the `heads` heads of x, one after another, by the angles of one position; sign −1 turns back. Reads a pair
 * before it writes it.
 */
function rotate(x: usize, y: usize, heads: i32, cos: usize, sin: usize, half: i32, sign: f32): void {
  const apart = <usize>half << 2;
  const signs = f32x4.splat(sign);
  const whole = <usize>(half & ~3) << 2;
  for (let h = 0; h < heads; h++, x += 2 * apart, y += 2 * apart) {
    let at: usize = 0;
    for (; at < whole; at += 16) {
      const a = v128.load(x + at);
      const b = v128.load(x + apart + at);
      const c = v128.load(cos + at);
      const s = f32x4.mul(signs, v128.load(sin + at));
      v128.store(y + at, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
      v128.store(y + apart + at, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
    }
    for (; at < apart; at += 4) {
      const a = load<f32>(x + at);
      const b = load<f32>(x + apart + at);
      const c = load<f32>(cos + at);
      const s = sign * load<f32>(sin + at);
      store<f32>(y + at, a * c - b * s);
      store<f32>(y + apart + at, b * c + a * s);
    }
  }
}

/** arguments: begin, end, qkv, positions, cos, sin, kvRows, q, kv, H, HK, hd, eps, qNorm, kNorm, form of kv */
export function rotary(): void {
  const begin = integer(0);
  const end = integer(1);
  const grain = grainOf(end - begin, 32);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) rotateRow(r);
  }
}

function rotateRow(r: i32): void {
  const H = integer(9);
  const HK = integer(10);
  const hd = integer(11);
  const half = hd >> 1;
  const head = <usize>hd << 2;
  const angles = <usize>(load<i32>(address(3) + (<usize>r << 2)) * half) << 2;
  const cos = address(4) + angles;
  const sin = address(5) + angles;
  let from = address(2) + <usize>r * <usize>(H + 2 * HK) * head;
  rotateHeads(from, address(7) + <usize>r * <usize>H * head, H, address(13), cos, sin, hd, half);
  from += <usize>H * head;
  const place = <usize>load<i32>(address(6) + (<usize>r << 2));
  const count = HK * hd;
  if (integer(15) == PACKED) {
    const kv = address(8) + place * bytesOf<f32>(2 * count);
    rotateHeads(from, kv, HK, address(14), cos, sin, hd, half);
    copyRow(kv + bytesOf<f32>(count), from + bytesOf<f32>(count), bytesOf<f32>(count));
    return;
  }
  const kv = address(8) + place * bytesOf<u16>(2 * count);
  const keys = scratch + head; // beside what `rotateHeads` uses
  rotateHeads(from, keys, HK, address(14), cos, sin, hd, half);
  narrow(keys, count, kv);
  narrow(from + bytesOf<f32>(count), count, kv + bytesOf<u16>(count));
}

// @ts-ignore: decorator
@inline
function rotateHeads(x: usize, y: usize, heads: i32, norm: usize, cos: usize, sin: usize, hd: i32, half: i32): void {
  if (norm == 0) {
    rotate(x, y, heads, cos, sin, half, 1);
    return;
  }
  for (let h = 0; h < heads; h++) {
    const at = <usize>(h * hd) << 2;
    normalize(x + at, norm, scratch, hd, float(12));
    rotate(scratch, y + at, 1, cos, sin, half, 1);
  }
}

/** arguments: begin, end, qkv, positions, cos, sin, kvRows, dQ, dKv, H, HK, hd, eps, qNorm, kNorm, dQkv, dQNorm, dKNorm */
export function rotaryBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const grain = grainOf(end - begin, 32);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) unrotateRow(r);
  }
  if (address(16) == 0 && address(17) == 0) return;
  barrier();
  // Small and rare (Qwen3): one thread sums both norms' gradients, rows in order.
  if (claim(1) == 0) headNormGradients(begin, end);
}

function unrotateRow(r: i32): void {
  const H = integer(9);
  const HK = integer(10);
  const hd = integer(11);
  const half = hd >> 1;
  const head = <usize>hd << 2;
  const width = <usize>(H + 2 * HK) * head;
  const angles = <usize>(load<i32>(address(3) + (<usize>r << 2)) * half) << 2;
  const cos = address(4) + angles;
  const sin = address(5) + angles;
  const raw = address(2) + <usize>r * width;
  const out = address(15) + <usize>r * width;
  unrotateHeads(raw, address(7) + <usize>r * <usize>H * head, out, H, address(13), cos, sin, hd, half);
  const dKv = address(8) + <usize>load<i32>(address(6) + (<usize>r << 2)) * <usize>(2 * HK) * head;
  const keys = <usize>H * head;
  const bytes = <usize>HK * head;
  unrotateHeads(raw + keys, dKv, out + keys, HK, address(14), cos, sin, hd, half);
  copyRow(out + keys + bytes, dKv + bytes, bytes);
}

// @ts-ignore: decorator
@inline
function unrotateHeads(
  raw: usize, d: usize, out: usize, heads: i32, norm: usize, cos: usize, sin: usize, hd: i32, half: i32,
): void {
  if (norm == 0) {
    rotate(d, out, heads, cos, sin, half, -1);
    return;
  }
  for (let h = 0; h < heads; h++) {
    const at = <usize>(h * hd) << 2;
    rotate(d + at, scratch, 1, cos, sin, half, -1);
    const rstd: f32 = 1 / sqrt<f32>(dot(raw + at, raw + at, hd) / <f32>hd + float(12));
    normalizeBackward(raw + at, norm, rstd, scratch, out + at, hd, false);
  }
}

function headNormGradients(begin: i32, end: i32): void {
  const H = integer(9);
  const HK = integer(10);
  const hd = integer(11);
  const half = hd >> 1;
  const head = <usize>hd << 2;
  for (let r = begin; r < end; r++) {
    const angles = <usize>(load<i32>(address(3) + (<usize>r << 2)) * half) << 2;
    const raw = address(2) + <usize>r * <usize>(H + 2 * HK) * head;
    const kv = address(8) + <usize>load<i32>(address(6) + (<usize>r << 2)) * <usize>(2 * HK) * head;
    for (let h = 0; h < H + HK; h++) {
      const isQuery = h < H;
      const d = isQuery ? address(7) + (<usize>r * <usize>H + <usize>h) * head : kv + <usize>(h - H) * head;
      const dWeight = isQuery ? address(16) : address(17);
      if (dWeight == 0) continue;
      const x = raw + <usize>h * head;
      rotate(d, scratch, 1, address(4) + angles, address(5) + angles, half, -1);
      const rstd: f32 = 1 / sqrt<f32>(dot(x, x, hd) / <f32>hd + float(12));
      for (let j = 0; j < hd; j++) {
        const at = <usize>j << 2;
        store<f32>(dWeight + at, fma1(load<f32>(scratch + at), load<f32>(x + at) * rstd, load<f32>(dWeight + at)));
      }
    }
  }
}
