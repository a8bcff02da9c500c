/** Held-out accuracy of a model and of what was written of it, on the task of its run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfigFile } from '../../config/load_file.node.ts';
import { CheckpointError } from '../../errors.ts';
import { closeEngine } from '../../grpo/engine.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import type { Estimate } from '../../methods/statistics.ts';
import { loadAdapter } from '../../model/pretrained/load_weights.ts';
import { openPlugins } from '../../plugins/open_plugins.node.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import { loadWeights } from '../../run/model/use_pretrained.ts';
import { openForInference } from '../../run/open_run.ts';
import { announceFile } from '../display/announce_file.ts';
import { chooseBackend } from '../process/backend.ts';
import { approval } from '../process/trust.ts';

/** Greedy answers to the same problems. */
export interface AccuracyChange {
  readonly problems: number;
  readonly before: Estimate;
  readonly after: Estimate;
}

/** @param directory  of a run, whose task is asked @throws CheckpointError where it is none */
export async function accuracyChange(
  directory: string,
  models: { readonly before: Pretrained; readonly after: Pretrained },
  asked: { readonly problems: number; readonly threads?: number },
): Promise<AccuracyChange> {
  const before = await accuracyOf(directory, models.before, asked);
  const after = await accuracyOf(directory, models.after, asked);
  return { problems: before.count, before, after };
}

async function accuracyOf(
  directory: string,
  pretrained: Pretrained,
  { problems, threads }: { readonly problems: number; readonly threads?: number },
): Promise<Estimate> {
  const file = join(directory, 'config.yaml');
  if (!existsSync(file)) {
    const rule = 'no run, whose task could be asked (no config.yaml)';
    throw new CheckpointError('no-run', `--problems: ${directory} is ${rule}. Leave it out, or name a run.`);
  }
  const loaded = await loadConfigFile(file);
  const approve = approval({ file, problems: loaded.problems, run: { directory, goal: 'use' } });
  const { codec, adapter, name } = pretrained;
  const plugins = await openPlugins(loaded, {
    file,
    directory,
    announce: announceFile,
    approve,
    rewards: 'unused',
    codec,
  });
  try {
    const { adapter: _, ...plain } = plugins.config;
    const config = { ...plain, ...(adapter && { adapter: adapter.config }), modelNameOrPath: name };
    const backend = await chooseBackend({ ...config, backend: 'wasm', threads: threads ?? config.threads });
    const load = { prompts: problems, samples: 1 };
    const { engine } = await openForInference(config, plugins.tasks, backend, load, pretrained);
    try {
      const { policy } = engine;
      if (adapter === undefined) await loadWeights(pretrained, policy);
      else await loadAdapter(adapter, pretrained.model, policy);
      const stage = config.stages[config.stages.length - 1] as (typeof config.stages)[number];
      const evaluation = { ...stage.evaluation, problems, samples: 1 };
      return (await evaluate({ engine, figures: [], seed: config.seed }, { ...stage, evaluation })).accuracy;
    } finally {
      await closeEngine(engine);
    }
  } finally {
    await plugins.close();
  }
}
