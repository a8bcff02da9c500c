/**
 * The thread of a trial: imports a file of the user's and, if it is a task, probes a few problems; it announces each
 * call first, so that a hang can be located.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { AnyTaskDefinition } from '../data/task.ts';
import type { ModuleReference } from '../run/opened_config.ts';
import { importExport } from './module.node.ts';
import { sendWritesToStandardError } from './process_guard.node.ts';
import type { ProbedCall } from './task_probe.ts';

/** What the thread is started with. */
export interface TrialStart {
  readonly reference: ModuleReference;
  /** Knobs of a task, as the config has them; undefined: the file is only loaded. */
  readonly knobs: Readonly<Record<string, unknown>> | undefined;
}

/** What the thread says. */
export type TrialReport =
  | { readonly type: 'calling'; readonly part: string; readonly about: string }
  /** It came to its end; where something failed, the run's own thread will say what. */
  | { readonly type: 'done'; readonly calls: readonly ProbedCall[] };

/** Enough to see a function that never ends, or that gives something else each time. */
const PROBLEMS = 8;
/** Time for them, in all: a start of a run should not wait for slow ones. */
const MOST_MS = 500;

const { reference, knobs } = workerData.start as TrialStart; // trial.node.ts sends it
const say = (report: TrialReport): void => parentPort?.postMessage(report);
sendWritesToStandardError();

const calls: ProbedCall[] = [];
try {
  const exported = await importExport(reference);
  if (knobs !== undefined) {
    // Loaded for tasks alone: with the rules of options they take twice as long as the rest of the thread.
    const [{ takeKnobs }, { probeTask }] = await Promise.all([import('../data/knobs.ts'), import('./task_probe.ts')]);
    const definition = exported as AnyTaskDefinition; // whatever it is: what fails is looked at again by the run
    const start = performance.now();
    const tried = probeTask(definition, takeKnobs(definition, knobs), {
      problems: PROBLEMS,
      isEnough: () => performance.now() - start > MOST_MS,
      onCall: (part, about) => say({ type: 'calling', part, about }),
    });
    calls.push(...tried);
    // Timers that are due at once are called before anything else is said.
    say({ type: 'calling', part: 'a timer that it leaves behind', about: '' });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
} catch {
  // The run's own thread meets the same, and says which file, line and function it was.
}
say({ type: 'done', calls });
