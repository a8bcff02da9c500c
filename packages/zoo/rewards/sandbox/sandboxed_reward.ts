/** A user's reward in a sandbox: what its thread is asked of a batch, and what is said of it where it fails. */
import { PluginError } from '../../../../src/errors.ts';
import {
  describeReward,
  inStep,
  type RewardBatch,
  type RewardFunction,
  type RewardValues,
} from '../../../../src/rewards/reward_function.ts';
import type { RewardLogs } from '../../../../src/rewards/reward_log.ts';
import type { SandboxLimits } from './sandbox.ts';
import { type SandboxHost, SandboxThread } from './sandbox_thread.ts';

export interface SandboxedRewardOptions {
  /** What the reward is called in metrics and messages. */
  readonly name: string;
  /** The file that it comes from. */
  readonly source?: string;
  readonly host: SandboxHost;
  readonly limits: SandboxLimits;
  /** What the thread is sent of a batch; default: all that can be copied. */
  readonly question?: (batch: RewardBatch) => unknown;
  /** What the thread says was logged, as columns of the batch and metrics; default: as it is. */
  readonly logs?: (logs: unknown, batch: RewardBatch) => RewardLogs;
}

/** A user's reward in its thread, until it is closed. */
export class SandboxedReward extends SandboxThread implements RewardFunction {
  readonly name: string;
  readonly source?: string;
  readonly #question: (batch: RewardBatch) => unknown;
  readonly #logs: (logs: unknown, batch: RewardBatch) => RewardLogs;

  constructor({ name, source, host, limits, question = withoutFunctions, logs = asTheyAre }: SandboxedRewardOptions) {
    super(host, limits);
    this.name = name;
    if (source !== undefined) this.source = source;
    this.#question = question;
    this.#logs = logs;
  }

  /** @throws PluginError in words, where the code throws, hangs, or has ended */
  async score(batch: RewardBatch): Promise<RewardValues> {
    const facts = { reward: this.name, source: this.source };
    const fail = (code: string, rule: string): PluginError =>
      new PluginError(code, `${describeReward(this)} ${rule}.`, facts);
    const answer = await this.ask(this.limits.score, this.#question(batch));
    if (answer.type === 'late') {
      const rule = `gave nothing within ${this.limits.score} s ${inStep(batch)} — it hangs or is too slow`;
      throw fail('reward-timeout', `${rule}; correct it${this.raise}`);
    }
    if (answer.type === 'ended') {
      throw fail('reward-failed', `${answer.reason} ${inStep(batch)} — it can score nothing more; correct it`);
    }
    const { reply } = answer;
    if (reply.type === 'scores') {
      if (reply.logs !== undefined) logAgain(this.#logs(reply.logs, batch), batch);
      return reply.values as RewardValues; // scoreRewards looks at all of it
    }
    if (reply.type === 'failed') throw new PluginError('reward-failed', reply.message, facts);
    if (reply.type === 'threw') {
      const remedy = 'correct it, or give null where it does not apply';
      throw fail('reward-failed', `failed ${inStep(batch)}: ${reply.thrown} — ${remedy}`);
    }
    throw fail('reward-failed', `said ${reply.type} to a batch ${inStep(batch)} — correct it`);
  }
}

function withoutFunctions({ judge: _, logExtra: __, logMetric: ___, ...batch }: RewardBatch): RewardBatch {
  return batch;
}

function asTheyAre(logs: unknown): RewardLogs {
  return logs as RewardLogs; // `logAgain` has each looked at
}

/** Logs here what was logged in the thread: each call looks at what it is given. */
function logAgain({ columns, metrics }: RewardLogs, { logExtra, logMetric }: RewardBatch): void {
  for (const [column, values] of columns) logExtra?.(column, values);
  for (const [name, values] of metrics) for (const value of values) logMetric?.(name, value);
}
