/** A user's reward or reporter in its thread. */
import { PluginError } from '../../../src/errors.ts';
import { describeReward, inStep, type RewardBatch, scoreRewards } from '../../../src/rewards/reward_function.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import type { ReporterEvent } from '../../../src/run/reporter_event.ts';
import { frozen } from '../../zoo/rewards/sandbox/sandbox.ts';
import { calledExport, describeThrown, importExport } from '../module.node.ts';
import type { Answer, ReporterStart, RewardStart } from './roles.ts';
import { toReporter, toRewardFunction } from './thread_exports.node.ts';

const exportOf = async (reference: ModuleReference) => ({
  value: await importExport(reference),
  called: calledExport(reference),
});

export async function openReporter({ reference, options }: ReporterStart): Promise<Answer> {
  const reporter = toReporter(await exportOf(reference), options);
  return async (event: ReporterEvent) => {
    await reporter.report(event);
    return { type: 'scores', values: null };
  };
}

export async function openReward({ reference, label, options, signature }: RewardStart): Promise<Answer> {
  const own = toRewardFunction(await exportOf(reference), label, options, signature);
  const source = reference.shown;
  /** With errors that say where in the file they come from. */
  const score = async (batch: RewardBatch): Promise<readonly (number | null)[]> => {
    try {
      return await own.score(batch);
    } catch (error) {
      const what = `${describeReward({ name: label, source })} failed ${inStep(batch)}`;
      const remedy = 'correct it, or give null where it does not apply';
      throw new PluginError('reward-failed', `${what}: ${describeThrown(error, reference.path)} — ${remedy}.`);
    }
  };
  const reward = { name: label, source, score, range: own.range };
  return async (batch: RewardBatch) => {
    const { rewards, failures, logs } = await scoreRewards([reward], frozen(batch));
    const [failure] = failures;
    return failure ? { type: 'failed', message: failure.message } : { type: 'scores', values: rewards[0], logs };
  };
}
