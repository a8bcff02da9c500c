/**
 * The thread that a user's reward runs in: loads its file, then answers one batch after the other.
 *
 * A thread of its own so that a loop without an end, a memory leak or a process.exit() in it is noticed from outside,
 * and the run can stop as it should. A batch of 512 completions costs 1.5 ms more than a call would.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PluginError } from '../errors.ts';
import type { RewardOptions } from '../rewards/definition.ts';
import {
  describeReward,
  inStep,
  type RewardBatch,
  type RewardFunction,
  scoreRewards,
} from '../rewards/reward_function.ts';
import { type Envelope, frozen, type SandboxReply } from '../rewards/sandbox/sandbox.ts';
import type { ModuleReference } from '../run/opened_config.ts';
import { describeThrown, importExport } from './module.node.ts';
import { sendWritesToStandardError } from './process_guard.node.ts';
import { toRewardFunction } from './reward_module.ts';

/** What the thread is started with. */
export interface RewardStart {
  readonly reference: ModuleReference;
  /** What the reward is called in metrics and messages. */
  readonly label: string;
  readonly options: RewardOptions;
  /** How its function is called; absent: a batch is given to its `score`. */
  readonly signature?: 'trl';
}

sendWritesToStandardError();
const { reference, label, options, signature } = workerData.start as RewardStart; // reward_thread.node.ts sends it

/** The reward, with errors that say where in the file they come from. */
function located(reward: RewardFunction): RewardFunction {
  const source = reference.shown;
  const score = async (batch: RewardBatch): Promise<readonly (number | null)[]> => {
    try {
      return await reward.score(batch);
    } catch (error) {
      const what = `${describeReward({ name: label, source })} failed ${inStep(batch)}`;
      const remedy = 'correct it, or give null where it does not apply';
      throw new PluginError('reward-failed', `${what}: ${describeThrown(error, reference.path)} — ${remedy}.`);
    }
  };
  return { name: label, source, score, ...(reward.range !== undefined && { range: reward.range }) };
}

async function answer(reward: RewardFunction, batch: RewardBatch): Promise<SandboxReply> {
  const { rewards, failures, logs } = await scoreRewards([reward], frozen(batch));
  const [failure] = failures;
  return failure ? { type: 'failed', message: failure.message } : { type: 'scores', values: rewards[0] ?? [], logs };
}

async function load(): Promise<RewardFunction> {
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  return located(toRewardFunction({ value: await importExport(reference), called }, label, options, signature));
}

let reward: RewardFunction | undefined;

/** The first question is for the file itself, each further one a batch. */
async function reply(content: unknown): Promise<SandboxReply> {
  if (reward !== undefined) return answer(reward, content as RewardBatch); // the run is typed
  try {
    reward = await load();
    return { type: 'ready' };
  } catch (error) {
    if (!(error instanceof PluginError)) throw error;
    return { type: 'refused', rule: error.message, facts: error.facts };
  }
}

parentPort?.on('message', async ({ nonce, content }: Envelope<unknown>) => {
  parentPort?.postMessage({ nonce, content: await reply(content) } satisfies Envelope<SandboxReply>);
});
