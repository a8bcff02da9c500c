/** The rewards of a config: those that are files get a thread each. */
import { PluginError } from '../../errors.ts';
import type { Plugin } from '../../options/keys.ts';
import { getReward, type OwnRewards } from '../../rewards/built_in.ts';
import type { RewardOptions } from '../../rewards/definition.ts';
import { isModuleFile, rewardLabel } from '../../rewards/module_file.ts';
import type { SandboxedReward } from '../../rewards/sandbox/sandboxed_reward.ts';
import { rewardPlace } from '../found_files.node.ts';
import { startReward } from '../reward_thread.node.ts';
import type { RewardStart } from '../reward_worker.node.ts';
import { LOAD_SECONDS, type Opening, openModule, orReport } from './opening.node.ts';

/** Starts the rewards that are files, and looks at the others, so that mistakes in them show their line too. */
export async function openRewards(opening: Opening): Promise<void> {
  const { config, problems } = opening.loaded;
  for (const [index, stage] of config.stages.entries()) {
    for (const [place, { weight: _, ...reward }] of (stage.stage === 'grpo' ? stage.rewards : []).entries()) {
      const path = rewardPlace(problems, index, place);
      await orReport(opening, path, reward.name, () => openReward(opening, reward, path));
    }
  }
}

async function openReward(opening: Opening, { name, ...options }: Plugin, path: string): Promise<void> {
  if (!isModuleFile(name)) {
    getReward(name, options);
    return;
  }
  const { export: exported, signature, ...own } = options;
  if (signature !== undefined && signature !== 'trl') throw wrongSignature(signature);
  const { reference, inRun } = await openModule(opening, name, exported, path);
  const key = threadKey(inRun, options);
  if (opening.threads.has(key)) return;
  const start: RewardStart = {
    reference,
    label: rewardLabel({ name, export: exported }),
    options: own,
    ...(signature === 'trl' && { signature }),
  };
  const { rewardTimeout } = opening.loaded.config;
  const limits = { load: Math.max(LOAD_SECONDS, rewardTimeout), score: rewardTimeout };
  opening.threads.set(key, await startReward(start, limits));
}

function wrongSignature(value: unknown): PluginError {
  const rule = 'not a way to call a reward; use trl, or leave it out for {name, score(batch)}';
  return new PluginError('bad-module', rule, { key: 'signature', value });
}

function threadKey(inRun: string, options: RewardOptions): string {
  return JSON.stringify([inRun, Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** For each file, a maker that gives the reward which was started for the same options. */
export function makersOf({ modules, threads }: Opening): OwnRewards {
  const makers = [...modules.values()].map(({ inRun }) => {
    const maker = (options: RewardOptions): SandboxedReward => {
      const thread = threads.get(threadKey(inRun, options));
      if (thread === undefined) throw new RangeError(`${inRun} was not opened for these options`);
      return thread;
    };
    return [inRun, maker] as const;
  });
  return Object.fromEntries(makers);
}
