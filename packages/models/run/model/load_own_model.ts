/** The weights that a run ended with, back into its policy. */
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { nameInFile } from '../../../../src/model/adapter_config.ts';
import { type LoadOptions, loadModel, modelFile } from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';

/** Loads the run's `modelFile`. @throws as `loadModel` */
export function loadOwnModel(
  store: Store,
  { config, engine: { policy } }: Pick<TrainingRun, 'config' | 'engine'>,
  heard?: LoadOptions['heard'],
): Promise<void> {
  return loadModel(store, modelFile(config), policy, {
    ...(heard && { heard }),
    ...(config.adapter && { nameOf: nameInFile }),
  });
}
