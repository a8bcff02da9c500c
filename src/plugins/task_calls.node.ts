/** Calls into a user's task: each is known as the task's, may be limited in time, and fails with a message of its own. */
import { inspect } from 'node:util';
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
  /** `task "addition" (tasks/addition.ts): verify gave 7 for problem … — give a verdict.` */
  broken(part: string, given: readonly unknown[], what: string, remedy: string): PluginError;
}

/** Errors that say already who failed at what. */
const SAID: readonly string[] = ['task-failed', 'task-timeout', 'failed-outside'];

export function watchCalls(callee: Callee): TaskCalls {
  const { name, path, limitSeconds } = callee;
  /** What the call under way has come to: a loop that is ended says nothing itself. */
  let now: { part: string; given: readonly unknown[] };
  const error = (code: string, part: string, rule: string): PluginError =>
    new PluginError(code, `${name}: ${part} ${rule}.`, { path, part });
  const said = (thrown: unknown): unknown => {
    const { part, given } = now;
    if (thrown instanceof TimeLimitError) {
      const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
      const rule = `gave nothing within ${limitSeconds} s${forWhat(part, given)} — ${remedy}`;
      return error('task-timeout', part, rule);
    }
    if (thrown instanceof PluginError && SAID.includes(thrown.code)) return thrown;
    const reason = isOwnError(thrown) ? thrown.message.replace(/\.$/, '') : describeThrown(thrown, path);
    const hint = /read only|not extensible|Cannot delete/.test(reason) ? ' (a problem cannot be written to)' : '';
    return error('task-failed', part, `failed${forWhat(part, given)}: ${reason}${hint} — correct it`);
  };
  const run =
    (limit: <T>(work: () => T) => T): Run =>
    (part, given, work) => {
      now = { part, given };
      try {
        return runAs(callee, () => limit(work));
      } catch (thrown) {
        throw said(thrown);
      }
    };
  return {
    limited: run((work) => withTimeLimit(limitSeconds, work)),
    unlimited: run((work) => work()),
    within(part, given, work) {
      const before = now;
      now = { part, given };
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
  if (part === 'tokenizer.encode' || part === 'tokenizer.decode') return ` for ${shown(first)}`;
  const ofProblem = [
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
