/** The knobs of a task: what its card declares, read from what the YAML gives below `task:`. */
import { ConfigError } from '../errors.ts';
import { type GivenOptions, type OptionsResult, readOptions, takeOptions } from '../options/read.ts';
import type { Knobs, TaskCard } from './task.ts';

/** What is needed to read a task's knobs: its card has it. */
export type KnobDeclaration = Pick<TaskCard<Knobs>, 'name' | 'knobs' | 'checkKnobs' | 'levels'>;

const about = ({ name, checkKnobs }: KnobDeclaration, path: string) => ({
  path,
  subject: name,
  noun: 'knob',
  beside: ['name', 'level'],
  rules: (knobs: object, given: GivenOptions) => checkKnobs?.(knobs as Knobs, given) ?? [],
});

/** The knobs of a task with every default filled in, or all that is wrong with what was given. */
export function readKnobs(card: KnobDeclaration, given: GivenOptions, path = 'task'): OptionsResult<Knobs> {
  return readOptions(card.knobs, ofLevel(card, given, path), about(card, path)) as OptionsResult<Knobs>; // plain data
}

/**
 * The knobs of a task with every default filled in.
 *
 * @param path  where they are written, for messages
 * @throws ConfigError naming key, value, rule and remedy; `facts.problems` holds all of them
 */
export function takeKnobs(card: KnobDeclaration, given: GivenOptions, path = 'task'): Knobs {
  return takeOptions(card.knobs, ofLevel(card, given, path), about(card, path)) as Knobs; // tables give plain data
}

/** `level: 2` stands for the knobs of that preset; single knobs override it. A task may have a knob of that name. */
function ofLevel({ name, knobs, levels }: KnobDeclaration, given: GivenOptions, path: string): GivenOptions {
  if (given.level === undefined || Object.values(knobs).some(({ yaml }) => yaml === 'level')) return given;
  const { level, ...own } = given;
  const presets = levels ?? []; // a user's file may leave them out
  const preset = typeof level === 'number' ? presets[level] : undefined;
  if (preset !== undefined) return { ...preset, ...own };
  const rule =
    presets.length === 0
      ? `${name} has no levels; leave it out`
      : `${name} has levels 0 to ${presets.length - 1}; use one of them`;
  const problem = { path: `${path}.level`, key: 'level', value: level, rule, kind: 'bad' };
  throw new ConfigError('bad-option', `${path}.level: ${JSON.stringify(level)} — ${rule}.`, {
    problems: [problem],
    key: 'level',
    value: level,
  });
}
