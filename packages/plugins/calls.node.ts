/**
 * Calls of a user's functions on the run's own thread: each ends within a time limit, prints to standard error, ends no
 * process, and fails with one message that names file, function and remedy.
 *
 * What a function leaves in a timer or an unawaited promise is outside of this, as in any program.
 */
import { inspect } from 'node:util';
import { createContext, Script } from 'node:vm';
import { type Repeat, repeatPlainly } from '../../src/data/repeat.ts';
import { PluginError, RlvrError } from '../../src/errors.ts';
import { LONGEST_TIMER_MS } from '../zoo/rewards/sandbox/sandbox_thread.ts';
import { describeThrown } from './module.node.ts';

/** Whose functions are called. */
export interface Callee {
  readonly kind: 'task' | 'method';
  /** For messages: `task "addition" (tasks/addition.ts)`. */
  readonly name: string;
  /** The file. */
  readonly path: string;
  /** Most seconds of a call. */
  readonly limitSeconds: number;
}

/** A call under way. */
export interface OwnCall {
  readonly callee: Callee;
  /** The function. */
  readonly part: string;
  /** What it is asked about, as it follows in a message: ` for problem 3`. Asked only when something is wrong. */
  about(): string;
}

/** What is wrong, and what to do about it. */
export type Flaw = readonly [what: string, remedy: string];

/** The call that runs now, since `performance.now()` was this. */
let now: (OwnCall & { readonly since: number }) | undefined;
/** Calls share a limit of this many seconds at present. */
let sharedSeconds: number | undefined;

/**
 * Runs a call.
 *
 * @param limit  'none': it is too short for a limit of its own, 0.1 ms
 * @throws PluginError
 */
export function runCall<T>(call: OwnCall, work: () => T, limit?: 'none'): T {
  const { limitSeconds } = call.callee;
  const hasLimit = limit !== 'none' && !(sharedSeconds !== undefined && sharedSeconds <= limitSeconds);
  const before = now;
  const own = { ...call, since: performance.now() };
  now = own;
  const giveBack = holdProcess();
  try {
    return hasLimit ? withTimeLimit(limitSeconds, work) : work();
  } catch (thrown) {
    throw failureOf(thrown, now ?? own); // where the engine ended a call within this one, `now` is still that
  } finally {
    giveBack();
    now = before;
  }
}

/** What a call has promised. @throws PluginError where it is rejected, or where a limited one is not there in time */
export async function promised<T>(call: OwnCall, promise: Promise<T>, limit?: 'none'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    if (limit === 'none') return;
    timer = setTimeout(() => reject(timeout(call)), Math.min(call.callee.limitSeconds * 1000, LONGEST_TIMER_MS));
  });
  try {
    return await Promise.race([promise, late]);
  } catch (thrown) {
    throw failureOf(thrown, call);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of a call that breaks its contract: `task "addition" (addition.ts): verify gave 7 for problem 3 — give a verdict.` */
export function broken({ callee, part, about }: OwnCall, [what, remedy]: Flaw, cause?: unknown): PluginError {
  const { kind, name, path } = callee;
  const error = new PluginError(`${kind}-failed`, `${name}: ${part} ${what}${about()} — ${remedy}.`, { path, part });
  if (cause !== undefined) error.cause = cause; // a text that someone typed is no mistake of the file
  return error;
}

function timeout(call: OwnCall): PluginError {
  const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
  return broken(call, [`gave nothing within ${call.callee.limitSeconds} s`, remedy]);
}

/** Errors that already say which file they are about. */
const SAID: readonly string[] = ['task-failed', 'method-failed', 'judged-together'];

function failureOf(thrown: unknown, call: OwnCall): Error {
  const { kind, path } = call.callee;
  if (thrown instanceof TimeLimitError) return timeout(call);
  const isOwn = RlvrError.is(thrown);
  // A method calls the run in turn, whose errors are about something else.
  if (isOwn && (SAID.includes(thrown.code) || (kind === 'method' && thrown.code !== 'ends-process'))) return thrown;
  const reason = isOwn ? thrown.message.replace(/\.$/, '') : describeThrown(thrown, path);
  const isFrozen = kind === 'task' && /read only|not extensible|Cannot delete/.test(reason);
  const hint = isFrozen ? ' (problems and states cannot be written to)' : '';
  const { about } = call;
  return broken({ ...call, about: () => `${about()}: ${reason}${hint}` }, ['failed', 'correct it'], thrown);
}

const refuseExit = (code?: number | string | null): never => {
  const rule = `it called process.exit(${code ?? ''}), which would end the run without a word`;
  throw new PluginError('ends-process', rule);
};

/** Until it is given back, process.exit() throws, and standard output is standard error: a script may read the run's own. */
export function holdProcess(): () => void {
  const { exit, stdout } = process;
  if (exit === refuseExit) return () => {};
  const { write } = stdout;
  process.exit = refuseExit;
  stdout.write = process.stderr.write.bind(process.stderr) as typeof write;
  return () => {
    process.exit = exit;
    stdout.write = write;
  };
}

/** For this long, calls in a row share a limit: a thousand short ones, where a limit costs as much as a hundred. */
const SHARED_MS = 5;

/**
 * Runs calls in a row. A limit for each costs a thread each time, 0.1 ms, and more where the machine has other work; so calls
 * that begin within some milliseconds have one together, by which none has less than its own.
 */
export function repeatWithin(limitSeconds: number): Repeat {
  /** Whether `work` came to its end. */
  const share = (work: () => void): boolean => {
    const before = now;
    const giveBack = holdProcess(); // a call that the engine ends does not come to its own `finally`
    sharedSeconds = limitSeconds;
    try {
      withTimeLimit(limitSeconds + (2 * SHARED_MS) / 1000, work);
      return true;
    } catch (thrown) {
      if (!(thrown instanceof TimeLimitError)) throw thrown;
      if (now !== undefined && performance.now() - now.since >= now.callee.limitSeconds * 1000) throw timeout(now);
      return false;
    } finally {
      giveBack();
      sharedSeconds = undefined;
      now = before;
    }
  };
  return (count, work) => {
    if (sharedSeconds !== undefined) return repeatPlainly(count, work);
    let next = 0;
    let isEnough = false;
    const goOn = (): void => {
      isEnough = work(next) === true;
      next++;
    };
    while (next < count && !isEnough) {
      const isWhole = share(() => {
        const end = performance.now() + SHARED_MS;
        do goOn();
        while (next < count && !isEnough && performance.now() < end);
      });
      // Its calls took longer together than one may: once more, each with a limit of its own.
      if (!isWhole) goOn();
    }
  };
}

/** Code took longer than it may. */
export class TimeLimitError extends Error {}

const context: { work: () => unknown } = { work: () => undefined };
createContext(context);
const script = new Script('work()');

/**
 * What `work` returns. Costs 0.1 ms per call, as the engine starts a thread for each, and several times that where the
 * machine has other work; the code itself runs as usual, and nothing in it can catch the end.
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

const LONGEST_VALUE = 80; // characters of a value that a message shows

/** A value in a line. What the user's classes would say of themselves is not asked. */
export function shown(value: unknown): string {
  const line = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY, customInspect: false });
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}
