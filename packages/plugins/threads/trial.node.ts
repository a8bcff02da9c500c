/**
 * Tries a file in a thread first, so that one that hangs, ends the process or eats the memory is noticed from outside: a task
 * or a method runs on the run's own thread, where nobody could say so. Costs a tenth of a second at the start of a run.
 */
import { PluginError } from '../../../src/errors.ts';
import { SandboxThread } from '../../../src/rewards/sandbox/sandbox_thread.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import { refusal } from '../module.node.ts';
import { openThread } from './own_thread.node.ts';
import type { ProbedCall } from './task_probe.node.ts';

/** Most seconds that a trial may take. */
export interface TrialLimits {
  readonly load: number;
  /** For each call of a task's functions. */
  readonly call: number;
}

/** For what the thread does besides a call and its second one. */
const ROOM_SECONDS = 1;

/**
 * @param knobs  of a task; undefined: the file is only loaded
 * @returns what the functions of the task gave; fewer where its knobs are wrong, which the run says
 * @throws PluginError where the file cannot be loaded, or a call fails or comes to no end
 */
export async function tryFile(
  reference: ModuleReference,
  limits: TrialLimits,
  knobs?: Readonly<Record<string, unknown>>,
): Promise<readonly ProbedCall[]> {
  // What the file prints shows when the run loads it.
  const thread = openThread(
    { kind: 'trial', reference, knobs, limitSeconds: limits.call },
    (host) => new SandboxThread(host, { load: limits.load, score: limits.call, key: 'reward_timeout' }),
    'dropped',
  );
  const calls: ProbedCall[] = [];
  try {
    await thread.load(undefined);
    while (knobs !== undefined) {
      const answer = await thread.ask(2 * limits.call + ROOM_SECONDS, 'one more call');
      const after = calls.length === 0 ? '' : ` after ${calls.at(-1)?.part}`;
      if (answer.type === 'ended') throw refusal(`${answer.reason} in a call${after}; correct it`);
      if (answer.type === 'late') {
        const rule = `leaves a timer or a promise that comes to no end${after}`;
        throw refusal(`${rule} within ${limits.call} s; correct it, or raise reward_timeout`);
      }
      const { reply } = answer;
      if (reply.type === 'failed' && reply.code === 'task-failed') {
        throw new PluginError(reply.code, reply.message, reply.facts);
      }
      if (reply.type !== 'scores' || reply.values === null) break;
      calls.push(reply.values as ProbedCall); // task_probe.node.ts gives them
    }
    return calls;
  } finally {
    await thread.close();
  }
}
