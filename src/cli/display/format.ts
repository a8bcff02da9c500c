/** Numbers as the command line writes them. */
import { percent } from '../../format.ts';
import type { Estimate } from '../../methods/statistics.ts';

/** `3.2 MB` (10⁶ bytes). */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}

/** `61.2 % [57–65]`; the ends of a narrow interval have a digit more. */
export function percentWithInterval({ mean, low, high }: Estimate): string {
  const digits = high - low < 0.03 ? 1 : 0;
  return `${percent(mean).padStart(6)} [${(100 * low).toFixed(digits)}–${(100 * high).toFixed(digits)}]`;
}
