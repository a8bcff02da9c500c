/** Tasks whose problems come from elsewhere than the package. */
import { datasetTask } from '../../src/data/core_tasks.ts';
import { DATASET } from '../../src/data/datasets/card.ts';
import type { OpenedTask } from '../../src/data/registered_task.ts';
import { OPENENV, openEnvCard } from './data/openenv/card.ts';

export const OPENED: Readonly<Record<string, OpenedTask>> = {
  [OPENENV]: {
    card: openEnvCard,
    needs: 'problems are those of the server',
    open: async (knobs, options) => {
      const { openOpenEnv } = await import('./data/openenv/openenv.ts');
      return openOpenEnv(knobs, { ...options, ...options.openenv });
    },
  },
  [DATASET]: datasetTask(async () => (await import('./data/datasets/parts.ts')).ALL_ROWS),
};
