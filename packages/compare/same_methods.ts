/** Which spellings of a stage's methods mean the same: `advantage_estimator: rloo` is `group` with two options. */
import { POINT_KEYS } from '../../src/config/keys/method_keys.ts';
import { findMethod, type MethodList } from '../../src/methods/method_list.ts';
import { eachPoint, METHOD_POINTS, type MethodPoint, type MethodsConfig } from '../../src/methods/stage.ts';
import type { Json } from '../../src/options/json.ts';
import type { Plugin } from '../../src/options/keys.ts';
import { takeOptions } from '../../src/options/read.ts';

/** The methods of a stage as they are written, and as `plainestOf` spells them. */
export interface SpelledMethods {
  readonly written: MethodsConfig;
  readonly plainest: MethodsConfig;
}

/**
 * A method with all of its options, under the name that all of its spellings share (`Method.sameAs`). Two methods of a point
 * are the same to the bit where these are equal.
 *
 * @param list  a method that it lacks is given back as it is
 * @throws ConfigError where an option is unknown, or its value is refused
 */
export function plainestOf(point: MethodPoint, plugin: Plugin, list: MethodList): Plugin {
  const method = findMethod(list, point, plugin);
  if (method === undefined) return plugin;
  const { name, export: exported, ...given } = plugin;
  const values: Readonly<Record<string, unknown>> = takeOptions(method.options, given, { path: point, subject: name });
  const options = Object.fromEntries(
    Object.entries(method.options)
      .filter(([key]) => values[key] !== undefined)
      .map(([key, { yaml }]) => [yaml, values[key] as Json]), // what a declaration reads is plain data
  );
  const { sameAs } = method;
  const isOther = Object.entries(sameAs?.given ?? {}).every(([yaml, value]) => equal(options[yaml], value));
  const other = isOther && sameAs ? findMethod(list, point, { name: sameAs.id }) : undefined;
  if (sameAs === undefined || other === undefined) return { name, ...(exported && { export: exported }), ...options };
  const shared = Object.values(other.options).flatMap(({ yaml }) =>
    Object.hasOwn(options, yaml) ? [[yaml, options[yaml]] as const] : [],
  );
  return plainestOf(point, { name: sameAs.id, ...Object.fromEntries(shared), ...sameAs.options }, list);
}

/** @throws as `plainestOf` does */
export function spelledMethods(written: MethodsConfig, list: MethodList): SpelledMethods {
  return { written, plainest: eachPoint((point) => written[point].map((plugin) => plainestOf(point, plugin, list))) };
}

/** A sentence for each point at which two stages spell differently what is the same to the bit. */
export function sameWords(a: SpelledMethods, b: SpelledMethods): readonly string[] {
  return METHOD_POINTS.filter(
    (point) => !equal(a.written[point], b.written[point]) && equal(a.plainest[point], b.plainest[point]),
  ).map((point) => {
    const [mine, yours] = [a, b].map(({ written }) => written[point].map(pluginText).join(', '));
    return `Their ${POINT_KEYS[point].yaml} is the same, to the bit: ${mine} is another name of ${yours}.`;
  });
}

/** `group with baseline: loo, scale_rewards: none`. */
export function pluginText({ name, ...options }: Plugin): string {
  const written = Object.entries(options).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return written.length === 0 ? name : `${name} with ${written.join(', ')}`;
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
