/** A limit on synchronous code: the engine itself ends a loop that has no end. */
import { createContext, Script } from 'node:vm';

/** Code took longer than it may. */
export class TimeLimitError extends Error {}

/** A longer timer would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const context: { work: () => unknown } = { work: () => undefined };
createContext(context);
const script = new Script('work()');

/**
 * What `work` returns. Costs 0.1 ms per call, as the engine starts a thread for each, and several times that where the
 * machine has other work; the code itself runs as ever, and nothing in it can catch the end.
 * Asynchronous code counts only up to its first `await`.
 *
 * @throws TimeLimitError after `seconds`; else what `work` throws
 */
export function withTimeLimit<T>(seconds: number, work: () => T): T {
  context.work = work;
  try {
    return script.runInContext(context, { timeout: Math.min(Math.ceil(seconds * 1000), LONGEST_TIMER_MS) }) as T; // of work
  } catch (error) {
    // Made in the context of the script, it is no instance of this one's Error.
    const code = (error as { readonly code?: unknown } | null)?.code;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeLimitError(`no end within ${seconds} s`);
    throw error;
  }
}
