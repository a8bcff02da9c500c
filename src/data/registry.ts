/**
 * Every task by name: its card, and how its definition is loaded. A new task is a folder and an entry here.
 *
 * A config, its schema and every list of tasks need the cards alone; a generator, with its solver or its word list, is
 * loaded when a run is made of it.
 */
import { ConfigError } from '../errors.ts';
import type { Json } from '../options/json.ts';
import { didYouMean } from '../options/nearest_name.ts';
import type { Knobs, TaskCard, TaskDefinition } from './task.ts';
import { copyCard } from './tasks/copy/card.ts';
import { countdownCard } from './tasks/countdown/card.ts';
import { gcdCard } from './tasks/gcd/card.ts';
import { parityCard } from './tasks/parity/card.ts';
import { reverseTextCard } from './tasks/reverse_text/card.ts';
import { sortDigitsCard } from './tasks/sort_digits/card.ts';

/** A definition whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyTaskDefinition = TaskDefinition<Json, Knobs>;

export interface RegisteredTask {
  readonly card: TaskCard<Knobs> & Required<Pick<TaskCard<Knobs>, 'does' | 'example' | 'parts'>>;
  load(): Promise<AnyTaskDefinition>;
}

export const registeredTasks: Readonly<Record<string, RegisteredTask>> = {
  countdown: {
    card: countdownCard,
    load: async () => (await import('./tasks/countdown/countdown.ts')).countdown,
  },
  sort_digits: {
    card: sortDigitsCard,
    load: async () => (await import('./tasks/sort_digits/sort_digits.ts')).sortDigits,
  },
  reverse_text: {
    card: reverseTextCard,
    load: async () => (await import('./tasks/reverse_text/reverse_text.ts')).reverseText,
  },
  // arithmetic
  gcd: { card: gcdCard, load: async () => (await import('./tasks/gcd/gcd.ts')).gcd },
  // strings
  copy: { card: copyCard, load: async () => (await import('./tasks/copy/copy.ts')).copy },
  parity: { card: parityCard, load: async () => (await import('./tasks/parity/parity.ts')).parity },
};

/** A registered task. @throws ConfigError naming the nearest one */
export function registeredTask(name: string): RegisteredTask {
  if (Object.hasOwn(registeredTasks, name)) return registeredTasks[name];
  const known = Object.keys(registeredTasks);
  const message = `task.name: ${JSON.stringify(name)} — no such task${didYouMean(String(name), known)} (tasks: ${known.join(', ')})`;
  throw new ConfigError('unknown-task', message, { name, known });
}
