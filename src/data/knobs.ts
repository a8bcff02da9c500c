/** The knobs of a task: what its table declares, read from what the YAML gives below `task:`. */
import { type GivenOptions, type OptionsResult, readOptions, takeOptions } from '../options/read.ts';
import type { Knobs, TaskCard } from './task.ts';

/** What is needed to read a task's knobs: its card has it. */
export type KnobDeclaration = Pick<TaskCard<Knobs>, 'name' | 'knobs' | 'checkKnobs'>;

const about = ({ name, checkKnobs }: KnobDeclaration) => ({
  path: 'task',
  subject: name,
  noun: 'knob',
  beside: ['name'],
  rules: (knobs: object, given: GivenOptions) => checkKnobs?.(knobs as Knobs, given) ?? [],
});

/** The knobs of a task with every default filled in, or all that is wrong with what was given. */
export function readKnobs(declaration: KnobDeclaration, given: GivenOptions): OptionsResult<Knobs> {
  return readOptions(declaration.knobs, given, about(declaration)) as OptionsResult<Knobs>; // tables give plain data
}

/**
 * The knobs of a task with every default filled in.
 *
 * @throws ConfigError naming key, value, rule and remedy; `facts.problems` holds all of them
 */
export function takeKnobs(declaration: KnobDeclaration, given: GivenOptions): Knobs {
  return takeOptions(declaration.knobs, given, about(declaration)) as Knobs; // tables give plain data
}
