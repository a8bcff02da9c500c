/** Looks at the methods that a stage was given, by the spelling of the YAML: what messages and diagnostics speak of. */
import type { Json } from '../options/json.ts';
import { isSchedule } from '../options/schedule.ts';
import { METHOD_POINTS, type MethodsConfig } from './stage.ts';

/** The value of an option, of whichever method of the stage takes it; undefined where none does. */
export function optionOf(methods: MethodsConfig, key: string): Json | undefined {
  for (const point of METHOD_POINTS) {
    const owner = methods[point].find((plugin) => Object.hasOwn(plugin, key));
    if (owner !== undefined) return owner[key];
  }
  return undefined;
}

/** The same as a number, of a schedule its largest; 0 where no method takes it: a weight that is absent weighs nothing. */
export function weightOf(methods: MethodsConfig, key: string): number {
  const value = optionOf(methods, key);
  if (isSchedule(value)) return Math.max(value.from, value.to);
  return typeof value === 'number' ? value : 0;
}

/** Whether a method of this id is in the stage. */
export function usesMethod(methods: MethodsConfig, id: string): boolean {
  return METHOD_POINTS.some((point) => methods[point].some(({ name }) => name === id));
}
