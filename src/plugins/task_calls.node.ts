/** Calls into a user's task: each is known as the task's, may be limited in time, and fails with a message of its own. */
import { inspect } from 'node:util';
import { type Repeat, repeatPlainly } from '../data/repeat.ts';
import { PluginError } from '../errors.ts';
import { describeThrown } from './module.node.ts';
import { type Callee, runAs } from './process_guard.node.ts';
import { isOwnError } from './reward_module.ts';
import { TimeLimitError, withTimeLimit } from './time_limit.node.ts';

type Run = <T>(part: string, given: readonly unknown[], work: () => T) => T;

export interface TaskCalls {
  /** Runs a call of the function `part` with these arguments, and ends it when it takes too long. */
  readonly limited: Run;
  /** The same for what is too short for a limit, … */
  readonly unlimited: Run;
  /** … and for a further function that a call under way asks: the limit is that of the call, the message is its own. */
  readonly within: Run;
  /** Runs a call that is waited for; fails where what it promises is not there in time. */
  waited(part: string, given: readonly unknown[], work: () => unknown): Promise<unknown>;
  /** `task "addition" (tasks/addition.ts): verify gave 7 for problem … — give a verdict.` */
  broken(part: string, given: readonly unknown[], what: string, remedy: string): PluginError;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Errors that say already who failed at what. */
const SAID: readonly string[] = ['task-failed', 'task-timeout', 'failed-outside', 'judged-together'];

/** The call under way, since `performance.now()` was this: a loop that is ended says nothing itself. */
interface OpenCall {
  readonly callee: Callee;
  readonly part: string;
  readonly given: readonly unknown[];
  readonly since: number;
}
let now: OpenCall | undefined;
/** Calls share a limit of this many seconds at present. */
let sharedSeconds: number | undefined;

/** For this long, calls in a row share a limit: a thousand short ones, where a limit costs as much as a hundred. */
const SHARED_MS = 5;

/**
 * Runs calls into tasks in a row. A limit for each costs a thread each time, 0.1 ms, and more where the machine has
 * other work; so calls that begin within some milliseconds have one together, by which none has less than its own.
 */
export function repeatWithin(limitSeconds: number): Repeat {
  /** Whether `work` came to its end. */
  const share = (work: () => void): boolean => {
    sharedSeconds = limitSeconds;
    try {
      runAs(undefined, () => withTimeLimit(limitSeconds + (2 * SHARED_MS) / 1000, work));
      return true;
    } catch (thrown) {
      if (!(thrown instanceof TimeLimitError)) throw thrown;
      if (now !== undefined && performance.now() - now.since >= now.callee.limitSeconds * 1000) throw timeout(now);
      return false;
    } finally {
      sharedSeconds = undefined;
      now = undefined;
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

function failure(code: string, { name, path }: Callee, part: string, rule: string): PluginError {
  return new PluginError(code, `${name}: ${part} ${rule}.`, { path, part });
}

function timeout({ callee, part, given }: OpenCall): PluginError {
  const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
  const rule = `gave nothing within ${callee.limitSeconds} s${forWhat(part, given)} — ${remedy}`;
  return failure('task-timeout', callee, part, rule);
}

export function watchCalls(callee: Callee): TaskCalls {
  const { path, limitSeconds } = callee;
  const error = (code: string, part: string, rule: string): PluginError => failure(code, callee, part, rule);
  const said = (thrown: unknown, call: OpenCall): unknown => {
    const { part, given } = call;
    if (thrown instanceof TimeLimitError) return timeout(call);
    if (thrown instanceof PluginError && SAID.includes(thrown.code)) return thrown;
    const reason = isOwnError(thrown) ? thrown.message.replace(/\.$/, '') : describeThrown(thrown, path);
    const hint = /read only|not extensible|Cannot delete/.test(reason)
      ? ` (a ${part.startsWith('environment.') ? 'state' : 'problem'} cannot be written to)`
      : '';
    const failed = error('task-failed', part, `failed${forWhat(part, given)}: ${reason}${hint} — correct it`);
    failed.cause = thrown; // a text that someone typed is no mistake of the file, and what refuses it says so
    return failed;
  };
  const run =
    (limit: <T>(work: () => T) => T): Run =>
    (part, given, work) => {
      const before = now;
      now = { callee, part, given, since: performance.now() };
      try {
        return runAs(callee, () => limit(work));
      } catch (thrown) {
        throw said(thrown, now); // `within` may have changed it
      } finally {
        now = before;
      }
    };
  const limited: Run = run((work) => (isShared() ? work() : withTimeLimit(limitSeconds, work)));
  const isShared = (): boolean => sharedSeconds !== undefined && sharedSeconds <= limitSeconds;
  return {
    limited,
    unlimited: run((work) => work()),
    async waited(part, given, work) {
      const call: OpenCall = { callee, part, given, since: performance.now() };
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(timeout(call)), Math.min(limitSeconds * 1000, LONGEST_TIMER_MS));
      });
      try {
        return await Promise.race([limited(part, given, work), late]);
      } catch (thrown) {
        throw said(thrown, call);
      } finally {
        clearTimeout(timer);
      }
    },
    within(part, given, work) {
      const before = now;
      if (before !== undefined) now = { ...before, part, given };
      const value = work(); // where it throws, the call under way says so of this part
      now = before;
      return value;
    },
    broken: (part, given, what, remedy) =>
      error(
        'task-failed',
        part,
        `${what}${forWhat(part, given)} — ${/^give /.test(remedy) ? remedy : `give ${remedy}`}`,
      ),
  };
}

/** What a call was about. */
function forWhat(part: string, [first, second]: readonly unknown[]): string {
  if (part === 'verify') return ` for problem ${shown(first)} and answer ${shown(second)}`;
  if (part === 'environment.step') return ` for state ${shown(first)} and action ${shown(second)}`;
  if (part === 'tokenizer.encode' || part === 'tokenizer.decode') return ` for ${shown(first)}`;
  const ofProblem = [
    'isFit',
    'key',
    'splitKey',
    'prompt',
    'question',
    'columns',
    'oracle',
    'demonstration',
    'frequency',
  ].includes(part);
  return ofProblem ? ` for problem ${shown(first)}` : '';
}

const LONGEST_VALUE = 80; // characters of a value that a message shows

/** A value in a line. What the user's classes would say of themselves is not asked. */
export function shown(value: unknown): string {
  const line = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY, customInspect: false });
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}
