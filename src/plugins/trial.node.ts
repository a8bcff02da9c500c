/**
 * Tries a file in a thread first, so that one that hangs, ends the process or eats the memory is noticed from outside.
 *
 * A task runs on the run's own thread, where nobody could report an endless loop at the top of its file.
 * Costs a tenth of a second at the start of a run.
 */
import type { ModuleReference } from '../run/opened_config.ts';
import { refusal } from './module.node.ts';
import { endOf, startThread } from './plugin_thread.node.ts';
import type { ProbedCall } from './task_probe.ts';
import type { TrialReport, TrialStart } from './trial_worker.node.ts';

/** Most seconds that a trial may take. */
export interface TrialLimits {
  readonly load: number;
  /** For each call of a task's functions. */
  readonly call: number;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * @param knobs  of a task; undefined: the file is only loaded
 * @returns what the functions of the task gave, as far as they did
 * @throws PluginError `rule; remedy` where the file does not come to its end; not where it is wrong otherwise
 */
export async function tryFile(
  reference: ModuleReference,
  limits: TrialLimits,
  knobs?: Readonly<Record<string, unknown>>,
): Promise<readonly ProbedCall[]> {
  const start: TrialStart = { reference, knobs };
  const worker = startThread('trial_worker.node', start, 'kept');
  for (const output of [worker.stdout, worker.stderr]) output.resume(); // what the file prints shows when the run loads it
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      let when = 'while it was loaded';
      const fail = (rule: string): void => reject(refusal(rule));
      const wait = (seconds: number, late: string): void => {
        clearTimeout(timer);
        const rule = `${late} within ${seconds} s; correct it, or raise reward_timeout`;
        timer = setTimeout(() => fail(rule), Math.min(seconds * 1000, LONGEST_TIMER_MS));
      };
      wait(limits.load, 'does not finish loading');
      worker.on('message', (report: TrialReport) => {
        if (report.type === 'done') return resolve(report.calls);
        const { part, about } = report;
        when = `in ${part}${about === '' ? '' : ` for ${about}`}`;
        wait(limits.call, `comes to no end ${when}`);
      });
      worker.on('error', (cause: NodeJS.ErrnoException) => fail(`${endOf(cause)} ${when}; correct it`));
      worker.on('exit', (code) => fail(`ended its thread by process.exit(${code}) ${when}; correct it`));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
