/** The methods of a config that are files of the user's. */
import { methodKey } from '../../../src/methods/method_list.ts';
import { METHOD_POINTS, type MethodPoint } from '../../../src/methods/stage.ts';
import type { Plugin } from '../../../src/options/keys.ts';
import { takeOptions } from '../../../src/options/read.ts';
import { isModuleFile } from '../../../src/rewards/module_file.ts';
import { demonstrationsPlace, methodPlace } from '../found_files.node.ts';
import { loadMethod } from '../own_exports.node.ts';
import { type Opening, openTried, orReport } from './opening.node.ts';

/** Loads the methods that are files; options that the file does not have show their line. */
export async function openMethods(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, stage] of config.stages.entries()) {
    const open = async (point: MethodPoint | 'demonstrations', plugin: Plugin, path: string): Promise<void> => {
      if (!isModuleFile(plugin.name)) return;
      // A run that only answers can do without a file that is gone, unless that added words: the weights tell.
      if (opening.options.rewards === 'unused' && !opening.modules.has(plugin.name)) return;
      await orReport(opening, path, plugin.name, () => openMethod(opening, point, plugin, path));
    };
    if (stage.stage === 'sft') {
      if (stage.demonstrations)
        await open('demonstrations', stage.demonstrations, demonstrationsPlace(problems, index));
      continue;
    }
    for (const point of METHOD_POINTS) {
      for (const [place, plugin] of stage.methods[point].entries()) {
        await open(point, plugin, methodPlace(problems, index, point, place));
      }
    }
  }
}

async function openMethod(
  opening: Opening,
  point: MethodPoint | 'demonstrations',
  plugin: Plugin,
  path: string,
): Promise<void> {
  const { reference, inRun } = await openTried(opening, plugin.name, plugin.export, path);
  const { rewardTimeout } = opening.loaded.config;
  const method = await loadMethod(reference, point, rewardTimeout);
  const { name: _, export: __, ...given } = plugin;
  takeOptions(method.options, given, { path, subject: method.id });
  opening.methods.set(methodKey({ ...plugin, name: inRun }), method);
}
