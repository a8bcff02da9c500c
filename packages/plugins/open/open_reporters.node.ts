/** The reporters of a config: files of the user's that receive the events of the run. */
import { isModuleFile, MODULE_ENDINGS } from '../../../src/rewards/module_file.ts';
import { reporterPlace } from '../found_files.node.ts';
import { refusal } from '../module.node.ts';
import { startReporter } from '../threads/reporter_thread.node.ts';
import { loadSeconds, type Opening, openModule, orReport } from './opening.node.ts';

/** Time for a reporter to finish the events that it was sent. */
const REPORTER_END_SECONDS = 5;

/** Starts the reporters: a file that cannot be loaded is a mistake in the config; what it does later is not. */
export async function openReporters(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, { name, export: exported, ...options }] of (config.reporters ?? []).entries()) {
    const path = reporterPlace(problems, index);
    await orReport(opening, path, name, async () => {
      if (!isModuleFile(name)) throw refusal(`not a file that ends in ${MODULE_ENDINGS}; give one of yours`);
      const { reference } = await openModule(opening, name, exported, path);
      opening.reporters.push(
        await startReporter({ reference, options }, { load: loadSeconds(opening), end: REPORTER_END_SECONDS }),
      );
    });
  }
}
