/** The methods and reporters of a config that are files of the user's. */
import { methodKey } from '../../../src/methods/method_list.ts';
import type { MethodPoint } from '../../../src/methods/stage.ts';
import { takeOptions } from '../../../src/options/read.ts';
import { isModuleFile, MODULE_ENDINGS } from '../../../src/rewards/module_file.ts';
import { refusal } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { entriesOf, type NamedEntry } from '../named_entries.ts';
import { loadSeconds, type Opening, openModule, openTried, orReport } from './opening.node.ts';

const NO_METHODS: readonly NamedEntry['kind'][] = ['task', 'inner', 'verifier', 'reward', 'reporter'];

/** Loads the methods that are files; options that the file does not have show their line. */
export async function openMethods(opening: Opening): Promise<void> {
  for (const { kind, plugin, place } of entriesOf(opening.loaded)) {
    const { name, export: exported, ...given } = plugin;
    if (NO_METHODS.includes(kind) || !isModuleFile(name)) continue;
    // A run that only answers can do without a file that is gone, unless that added words: the weights tell.
    if (opening.options.rewards === 'unused' && !opening.modules.has(name)) continue;
    await orReport(opening, place, name, async () => {
      const { reference, inRun } = await openTried(opening, name, exported, place);
      const point = kind as MethodPoint | 'demonstrations'; // all that is left
      const { loadMethod } = await import('../own_exports.node.ts');
      const method = await loadMethod(reference, point, opening.loaded.config.rewardTimeout);
      takeOptions(method.options, given, { path: place, subject: method.id });
      opening.methods.set(methodKey({ ...plugin, name: inRun }), method);
    });
  }
}

/** Time for a reporter to finish the events that it was sent. */
const REPORTER_END_SECONDS = 5;

/** Starts the reporters: a file that cannot be loaded is a mistake in the config; what it does later is not. */
export async function openReporters(opening: Opening): Promise<void> {
  for (const { kind, plugin, place } of entriesOf(opening.loaded)) {
    if (kind !== 'reporter') continue;
    const { name, export: exported, ...options } = plugin;
    await orReport(opening, place, name, async () => {
      if (!isModuleFile(name)) throw refusal(`not a file that ends in ${MODULE_ENDINGS}; give one of yours`);
      const { startReporter } = await import('../threads/reporter_thread.node.ts');
      const { reference } = await openModule(opening, name, exported, place);
      const limits = { load: loadSeconds(opening), end: REPORTER_END_SECONDS };
      opening.reporters.push(await startReporter({ reference, options }, limits));
    });
  }
}
