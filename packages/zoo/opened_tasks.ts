/** Tasks whose problems come from elsewhere than the package. */
import { DATASET } from '../../src/data/data_files.ts';
import type { OpenedTask } from '../../src/data/registered_task.ts';
import { ConfigError } from '../../src/errors.ts';
import { datasetCard } from './data/datasets/card.ts';
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
  [DATASET]: {
    card: datasetCard,
    needs: 'rows come from the files',
    async open(knobs, options) {
      const { files, path = 'task' } = options;
      if (files === undefined) {
        const rule = 'its files are given by options.files; the command reads those of the disk';
        throw new ConfigError('no-files', `${path}.name: ${DATASET} — ${rule}.`, { path: `${path}.name` });
      }
      const [{ openDataset }, { ALL_ROWS: parts }] = await Promise.all([
        import('./data/datasets/dataset.ts'),
        import('./data/datasets/parts.ts'),
      ]);
      return openDataset(knobs, { ...options, files, parts });
    },
  },
};
