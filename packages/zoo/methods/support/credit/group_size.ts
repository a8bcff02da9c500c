/** Whether the groups of a stage are large enough for what a method takes from them. */
import type { BatchConfig } from '../../../../../src/methods/stage.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { isSchedule } from '../../../../../src/options/schedule.ts';

/** Why sets of `k` completions cannot be taken from a group: `rule; remedy`. @param k  a number or a schedule */
export function tooManyTries(k: Json, { numGenerations }: Pick<BatchConfig, 'numGenerations'>): string | undefined {
  const most = largestOf(k);
  if (!(most > numGenerations)) return undefined;
  return `takes ${most} completions (k) of a group of ${numGenerations}; lower k, or raise num_generations`;
}

/** The largest value of an option as it is written: a number, or a schedule. */
export function largestOf(value: Json): number {
  return isSchedule(value) ? Math.max(value.from, value.to) : Number(value);
}
