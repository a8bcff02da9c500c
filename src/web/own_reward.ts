/** A reward that a visitor writes, or that came with a link or a file, seen from the engine: `sandboxes.ts` has its worker. */
import { PluginError } from '../errors.ts';
import { describeReward, type RewardBatch } from '../rewards/reward_function.ts';
import type { SandboxLimits } from '../rewards/sandbox.ts';
import { SandboxedReward } from '../rewards/sandboxed_reward.ts';
import type { OwnRewardRow, SandboxQuestion } from './sandbox_program.ts';
import type { StartSandbox } from './sandboxes.ts';

/** Seconds: a visitor waits. The first time counts the start of a worker, on a busy device too. */
const LIMITS: SandboxLimits = { load: 15, score: 5 };
/** Most characters of the code. */
const LONGEST_CODE = 100_000;

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
  const { port1, port2 } = new MessageChannel();
  const worker = start(port2, (reason) => reward.end(reason));
  const reward: SandboxedReward = new SandboxedReward({
    name,
    limits: LIMITS,
    question: (batch): SandboxQuestion => ({ rows: rowsOf(batch) }),
    host: {
      post: (message) => port1.postMessage(message),
      terminate: () => {
        worker.terminate();
        port1.close();
      },
    },
  });
  port1.onmessage = ({ data }) => reward.hear(data);
  try {
    await reward.load({ code } satisfies SandboxQuestion);
    return reward;
  } catch (error) {
    await reward.close();
    if (!(error instanceof PluginError)) throw error;
    // The browser says through which of its functions it read the code.
    throw refuse(error.message.replace(/Failed to execute '\w+' on '\w+': /, ''));
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
