/** The knobs of a task: what its card declares, read from what the YAML gives below `task:`. */
import { ConfigError } from '../errors.ts';
import { type GivenOptions, type OptionsResult, readOptions, takeOptions } from '../options/read.ts';
import type { Knobs, Style, TaskCard } from './task.ts';

/** The part of a card that reading knobs needs. */
export type KnobDeclaration = Pick<TaskCard<Knobs>, 'name' | 'knobs' | 'checkKnobs' | 'levels'>;

const about = ({ name, checkKnobs }: KnobDeclaration, path: string) => ({
  path,
  subject: name,
  noun: 'knob',
  beside: ['name', 'level', 'style', 'examples', 'system'],
  rules: (knobs: object, given: GivenOptions) => checkKnobs?.(knobs as Knobs, given) ?? [],
});

/** The knobs of a task with every default filled in, or all problems of the given ones. */
export function readKnobs(card: KnobDeclaration, given: GivenOptions, path = 'task'): OptionsResult<Knobs> {
  styleOf(card, given, path);
  return readOptions(card.knobs, ofLevel(card, given, path), about(card, path)) as OptionsResult<Knobs>; // plain data
}

/**
 * The knobs of a task with every default filled in.
 *
 * @param path  where they are written, for messages
 * @throws ConfigError naming key, value, rule and remedy; `facts.problems` holds all of them
 */
export function takeKnobs(card: KnobDeclaration, given: GivenOptions, path = 'task'): Knobs {
  styleOf(card, given, path);
  return takeOptions(card.knobs, ofLevel(card, given, path), about(card, path)) as Knobs; // tables give plain data
}

const hasKnob = ({ knobs }: KnobDeclaration, name: string): boolean =>
  Object.values(knobs).some(({ yaml }) => yaml === name);

/** The requested preset, if any. A task may have a knob named `level`, which takes precedence. */
export function levelOf(card: KnobDeclaration, { level }: GivenOptions): number | undefined {
  return typeof level === 'number' && !hasKnob(card, 'level') ? level : undefined;
}

/** Keys for how a problem is asked, not which: none is a knob, unless a task has one of that name. */
const ABOUT_ASKING = ['style', 'examples', 'system'];
const STYLES: readonly Style[] = ['compact', 'plain'];

/**
 * The `style` in which problems are asked, given next to the knobs, unless the task has such a knob. @throws
 * ConfigError
 */
export function styleOf(card: KnobDeclaration, { style }: GivenOptions, path = 'task'): Style {
  if (style === undefined || hasKnob(card, 'style')) return 'compact';
  const matching = STYLES.find((one) => one === style);
  if (matching !== undefined) return matching;
  throw refused(`${path}.style`, 'style', style, `not a way to ask; use ${STYLES.join(' or ')}`);
}

/** Text that a pretrained model reads before each question. */
export interface Conversation {
  readonly system: string | undefined;
  /** Training problems shown with a right answer, as turns before the question. */
  readonly examples: number;
}

const DEFAULT_EXAMPLES = 2;
const MOST_EXAMPLES = 32;

/** `system` and `examples`, given next to the knobs, for a pretrained model. @throws ConfigError */
export function conversationOf(card: KnobDeclaration, given: GivenOptions, path = 'task'): Conversation {
  const system = hasKnob(card, 'system') ? undefined : given.system;
  const examples = (hasKnob(card, 'examples') ? undefined : given.examples) ?? DEFAULT_EXAMPLES;
  if (system !== undefined && typeof system !== 'string') {
    throw refused(`${path}.system`, 'system', system, 'must be a text; it precedes the question');
  }
  if (typeof examples !== 'number' || !Number.isInteger(examples) || examples < 0 || examples > MOST_EXAMPLES) {
    throw refused(`${path}.examples`, 'examples', examples, `must be a whole number from 0 to ${MOST_EXAMPLES}`);
  }
  return { system, examples };
}

/** @throws ConfigError for knobs that only a pretrained model can use */
export function refuseConversation(card: KnobDeclaration, given: GivenOptions, path = 'task'): void {
  for (const name of ['system', 'examples']) {
    if (given[name] === undefined || hasKnob(card, name)) continue;
    const rule =
      'a model of a closed vocabulary reads the problem alone; leave it out, or give a pretrained model_name_or_path';
    throw refused(`${path}.${name}`, name, given[name], rule);
  }
}

/**
 * The given knobs: `level: 2` stands for that preset, which single knobs override; `style` and the like are left out,
 * unless the task has such a knob.
 */
function ofLevel(card: KnobDeclaration, given: GivenOptions, path: string): GivenOptions {
  const written = Object.fromEntries(
    Object.entries(given).filter(([name]) => !ABOUT_ASKING.includes(name) || hasKnob(card, name)),
  );
  if (written.level === undefined || hasKnob(card, 'level')) return written;
  const { level, ...own } = written;
  const presets = card.levels ?? []; // a user's file may leave them out
  const preset = typeof level === 'number' ? presets[level] : undefined;
  if (preset !== undefined) return { ...preset, ...own };
  const rule =
    presets.length === 0
      ? `${card.name} has no levels; leave it out`
      : `${card.name} has levels 0 to ${presets.length - 1}; use one of them`;
  throw refused(`${path}.level`, 'level', level, rule);
}

function refused(path: string, key: string, value: unknown, rule: string): ConfigError {
  const problem = { path, key, value, rule, kind: 'bad' };
  return new ConfigError('bad-option', `${path}: ${JSON.stringify(value)} — ${rule}.`, {
    problems: [problem],
    key,
    value,
  });
}
