/** Opens a model that no run here trained, to be asked the held-out problems of a task: `eval --model PATH --task TASK`. */

import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { commandParts } from '../../../src/cli/parts.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import type { Override } from '../../../src/config/overrides.ts';
import { closeEngine } from '../../../src/grpo/engine.ts';
import { type ModelFlags, openTypedModel } from '../../models/run/model/configured_model.node.ts';
import { openForInference } from '../../plugins/asked/open_for_inference.ts';
import { approval } from '../process/trust.ts';
import { configOf } from './config_of.ts';
import type { OpenedModel } from './open_trained.ts';

export interface AskedFlags extends ModelFlags {
  /** As a config has it: a name, or a mapping with its knobs; absent: `set` says what is asked. */
  readonly task?: string;
  readonly set?: readonly Override[];
  readonly threads?: number;
  readonly trust?: readonly string[];
  /** Sampled completions per problem. */
  readonly samples: number;
}

/** Messages name it where they otherwise name a config's file; files of the user's are looked for beside it. */
const HERE = 'eval';

/** @throws ConfigError, DataError, CheckpointError, MemoryPlanError */
export async function openAsked(flags: AskedFlags): Promise<OpenedModel> {
  const { model: named, task, set = [], samples, threads, trust } = flags;
  const loaded = await configOf('max_steps: 1\n', HERE, [
    { flag: '--model', assignment: `model_name_or_path=${JSON.stringify(named)}` },
    ...(task === undefined ? [] : [{ flag: '--task', assignment: `task=${task}` }]),
    ...set,
  ]);
  const { problems } = loaded;
  const pretrained = await openTypedModel(flags);
  const approve = approval({ file: HERE, problems, trust });
  const { codec } = pretrained;
  const plugins = await commandParts().openConfig(loaded, {
    file: HERE,
    announce: announceFile,
    approve,
    rewards: 'unused',
    codec,
  });
  const closers = [() => plugins.close()];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.reverse()) await closeOne();
  };
  try {
    const { config, tasks, registries } = plugins;
    const backend = await chooseBackend({ ...config, threads: threads ?? config.threads });
    const load = { prompts: tasks.heldOutItems().length, samples };
    const model = await openForInference(config, tasks, backend, { registries, load, pretrained });
    closers.push(() => closeEngine(model.engine));
    await pretrained.loadWeights(model.engine.policy);
    return { model, stageIndex: 0, from: pretrained.name, close };
  } catch (error) {
    await close(); // threads that are left open keep the process alive
    throw problems.placed(error);
  }
}
