/** Values written by what they are, alike in the page's markup and in its charts. */
import { minus, percent, thousands, duration as wholeDuration } from '../../src/format.ts';

/** What a number is: it decides its digits and its unit. */
export type Kind = 'share' | 'count' | 'seconds' | 'number';

/** A value to read: `38.3 %`, `12,345`, `5m 45s`, `0.0125`. */
export function formatValue(value: number, kind: Kind): string {
  if (kind === 'share') return percent(value);
  if (kind === 'seconds') return duration(value);
  if (kind === 'count') return thousands(value);
  return significant(value, 3);
}

/** The same as short as can be, for an axis whose ticks lie `step` apart. */
export function formatTick(value: number, step: number, kind: Kind): string {
  if (kind === 'seconds') return value === 0 ? '0' : duration(value).replace(/ 00[sm]$/, '');
  if (kind === 'share') return `${minus((100 * value).toFixed(decimals(100 * step)))} %`;
  if (value === 0) return '0';
  if (step < 1e-3 && Math.abs(value) < 0.1)
    return minus(String(Number(value.toPrecision(3)).toExponential())).replace('e-', 'e−');
  if (step >= 1e5) return `${shortest(value / 1e6)}M`;
  if (step >= 100 && Math.abs(value) >= 1e4) return `${shortest(value / 1e3)}k`;
  return minus(value.toFixed(decimals(step)));
}

/** Digits after the point that write multiples of `step` exactly. */
function decimals(step: number): number {
  let digits = 0;
  while (digits < 6 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits++;
  return digits;
}

/** `0.4s`, `12s`, `1m 05s`, `2h 03m`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 9.95) return `${shortest(Math.round(10 * seconds) / 10)}s`;
  return wholeDuration(seconds);
}

/** `digits` significant digits, without exponent where a person would write none. */
function significant(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-3) return minus(value.toExponential(digits - 1)).replace('e-', 'e−');
  if (size >= 1000) return thousands(value);
  return minus(String(Number(value.toPrecision(digits))));
}

function shortest(value: number): string {
  return minus(String(Number(value.toPrecision(3))));
}
