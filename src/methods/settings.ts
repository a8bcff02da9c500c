/**
 * The options of a stage's methods at each step: from the config, their schedules, or a controller. Each number among
 * them has a name, `<method>.<option>`: `kl-loss.beta`, `reward-transform#2.scale`.
 */

import { ConfigError } from '../errors.ts';
import type { Key, Plugin } from '../options/keys.ts';
import { takeOptions } from '../options/read.ts';
import { hasSchedule, type Position, valuesAt } from '../options/schedule.ts';
import { zodOf } from '../options/schemas.ts';
import type { Method } from './method.ts';
import { distinctNames, lookUp, type MethodList } from './method_list.ts';
import { eachPoint, type GrpoStageConfig, METHOD_POINTS, type MethodPoint } from './stage.ts';

/** What controllers have set: options by their names, and keys of the stage (`STAGE_SETTINGS`). */
export type Settings = Readonly<Record<string, number>>;

/** Keys of the stage that a controller may set. */
const STAGE_SETTINGS = ['temperature', 'learning_rate'] as const;

export type StageSetting = (typeof STAGE_SETTINGS)[number];

/** A number among the options of a stage's methods. */
export interface SettableOption {
  /** `<method>.<option>`. */
  readonly name: string;
  /** The option alone, as the YAML spells it. */
  readonly yaml: string;
  /** The value at a step. */
  at(step: number, settings: Settings): number;
  /** Why it cannot have this value; undefined if it can. */
  refuses(value: number): string | undefined;
}

/** Where schedules begin, and where they have ended. */
export const START: Position = { step: 0, maxSteps: 1 };
export const END: Position = { step: Number.MAX_SAFE_INTEGER, maxSteps: 1 };

/** The options of one method. */
export interface OptionsAt {
  /** @param settings  those of the whole stage */
  at(position: Position, settings?: Settings): Readonly<Record<string, unknown>>;
  readonly isScheduled: boolean;
  /** Whether a controller has set one of them. */
  isSet(settings: Settings): boolean;
}

/**
 * The options of a method at each position of the stage.
 *
 * @param owner  its name in the stage, for what controllers have set
 * @throws ConfigError
 */
export function optionsOf(list: MethodList, point: MethodPoint, plugin: Plugin, owner?: string): OptionsAt {
  return optionsOfMethod(lookUp(list, point, plugin), point, plugin, owner);
}

/** The same for a method that was looked up. */
export function optionsOfMethod(
  method: Pick<Method<unknown>, 'id' | 'options' | 'complete'>,
  point: string,
  plugin: Plugin,
  owner?: string,
): OptionsAt {
  const { id, options, complete } = method;
  const { name: _, export: __, ...given } = plugin;
  const path = `${point}.${id}`;
  const values: Readonly<Record<string, unknown>> = takeOptions(options, given, { path, subject: id });
  const refuse = (key: string, rule: string): never => {
    throw new ConfigError('bad-option', `${path}.${options[key].yaml}: ${JSON.stringify(values[key])} — ${rule}.`, {
      key,
    });
  };
  const numbers = settable(method).map(([key, { yaml }]) => ({ key, name: `${owner ?? id}.${yaml}` }));
  const setIn = (settings: Settings) => numbers.filter(({ name }) => Object.hasOwn(settings, name));
  const at = (position: Position, settings: Settings = {}): Readonly<Record<string, unknown>> => {
    const now = {
      ...valuesAt(options, values, position),
      ...Object.fromEntries(setIn(settings).map(({ key, name }) => [key, settings[name]])),
    };
    return complete?.(now, refuse) ?? now;
  };
  return { at, isScheduled: hasSchedule(values), isSet: (settings) => setIn(settings).length > 0 };
}

/** Unique names of a stage's methods, by point, and the numbers among their options. */
export function settableOptions(
  stage: GrpoStageConfig,
  list: MethodList,
): { readonly owners: Readonly<Record<MethodPoint, readonly string[]>>; readonly options: readonly SettableOption[] } {
  const places = METHOD_POINTS.flatMap((point) => stage.methods[point].map((plugin) => ({ point, plugin })));
  const names = distinctNames(places.map(({ point, plugin }) => lookUp(list, point, plugin).id));
  const { maxSteps } = stage.optimizer;
  const options = places.flatMap(({ point, plugin }, i) => {
    const optionsAt = optionsOf(list, point, plugin, names[i]);
    return settable(lookUp(list, point, plugin)).map(
      ([key, { yaml, schema }]): SettableOption => ({
        name: `${names[i]}.${yaml}`,
        yaml,
        at: (step, settings) => Number(optionsAt.at({ step, maxSteps }, settings)[key]),
        refuses: (value) => zodOf(schema).safeParse(value).error?.issues[0]?.message,
      }),
    );
  });
  return {
    owners: eachPoint((point) => names.filter((_, i) => places[i].point === point)),
    options,
  };
}

function settable({ options }: Pick<Method<unknown>, 'options'>): [string, Key][] {
  return Object.entries(options).filter(([, { schedule }]) => schedule !== undefined);
}

/** The options that a name may mean: the one with that full name, or all with that key. */
export function optionsNamed(options: readonly SettableOption[], settingName: string): readonly SettableOption[] {
  const exact = options.filter(({ name }) => name === settingName);
  return exact.length > 0 ? exact : options.filter(({ yaml }) => yaml === settingName);
}

/** Converts settings of an old checkpoint, in which a key meant every method with such an option, to full names. */
export function namedSettings(options: readonly SettableOption[], settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) => {
      const meant = isStageSetting(key) ? [] : optionsNamed(options, key);
      return meant.length === 0 ? [[key, value]] : meant.map(({ name }) => [name, value]);
    }),
  );
}

export function isStageSetting(key: string): key is StageSetting {
  return (STAGE_SETTINGS as readonly string[]).includes(key);
}
