/** The command with all that the package has: loaded where it is needed, since most runs name no file and no fleet. */

import type { CommandParts } from '../../src/cli/parts.ts';
import { TFJS } from '../tfjs/kernels/open.node.ts';
import { WEBGPU } from '../webgpu/named_backend.node.ts';
import { COMMANDS } from './commands.ts';
import { overview } from './overview.ts';

export const EVERYTHING: CommandParts = {
  commands: COMMANDS,
  help: overview,
  library: {
    async naming(...texts) {
      const [{ zooLibrary }, { withForeignNames }] = await Promise.all([
        import('../zoo/library.ts'),
        import('./import/foreign_names.ts'),
      ]);
      const registries = await zooLibrary.naming(...texts);
      const { keysElsewhere } = registries;
      return { ...registries, ...(keysElsewhere && { keysElsewhere: withForeignNames(keysElsewhere) }) };
    },
  },
  openConfig: async (...given) => (await import('../plugins/open_plugins.node.ts')).openPlugins(...given),
  openBase: async (...given) => (await import('../models/run/model/configured_model.node.ts')).openBase(...given),
  backends: [WEBGPU, TFJS],
};
