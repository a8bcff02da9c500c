/** The three tasks that every config may name. Each one's definition is loaded separately. */
import type { RegisteredTask, TaskList } from './registered_task.ts';
import { countdownCard } from './tasks/countdown/card.ts';
import { reverseTextCard } from './tasks/reverse_text/card.ts';
import { sortDigitsCard } from './tasks/sort_digits/card.ts';

const TASKS: Readonly<Record<string, RegisteredTask>> = {
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
};

export const CORE_TASKS: TaskList = { loaded: TASKS, names: Object.keys(TASKS) };
