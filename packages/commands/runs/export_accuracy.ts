/** Held-out accuracy of a model and of what was written of it, on the task of its run. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { commandParts, library } from '../../../src/cli/parts.ts';
import { chooseBackend } from '../../../src/cli/process/backend.ts';
import { loadConfigFile } from '../../../src/config/load_file.node.ts';
import { CheckpointError } from '../../../src/errors.ts';
import { closeEngine } from '../../../src/grpo/engine.ts';
import { evaluate } from '../../../src/grpo/evaluate.ts';
import type { Estimate } from '../../../src/methods/statistics.ts';
import type { OpenedConfig } from '../../../src/run/opened_config.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { openForInference } from '../../plugins/asked/open_for_inference.ts';
import { approval } from '../process/trust.ts';

/** Greedy answers to the same problems. */
export interface AccuracyChange {
  readonly problems: number;
  readonly before: Estimate;
  readonly after: Estimate;
}

interface Asked {
  readonly problems: number;
  readonly threads?: number;
}

/**
 * The text of what was written is that of the model, which was compared before: both are asked the same prompts.
 *
 * @param directory  of a run, whose task is asked
 * @throws CheckpointError where it is none
 */
export async function accuracyChange(
  directory: string,
  models: { readonly before: Pretrained; readonly after: Pretrained },
  asked: Asked,
): Promise<AccuracyChange> {
  const file = join(directory, 'config.yaml');
  if (!existsSync(file)) {
    const rule = 'no run, whose task could be asked (no config.yaml)';
    throw new CheckpointError('no-run', `--problems: ${directory} is ${rule}. Leave it out, or name a run.`);
  }
  const loaded = await loadConfigFile(file, library());
  const approve = approval({ file, problems: loaded.problems, run: { directory, goal: 'use' } });
  const { codec } = models.before;
  const given = { file, directory, announce: announceFile, approve, rewards: 'unused', codec } as const;
  const plugins = await commandParts().openConfig(loaded, given);
  try {
    const before = await accuracyOf(plugins, models.before, asked);
    const after = await accuracyOf(plugins, models.after, asked);
    return { problems: before.count, before, after };
  } finally {
    await plugins.close();
  }
}

async function accuracyOf(
  { config: given, tasks, registries }: Pick<OpenedConfig, 'config' | 'tasks' | 'registries'>,
  pretrained: Pretrained,
  { problems, threads }: Asked,
): Promise<Estimate> {
  const { adapter: _, ...plain } = given;
  const { adapter, name } = pretrained;
  const config = { ...plain, ...(adapter && { adapter: adapter.config }), modelNameOrPath: name };
  const backend = await chooseBackend({ ...config, backend: 'wasm', threads: threads ?? config.threads });
  const { engine } = await openForInference(config, tasks, backend, {
    registries,
    load: { prompts: problems, samples: 1 },
    pretrained,
  });
  try {
    const { policy } = engine;
    await (adapter === undefined ? pretrained.loadWeights(policy) : pretrained.loadAdapter(policy));
    const stage = config.stages[config.stages.length - 1] as (typeof config.stages)[number];
    const evaluation = { ...stage.evaluation, problems, samples: 1 };
    return (await evaluate({ engine, figures: [], seed: config.seed }, { ...stage, evaluation })).accuracy;
  } finally {
    await closeEngine(engine);
  }
}
