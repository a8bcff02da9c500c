/** The command with all that the package has: loaded where it is needed, since most runs name no file and no fleet. */

import type { CommandParts } from '../../src/cli/parts.ts';
import { TFJS } from '../tfjs/kernels/open.node.ts';
import { WEBGPU } from '../webgpu/named_backend.node.ts';
import { COMMANDS } from './commands.ts';

export const EVERYTHING: CommandParts = {
  commands: COMMANDS,
  library: { naming: async (...texts) => (await import('../zoo/library.ts')).zooLibrary.naming(...texts) },
  openConfig: async (...given) => (await import('../plugins/open_plugins.node.ts')).openPlugins(...given),
  openBase: async (...given) => (await import('../models/run/model/configured_model.node.ts')).openBase(...given),
  backends: [WEBGPU, TFJS],
};
