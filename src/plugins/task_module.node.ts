/**
 * A task definition from a file, watched: what it throws or gives is checked at each call, and none may take for ever.
 *
 * Tasks run on the run's own thread, since everything waits for their answers; the engine limits each call that may do
 * real work; short ones in a row share a limit.
 */
import { judgedTogether } from '../data/judging/judged.ts';
import type { AnyTaskDefinition, Knobs } from '../data/task.ts';
import { PluginError } from '../errors.ts';
import type { KeyTable } from '../options/keys.ts';
import type { ModuleReference } from '../run/opened_config.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { importExport, refusal } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { type Callee, runAsAsync } from './process_guard.node.ts';
import { kindOf } from './reward_module.ts';
import { shown, type TaskCalls, watchCalls } from './task_calls.node.ts';
import { isMapping, TASK_CONTRACTS, type TaskContract } from './task_contracts.ts';
import { firstDifference, type ProbedCall, probeTask } from './task_probe.ts';
import { watchEnvironment } from './watched_environment.node.ts';
import { watchTokenizer } from './watched_tokenizer.node.ts';

type Definition = Readonly<Record<string, unknown>>;

/**
 * Loads a task definition; its functions throw PluginError where they break their contract.
 *
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no task
 */
export async function loadTaskDefinition(reference: ModuleReference, limitSeconds: number): Promise<AnyTaskDefinition> {
  const file: Callee = { name: reference.shown, path: reference.path, limitSeconds };
  const value = await runAsAsync(file, () => importExport(reference));
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  if (!isMapping(value) || typeof value.score === 'function') {
    throw refusal(`${called} is ${kindOf(value)}, not a task; export a TaskDefinition, as docs/own_task.md shows one`);
  }
  if (!isKnobTable(value.knobs)) {
    const has = typeof value.parseKnobs === 'function' ? 'parses its knobs itself' : 'declares no knobs';
    throw refusal(`${called} ${has}; give knobs: options({…}) of rlvr-train/tasks, as docs/own_task.md shows`);
  }
  const lacks = missingParts(value);
  if (lacks.length > 0) {
    throw refusal(`${called} is no complete task: it lacks ${lacks.join(', ')}; add what is missing`);
  }
  return watched(value, { ...file, name: `task "${value.name}" (${reference.shown})` });
}

function isKnobTable(value: unknown): value is KeyTable {
  const isKey = (entry: unknown): boolean =>
    isMapping(entry) && typeof entry.yaml === 'string' && isMapping(entry.schema) && 'safeParse' in entry.schema;
  return isMapping(value) && Object.values(value).every(isKey);
}

function missingParts(definition: Definition): string[] {
  const facts = Object.entries({ name: 'string', family: 'string', version: 'number' })
    .filter(([name, type]) => typeof definition[name] !== type)
    .map(([name, type]) => `${name} (a ${type === 'string' ? 'text' : type})`);
  const functions = Object.entries(TASK_CONTRACTS)
    .filter(([name, { needed }]) => needed && typeof definition[name] !== 'function')
    .filter(([name]) => name !== 'verify' || typeof definition.judge !== 'function')
    .map(([name]) => `${name}()`);
  return [...facts, ...functions];
}

/**
 * Asks a task twice about the problems that the trial asked it about.
 *
 * @param tried  what it gave in the trial's thread, where its file was loaded apart
 * @throws PluginError naming the function that gives something else when it is asked again
 */
export function refuseImpure(
  definition: AnyTaskDefinition,
  knobs: Knobs,
  tried: readonly ProbedCall[],
  reference: ModuleReference,
): void {
  const problems = Math.max(1, tried.filter(({ part }) => part === 'key').length); // as many as there was time for
  const first = probeTask(definition, knobs, { problems });
  const difference =
    firstDifference(first, probeTask(definition, knobs, { problems })) ?? firstDifference(tried, first);
  if (difference === undefined) return;
  const { part, about, gave } = difference;
  const [one, other] = gave.map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text));
  const what = `gives ${one} once and ${other} when it is asked again${about === '' ? '' : `, for ${about}`}`;
  const remedy = 'let it depend on its arguments alone, as no run could be repeated otherwise';
  const message = `task "${definition.name}" (${reference.shown}): ${part} ${what} — ${remedy}.`;
  throw new PluginError('task-failed', message, { path: reference.path, part });
}

/** What messages call the task: `task "addition" (tasks/addition.ts)`. */
function watched(definition: Definition, callee: Callee): AnyTaskDefinition {
  const calls = watchCalls(callee);
  const functions = Object.entries(TASK_CONTRACTS).flatMap(([part, contract]) => {
    const own = definition[part];
    return typeof own === 'function' ? [[part, watch(definition, part, contract, calls)] as const] : [];
  });
  const { tokenizer, ...others } = Object.fromEntries(functions);
  const watchedTokenizer = (...given: readonly unknown[]): Tokenizer =>
    // Its contract has been kept, or the call has thrown.
    watchTokenizer(tokenizer(...given) as Tokenizer, calls);
  // Every part that is called is there and watched.
  const { environment, judge } = definition;
  const parts: unknown = {
    ...definition,
    ...others,
    tokenizer: watchedTokenizer,
    ...(typeof judge === 'function' && {
      verify: others.verify ?? judgedTogether,
      judge: (...given: readonly unknown[]) => calls.waited('judge', given, () => judge.apply(definition, given)),
    }),
    ...(environment !== undefined && { environment: watchEnvironment(environment, calls) }),
  };
  return parts as AnyTaskDefinition;
}

type Call = (...given: readonly unknown[]) => unknown;

function watch(definition: Definition, part: string, { isLong, gives, isKept }: TaskContract, calls: TaskCalls): Call {
  const own = definition[part] as Call; // the caller has looked
  const check = (value: unknown, given: readonly unknown[]): unknown => {
    if (isKept(value)) return value;
    throw calls.broken(part, given, `gave ${shown(value)}`, gives);
  };
  const call: Call = (...given) => check(finished(part, own.apply(definition, [...given])), given);
  if (part === 'generate' || part === 'parse') {
    return (...given) =>
      calls.limited(part, given, () => {
        const problem = call(...given);
        return problem === null ? null : born(problem, part, definition, calls);
      });
  }
  if (part === 'enumerate') {
    return (...given) => {
      const all = calls.limited(part, given, () => call(...given)) as readonly unknown[] | undefined; // as its contract says
      for (let start = 0; all !== undefined && start < all.length; start += PROBLEMS_PER_LIMIT) {
        const some = all.slice(start, start + PROBLEMS_PER_LIMIT);
        calls.limited(part, given, () => {
          for (const problem of some) born(problem, part, definition, calls);
        });
      }
      return all;
    };
  }
  const run = isLong ? calls.limited : calls.unlimited;
  return (...given) => run(part, given, () => call(...given));
}

/** How many of what `enumerate` gives are looked at under one limit. */
const PROBLEMS_PER_LIMIT = 1000;

/**
 * Looks at a problem before the run sees it: it is plain data, frozen from now on, and its keys come to an end.
 * To be called under a limit.
 */
function born(problem: unknown, part: string, definition: Definition, calls: TaskCalls): unknown {
  const flaw = freezePlain(problem);
  if (flaw !== undefined) {
    const gives = 'give plain data: texts, finite numbers, true, false, null, lists and mappings of these';
    throw calls.broken(part, [], `gave a problem that a checkpoint cannot hold (${flaw})`, gives);
  }
  for (const name of ['key', 'splitKey'] as const) {
    const own = definition[name];
    if (typeof own !== 'function') continue;
    const given = [problem];
    const value: unknown = calls.within(name, given, () => own.call(definition, problem));
    if (!TASK_CONTRACTS[name].isKept(value)) {
      throw calls.broken(name, given, `gave ${shown(value)}`, TASK_CONTRACTS[name].gives);
    }
  }
  return problem;
}

/** Solutions that are looked at: some problems have no end of them. */
const MOST_SOLUTIONS = 1000;

function firstOf(values: Iterable<unknown>, most: number): unknown[] {
  const first: unknown[] = [];
  for (const value of values) {
    if (first.push(value) === most) break;
  }
  return first;
}

/** A generator does its work when it is read, which must happen under the limit. */
function finished(part: string, value: unknown): unknown {
  if (part === 'solutions' && isMapping(value) && Symbol.iterator in value) {
    return firstOf(value as unknown as Iterable<unknown>, MOST_SOLUTIONS);
  }
  return part === 'enumerate' && isMapping(value) && Symbol.iterator in value
    ? [...(value as unknown as Iterable<unknown>)]
    : value;
}
