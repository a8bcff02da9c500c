/** A reward that a visitor writes, or that came with a link or a file, seen from the engine: `sandboxes.ts` has its worker. */
import { PluginError } from '../../errors.ts';
import { describeReward, type RewardBatch } from '../../rewards/reward_function.ts';
import { SandboxedReward } from '../../rewards/sandbox/sandboxed_reward.ts';
import { LIMITS, LONGEST_CODE, openSandbox, withoutDomPrefix } from './open_sandbox.ts';
import type { OwnRewardRow, SandboxQuestion } from './sandbox_program.ts';
import type { StartSandbox } from './sandboxes.ts';

/**
 * Starts the code, which declares `function reward({prompt, completion, answer, length, verdict})`.
 * @throws PluginError where it cannot be read, or declares none
 */
export async function startOwnReward(name: string, code: string, start: StartSandbox): Promise<SandboxedReward> {
  const refuse = (rule: string): PluginError =>
    new PluginError('reward-failed', `${describeReward({ name })} ${rule}.`, { reward: name });
  if (code.length > LONGEST_CODE) {
    throw refuse(`has ${code.length} characters of code; ${LONGEST_CODE} are the most — shorten it`);
  }
  const reward = openSandbox(
    start,
    (host) =>
      new SandboxedReward({
        name,
        limits: LIMITS,
        host,
        question: (batch): SandboxQuestion => ({ rows: rowsOf(batch) }),
      }),
  );
  try {
    await reward.load({ code, declares: 'reward' } satisfies SandboxQuestion);
    return reward;
  } catch (error) {
    await reward.close();
    if (!(error instanceof PluginError)) throw error;
    throw refuse(withoutDomPrefix(error.message));
  }
}

function rowsOf(batch: RewardBatch): OwnRewardRow[] {
  return batch.completions.map((completion, row) => ({
    prompt: batch.prompts[row] as string,
    completion,
    answer: batch.items[row]?.answer as string,
    length: batch.completionTokens[row]?.length as number,
    verdict: batch.verdicts[row] as OwnRewardRow['verdict'],
  }));
}
