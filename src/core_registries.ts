/** What every config may name: the usual methods and rewards, three tasks, and rows of files. */
import type { Registries } from './config/registries.ts';
import { DATASET, datasetCard } from './data/datasets/card.ts';
import type { OpenedTask, RegisteredTask } from './data/registered_task.ts';
import { countdownCard } from './data/tasks/countdown/card.ts';
import { reverseTextCard } from './data/tasks/reverse_text/card.ts';
import { sortDigitsCard } from './data/tasks/sort_digits/card.ts';
import { ConfigError } from './errors.ts';
import { eachPoint } from './methods/stage.ts';
import { USUAL_METHODS } from './methods/usual_methods.ts';
import { USUAL_REWARDS } from './rewards/usual_rewards.ts';

const TASKS: Readonly<Record<string, RegisteredTask | OpenedTask>> = {
  countdown: {
    card: countdownCard,
    load: async () => (await import('./data/tasks/countdown/countdown.ts')).countdown,
  },
  sort_digits: {
    card: sortDigitsCard,
    load: async () => (await import('./data/tasks/sort_digits/sort_digits.ts')).sortDigits,
  },
  reverse_text: {
    card: reverseTextCard,
    load: async () => (await import('./data/tasks/reverse_text/reverse_text.ts')).reverseText,
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
      const { openDataset } = await import('./data/datasets/dataset.ts');
      return openDataset(knobs, { ...options, files });
    },
  },
};

const methodNames = eachPoint((point) => USUAL_METHODS[point].map(({ id }) => id));

export const CORE: Registries = {
  methods: { at: USUAL_METHODS, demonstrations: [], names: { ...methodNames, demonstrations: [] }, own: {} },
  tasks: { loaded: TASKS, names: Object.keys(TASKS) },
  rewards: { loaded: USUAL_REWARDS, names: Object.keys(USUAL_REWARDS) },
};
