/**
 * Layers in which a token sees itself and the `size` − 1 tokens before it. Attention reads two intervals of keys, so a
 * window only moves their begins. Where no sequence is longer than the window, nothing is planned for it.
 */
import type { Engine } from '../kernels/engine.ts';
import type { RowInputs } from './memory/activations.ts';
import type { ModelShape } from './shape.ts';

/** Tokens that a layer with a window sees; undefined where all layers see all of a sequence of `context` tokens. */
export function windowWithin({ family }: ModelShape, context: number): number | undefined {
  const { window } = family ?? {};
  return window !== undefined && window.size < context && window.layers.includes(true) ? window.size : undefined;
}

/** [rows, 2, 2] the last `size` keys of each row's intervals. */
export function lastKeys(intervals: Int32Array, size: number): Int32Array {
  const last = intervals.slice();
  for (let at = 0; at < last.length; at += 4) {
    const [begin, end, ownBegin, ownEnd] = last.subarray(at, at + 4) as unknown as [number, number, number, number];
    const own = Math.min(size, Math.max(0, ownEnd - ownBegin));
    last[at] = Math.max(begin, end - (size - own));
    if (own > 0) last[at + 2] = ownEnd - own;
  }
  return last;
}

/** Writes the intervals of rows from `at` on, for all layers. */
export function writeIntervals(
  engine: Engine,
  { intervals, windowIntervals }: Pick<RowInputs, 'intervals' | 'windowIntervals'>,
  values: Int32Array,
  size: number | undefined,
  at = 0,
): void {
  engine.write(intervals, values, at * 4);
  if (windowIntervals && size) engine.write(windowIntervals, lastKeys(values, size), at * 4);
}
