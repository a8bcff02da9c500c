import { optionOf } from '../../../src/methods/chosen.ts';
import type { MethodsConfig } from '../../../src/methods/stage.ts';
import { isSchedule } from '../../../src/options/schedule.ts';

/** The value of an option of the methods of a stage as a number, for a schedule its maximum; 0 if no method takes it, since an absent weight weighs nothing. */
export function weightOf(methods: MethodsConfig, key: string): number {
  const value = optionOf(methods, key);
  if (isSchedule(value)) return Math.max(value.from, value.to);
  return typeof value === 'number' ? value : 0;
}
