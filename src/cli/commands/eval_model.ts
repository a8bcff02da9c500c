/** `rlvr-train eval --model PATH --task TASK`: the held-out problems of a task, asked of a model that no run here trained. */
import { parseConfig } from '../../config/load.ts';
import { closeEngine } from '../../grpo/engine.ts';
import { openPlugins } from '../../plugins/open_plugins.node.ts';
import { loadWeights } from '../../run/model/pretrained.ts';
import { openForInference } from '../../run/open_run.ts';
import { announceFile } from '../display/announce_file.ts';
import { chooseBackend } from '../process/backend.ts';
import { approval } from '../process/trust.ts';
import { type ModelFlags, openTypedModel } from '../runs/open_model.ts';
import { type EvaluationOptions, showEvaluation } from './show_evaluation.ts';

export interface EvalModelOptions extends EvaluationOptions, ModelFlags {
  /** As a config has it: a name, or a mapping with its knobs. */
  readonly task: string;
  readonly set?: readonly string[];
  readonly threads?: number;
  readonly trust?: readonly string[];
}

/** Messages name it where a config's file would stand; files of the user's are looked for beside it. */
const HERE = 'eval';

/** @throws ConfigError, DataError, CheckpointError, MemoryPlanError */
export async function evalModelCommand(options: EvalModelOptions): Promise<void> {
  const { model, task, set = [], samples, threads, trust } = options;
  const loaded = parseConfig('max_steps: 1\n', { file: HERE }, [
    { flag: '--model', assignment: `model_name_or_path=${JSON.stringify(model)}` },
    { flag: '--task', assignment: `task=${task}` },
    ...set,
  ]);
  const { problems } = loaded;
  const pretrained = await openTypedModel(options);
  const approve = approval({ file: HERE, problems, trust });
  const { codec } = pretrained;
  const plugins = await openPlugins(loaded, { file: HERE, announce: announceFile, approve, rewards: 'unused', codec });
  try {
    const { config, tasks } = plugins;
    const backend = await chooseBackend({ ...config, threads: threads ?? config.threads });
    const load = { prompts: tasks.heldOutItems().length, samples };
    const opened = await openForInference(config, tasks, backend, load, pretrained);
    try {
      await loadWeights(pretrained, opened.engine.policy);
      await showEvaluation(opened, 0, pretrained.name, options);
    } finally {
      await closeEngine(opened.engine);
    }
  } catch (error) {
    throw problems.placed(error);
  } finally {
    await plugins.close();
  }
}
