/**
 * A task definition from a file, watched: what it throws or gives is checked at each call, and none may take for ever.
 *
 * Tasks run on the run's own thread, since everything waits for their answers; a call that does work is limited by the
 * engine (40 µs each, so not `key` and `splitKey`, which run once for each of perhaps millions of problems).
 */
import { inspect } from 'node:util';
import type { AnyTaskDefinition } from '../data/registry.ts';
import { PluginError } from '../errors.ts';
import type { Verdict } from '../rewards/verdict.ts';
import { describeThrown, importExport, type ModuleReference, refusal } from './module.node.ts';
import { isOwnError, kindOf } from './reward_module.ts';
import { TimeLimitError, withTimeLimit } from './time_limit.node.ts';

/** What each function of a definition must give; `isLong` where it may do real work. */
interface Contract {
  readonly needed: boolean;
  readonly isLong: boolean;
  readonly gives: string;
  isKept(value: unknown): boolean;
}

const text = (isLong: boolean, needed = true): Contract => ({
  needed,
  isLong,
  gives: 'a text',
  isKept: (value) => typeof value === 'string',
});

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value > 0;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const CONTRACTS: Readonly<Record<string, Contract>> = {
  parseKnobs: { needed: true, isLong: true, gives: 'the knobs, as a mapping', isKept: isObject },
  generate: {
    needed: true,
    isLong: true,
    gives: 'a problem as plain data, or null to draw again',
    isKept: (value) => value !== undefined && typeof value !== 'function' && !(value instanceof Promise),
  },
  enumerate: { needed: false, isLong: true, gives: 'the problems, as a list', isKept: () => true },
  key: text(false),
  splitKey: text(false, false),
  prompt: text(true),
  oracle: text(true),
  demonstration: text(true),
  verify: {
    needed: true,
    isLong: true,
    gives: 'a verdict {score: 0 to 1 or null, status: correct, incorrect, invalid or truncated, reason}',
    isKept: isVerdict,
  },
  chance: { needed: true, isLong: true, gives: 'a number', isKept: (value) => typeof value === 'number' },
  tokenizer: {
    needed: true,
    isLong: true,
    gives: 'a tokenizer, as characterTokenizer or wordTokenizer of rlvr-train/tasks makes one',
    isKept: (value) => isObject(value) && typeof value.encode === 'function' && isCount(value.vocabSize),
  },
  limits: {
    needed: true,
    isLong: true,
    gives: '{promptTokens, completionTokens}, whole numbers above 0',
    isKept: (value) => isObject(value) && isCount(value.promptTokens) && isCount(value.completionTokens),
  },
  fixedCompletionTokens: { needed: false, isLong: true, gives: 'a whole number above 0', isKept: isCount },
};

function isVerdict(value: unknown): value is Verdict {
  if (!isObject(value)) return false;
  const { score, status, reason } = value;
  const isScore = score === null || (typeof score === 'number' && score >= 0 && score <= 1);
  return (
    isScore && ['correct', 'incorrect', 'invalid', 'truncated'].includes(String(status)) && typeof reason === 'string'
  );
}

/**
 * Loads a task definition; its functions throw PluginError where they break their contract.
 *
 * @param limitSeconds  most seconds a call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no task
 */
export async function loadTaskDefinition(reference: ModuleReference, limitSeconds: number): Promise<AnyTaskDefinition> {
  const value = await importExport(reference);
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  if (!isObject(value) || typeof value.score === 'function') {
    throw refusal(`${called} is ${kindOf(value)}, not a task; export a TaskDefinition, as CONTRIBUTING.md shows one`);
  }
  const missing = Object.entries(CONTRACTS).filter(([name, { needed }]) => needed && typeof value[name] !== 'function');
  const facts = Object.entries({ name: 'a text', family: 'a text', version: 'a number' }).filter(
    ([name, kind]) => typeof value[name] !== (kind === 'a text' ? 'string' : 'number'),
  );
  if (missing.length + facts.length > 0) {
    const functions = missing.map(([name]) => `${name}()`);
    const list = [...facts.map(([name, kind]) => `${name} (${kind})`), ...functions].join(', ');
    throw refusal(`${called} is no complete task: it lacks ${list}; add what is missing`);
  }
  return watched(value, reference, limitSeconds);
}

function watched(
  definition: Readonly<Record<string, unknown>>,
  reference: ModuleReference,
  limitSeconds: number,
): AnyTaskDefinition {
  const task = `task "${definition.name}" (${reference.shown})`;
  const watchedFunctions = Object.entries(CONTRACTS).flatMap(([name, contract]) => {
    const own = definition[name];
    if (typeof own !== 'function') return [];
    const call = (...given: readonly unknown[]): unknown => {
      const result: unknown = own.apply(definition, given);
      // A generator does its work when it is read.
      return name === 'enumerate' && isObject(result) ? [...(result as unknown as Iterable<unknown>)] : result;
    };
    return [[name, watch(call, contract, limitSeconds, { task, name, path: reference.path })]];
  });
  // Everything else as the definition has it, inherited, so that a class works like a literal.
  return Object.assign(Object.create(definition), Object.fromEntries(watchedFunctions)) as AnyTaskDefinition;
}

interface Watched {
  /** `task "addition" (tasks/addition.ts)`. */
  readonly task: string;
  readonly name: string;
  readonly path: string;
}

function watch(
  call: (...given: readonly unknown[]) => unknown,
  { isLong, gives, isKept }: Contract,
  limitSeconds: number,
  { task, name, path }: Watched,
): (...given: readonly unknown[]) => unknown {
  const of = (given: readonly unknown[]): string => {
    const [problem, second] = given;
    if (name === 'verify') return ` for problem ${shown(problem)} and answer ${shown(second)}`;
    return ['key', 'splitKey', 'prompt', 'oracle', 'demonstration'].includes(name)
      ? ` for problem ${shown(problem)}`
      : '';
  };
  return (...given) => {
    const fail = (code: string, rule: string): PluginError =>
      new PluginError(code, `${task}: ${name} ${rule}.`, { path, function: name });
    let value: unknown;
    try {
      value = isLong ? withTimeLimit(limitSeconds, () => call(...given)) : call(...given);
    } catch (error) {
      if (isOwnError(error)) throw error;
      if (error instanceof TimeLimitError) {
        const remedy = `correct it, or raise reward_timeout (now ${limitSeconds} s)`;
        throw fail(
          'task-timeout',
          `gave nothing within ${limitSeconds} s${of(given)} — it hangs or is too slow; ${remedy}`,
        );
      }
      throw fail('task-failed', `failed${of(given)}: ${describeThrown(error, path)} — correct it`);
    }
    if (isKept(value)) return value;
    throw fail('task-failed', `gave ${shown(value)}${of(given)} — give ${gives}`);
  };
}

const LONGEST_VALUE = 80; // characters of a value that a message shows

function shown(value: unknown): string {
  const line = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}
