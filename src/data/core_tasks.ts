/** The tasks that every config may name: three, and rows of files. Each one's definition is loaded separately. */
import { ConfigError } from '../errors.ts';
import { DATASET, datasetCard } from './datasets/card.ts';
import type { DatasetParts } from './datasets/parts.ts';
import type { OpenedTask, RegisteredTask, TaskList } from './registered_task.ts';
import { countdownCard } from './tasks/countdown/card.ts';
import { reverseTextCard } from './tasks/reverse_text/card.ts';
import { sortDigitsCard } from './tasks/sort_digits/card.ts';

/**
 * Rows of files. @param loadParts readers and comparisons; absent: JSON Lines with answers that are texts and numbers
 */
export function datasetTask(loadParts?: () => Promise<DatasetParts>): OpenedTask {
  return {
    card: datasetCard,
    needs: 'rows come from the files',
    async open(knobs, options) {
      const { files, path = 'task' } = options;
      if (files === undefined) {
        const rule = 'its files are given by options.files; the command reads those of the disk';
        throw new ConfigError('no-files', `${path}.name: ${DATASET} — ${rule}.`, { path: `${path}.name` });
      }
      const [{ openDataset }, parts] = await Promise.all([import('./datasets/dataset.ts'), loadParts?.()]);
      return openDataset(knobs, { ...options, files, parts });
    },
  };
}

const TASKS: Readonly<Record<string, RegisteredTask | OpenedTask>> = {
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
  [DATASET]: {
    card: datasetCard,
    needs: 'rows come from the files',
    async open(knobs, options) {
      const { files, path = 'task' } = options;
      if (files === undefined) {
        const rule = 'its files are given by options.files; the command reads those of the disk';
        throw new ConfigError('no-files', `${path}.name: ${DATASET} — ${rule}.`, { path: `${path}.name` });
      }
      const { openDataset } = await import('./datasets/dataset.ts');
      return openDataset(knobs, { ...options, files });
    },
  },
};

export const CORE_TASKS: TaskList = { loaded: TASKS, names: Object.keys(TASKS) };
