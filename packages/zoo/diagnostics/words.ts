/** Numbers as the diagnostics write them. */
import { percent } from '../../../src/format.ts';
import type { Estimate } from '../../../src/methods/statistics.ts';

/** Three significant digits: `0.0123`, `12.3`, `1.2e-7`. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A value to put in the YAML, two significant digits: `2e-5`, `0.03`. */
export function setting(value: number): string {
  const short = Number(value.toPrecision(2));
  return short !== 0 && Math.abs(short) < 1e-3 ? short.toExponential() : String(short);
}

/** `78.1 % [74.5–81.3]`. */
export function withInterval({ mean, low, high }: Pick<Estimate, 'mean' | 'low' | 'high'>): string {
  const points = (share: number): string => (100 * share).toFixed(1);
  return `${percent(mean)} [${points(low)}–${points(high)}]`;
}
