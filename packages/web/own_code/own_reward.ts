/** A reward that a visitor writes, or that came with a link or a file, seen from the engine: `sandboxes.ts` has its worker. */
import { PluginError } from '../../../src/errors.ts';
import { describeReward, type RewardBatch } from '../../../src/rewards/reward_function.ts';
import type { ExtraValue, RewardLogs } from '../../../src/rewards/reward_log.ts';
import { SandboxedReward } from '../../zoo/rewards/sandbox/sandboxed_reward.ts';
import { LIMITS, LONGEST_CODE, openSandbox, withoutDomPrefix } from './open_sandbox.ts';
import type { OwnLogs, OwnRewardRow, SandboxQuestion } from './sandbox_program.ts';
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
        logs: (logs, { completions }) => logsOf(logs as OwnLogs, completions.length),
      }),
  );
  try {
    await reward.load({ code, declares: 'reward' } satisfies SandboxQuestion);
    return reward;
  } catch (error) {
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

/**
 * What was logged by completion, as columns of the batch: null where a completion has nothing in one.
 * @throws RangeError `rule; remedy` where a completion has two values in one
 */
export function logsOf(logs: OwnLogs, count: number): RewardLogs {
  // Whether names and values may be logged is looked at once they are.
  const columns = new Map<string, (ExtraValue | undefined)[]>();
  const metrics = new Map<string, number[]>();
  for (const [place, name, value] of logs) {
    if (place === null) {
      metrics.set(name as string, [...(metrics.get(name as string) ?? []), value as number]);
      continue;
    }
    const column = columns.get(name as string) ?? new Array<undefined>(count);
    if (place in column) {
      throw new RangeError(
        `logExtra(${JSON.stringify(name)}) was called twice for completion ${place + 1}; call it once`,
      );
    }
    column[place] = value as ExtraValue;
    columns.set(name as string, column);
  }
  return {
    columns: [...columns].map(([name, values]) => [
      name,
      Array.from(values, (value, i) => (i in values ? (value as ExtraValue) : null)),
    ]),
    metrics: [...metrics],
  };
}
