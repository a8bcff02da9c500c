/**
 * Verdicts that take time. A task's verifier returns at once; if verdicts come from a thread, a sandbox or a server,
 * all answers of a batch are judged together and the caller waits. Verdicts match answers by position, so nothing
 * depends on which came first.
 */
import { PluginError, RlvrError } from '../../errors.ts';
import type { Json } from '../../options/json.ts';
import type { GivenOptions } from '../../options/read.ts';
import type { Verdict } from '../../rewards/verdict.ts';
import type { AskedAnswer, Knobs } from '../problem.ts';
import { makeEach, repeatPlainly } from '../repeat.ts';
import type { AnyTaskDefinition, GivenAnswer, Task } from '../task.ts';
import { isVerdict } from './is_verdict.ts';

/** The verdicts of many answers, in their order. */
export type Judge<I, K> = (answers: readonly AskedAnswer<I>[], knobs: K) => Promise<readonly Verdict[]>;

/** A host's threads, in which the `verify` of tasks whose verdicts take time is called. */
export interface JudgeThreads {
  /** @param given  the knobs as they are written, by which the task is loaded there too */
  ofTask(name: string, given: GivenOptions): Judge<Json, Knobs>;
}

/** A registered task; if its verdicts take time, the host's threads judge it, if there are any. */
export function judgedInThreads(
  definition: AnyTaskDefinition,
  given: GivenOptions,
  threads: JudgeThreads | undefined,
): AnyTaskDefinition {
  if (!definition.takesTime || definition.judge !== undefined || threads === undefined) return definition;
  return { ...definition, judge: threads.ofTask(definition.name, given) };
}

/** Who judges: a task, or all tasks of a run. */
type Judging = Pick<Task, 'verify' | 'judge' | 'repeat'>;

/** The verdicts of completions, in order. @throws PluginError if a task breaks its contract */
export async function verdictsOf(tasks: Judging, answers: readonly GivenAnswer[]): Promise<readonly Verdict[]> {
  return tasks.judge?.(answers) ?? verifyEach(tasks, answers);
}

/** The same if no verdict takes time. */
export function verifyEach(tasks: Judging, answers: readonly GivenAnswer[]): readonly Verdict[] {
  return makeEach(tasks.repeat ?? repeatPlainly, answers.length, (i) => {
    const { item, completion, context } = answers[i];
    return tasks.verify(item, completion, context);
  });
}

/** The same for several tasks: each judges its own answers, and all do so concurrently. */
export async function verdictsOfShares(
  shares: readonly { readonly task: Judging; readonly label: string }[],
  answers: readonly GivenAnswer[],
): Promise<readonly Verdict[]> {
  if (shares.length === 1) return verdictsOf(shares[0].task, answers);
  const verdicts = new Array<Verdict>(answers.length);
  const judged = shares.map(async ({ task, label }) => {
    const places = answers.flatMap(({ item }, i) => (item.task === label ? [i] : []));
    const taskAnswers = places.map((i) => answers[i]);
    for (const [i, verdict] of (await verdictsOf(task, taskAnswers)).entries()) verdicts[places[i]] = verdict;
  });
  await Promise.all(judged);
  return verdicts;
}

/**
 * Asks a task's `judge`, and checks its result.
 *
 * @throws PluginError if it fails, or lacks a verdict for an answer
 */
export async function askJudge(
  definition: AnyTaskDefinition,
  answers: readonly AskedAnswer<Json>[],
  knobs: Knobs,
): Promise<readonly Verdict[]> {
  const { name } = definition;
  if (answers.length === 0) return [];
  const failed = (rule: string): PluginError =>
    new PluginError('task-failed', `task "${name}": judge ${rule}.`, { task: name, part: 'judge' });
  let verdicts: unknown;
  try {
    verdicts = await definition.judge?.(answers, knobs);
  } catch (error) {
    if (error instanceof RlvrError) throw error;
    throw failed(`failed for ${answers.length} answers (${String(error)}) — correct it`);
  }
  const count = `one for each of ${answers.length} answers, in their order`;
  if (!Array.isArray(verdicts)) throw failed(`gave ${shown(verdicts)} — give a list of verdicts, ${count}`);
  if (verdicts.length !== answers.length) {
    throw failed(`gave ${verdicts.length} verdicts for ${answers.length} answers — give ${count}`);
  }
  const given: readonly unknown[] = Array.from(verdicts); // a hole is no verdict
  const wrong = given.findIndex((verdict) => !isVerdict(verdict));
  if (wrong < 0) return given as readonly Verdict[];
  const about = `for answer ${wrong + 1} of ${answers.length}, ${shown(answers[wrong].answer)}`;
  throw failed(
    `gave ${shown(given[wrong])} ${about} — give {score: 0 to 1 or null, status: correct, incorrect, invalid or truncated, reason}`,
  );
}

/**
 * The `verify` of a task that can only `judge`: methods that need a verdict at once cannot use it.
 *
 * @throws PluginError always
 */
export function judgedTogether(): never {
  const rule = 'its answers are judged together, by judge, and a verdict was asked for at once';
  throw new PluginError(
    'judged-together',
    `task: ${rule}; leave out the method or reward that asks, or give verify too.`,
  );
}

/**
 * A verdict that is needed at once, in the middle of a completion or an answer.
 *
 * @param asker  who needs it
 * @throws PluginError naming the asker, if the task can only judge answers together
 */
export function atOnce(asker: string, verify: () => Verdict): Verdict {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof PluginError && error.code === 'judged-together')) throw error;
    throw new PluginError(error.code, `${asker}: ${error.message}`, { ...error.facts, asker });
  }
}

const LONGEST_VALUE = 80;

/** A value in a line; NaN is there as it is. */
function shown(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value, nanAsText) : JSON.stringify(value);
  const line = text ?? String(value);
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}

function nanAsText(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
