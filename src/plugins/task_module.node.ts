/**
 * A task definition from a file, watched: what it throws or gives is checked at each call, and none may take for ever.
 *
 * Tasks run on the run's own thread, since everything waits for their answers; the engine limits each call that may do
 * real work (40 µs per call).
 */
import { inspect } from 'node:util';
import type { AnyTaskDefinition } from '../data/registry.ts';
import { PluginError } from '../errors.ts';
import type { KeyTable } from '../options/keys.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { describeThrown, importExport, type ModuleReference, refusal } from './module.node.ts';
import { isOwnError, kindOf } from './reward_module.ts';
import { isMapping, TASK_CONTRACTS, type TaskContract } from './task_contracts.ts';
import { TimeLimitError, withTimeLimit } from './time_limit.node.ts';

type Definition = Readonly<Record<string, unknown>>;

/**
 * Loads a task definition; its functions throw PluginError where they break their contract.
 *
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no task
 */
export async function loadTaskDefinition(reference: ModuleReference, limitSeconds: number): Promise<AnyTaskDefinition> {
  const value = await importExport(reference);
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  if (!isMapping(value) || typeof value.score === 'function') {
    throw refusal(`${called} is ${kindOf(value)}, not a task; export a TaskDefinition, as CONTRIBUTING.md shows one`);
  }
  if (!isKnobTable(value.knobs)) {
    const has = typeof value.parseKnobs === 'function' ? 'parses its knobs itself' : 'declares no knobs';
    throw refusal(`${called} ${has}; give knobs: options({…}) of rlvr-train/tasks, as CONTRIBUTING.md shows`);
  }
  const lacks = missingParts(value);
  if (lacks.length > 0) {
    throw refusal(`${called} is no complete task: it lacks ${lacks.join(', ')}; add what is missing`);
  }
  return watched(value, reference, limitSeconds);
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
    .map(([name]) => `${name}()`);
  return [...facts, ...functions];
}

function watched(
  definition: Definition,
  { path, shown: file }: ModuleReference,
  limitSeconds: number,
): AnyTaskDefinition {
  const { name, version, category, tier, family, levels, knobs } = definition;
  const task = `task "${name}" (${file})`;
  const functions = Object.entries(TASK_CONTRACTS).flatMap(([part, contract]) => {
    const own = definition[part];
    if (typeof own !== 'function') return [];
    const call = (...given: readonly unknown[]): unknown => finished(part, own.apply(definition, given));
    return [[part, watch(call, contract, limitSeconds, { task, part, path })] as const];
  });
  const { tokenizer, ...others } = Object.fromEntries(functions);
  const watchedTokenizer = (...given: readonly unknown[]): Tokenizer =>
    // Its contract has been kept, or the call has thrown.
    watchTokenizer(tokenizer?.(...given) as Tokenizer, { task, part: 'tokenizer', path });
  // Every part that a run calls is there and watched; mutants and solutions are for tests of the definition itself.
  const parts: unknown = {
    name,
    version,
    category,
    tier,
    family,
    levels,
    knobs,
    ...others,
    tokenizer: watchedTokenizer,
  };
  return parts as AnyTaskDefinition;
}

/** A generator does its work when it is read, which must happen under the limit. */
function finished(part: string, value: unknown): unknown {
  return part === 'enumerate' && isMapping(value) && Symbol.iterator in value
    ? [...(value as unknown as Iterable<unknown>)]
    : value;
}

/** What is called, for messages. */
interface Watched {
  /** `task "addition" (tasks/addition.ts)`. */
  readonly task: string;
  readonly part: string;
  readonly path: string;
}

function watch(
  call: (...given: readonly unknown[]) => unknown,
  { isLong, gives, isKept }: TaskContract,
  limitSeconds: number,
  watched: Watched,
): (...given: readonly unknown[]) => unknown {
  const { part } = watched;
  return (...given) => {
    let value: unknown;
    try {
      value = isLong ? withTimeLimit(limitSeconds, () => call(...given)) : call(...given);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw failure(watched, given, error);
      const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
      throw broken(watched, 'task-timeout', `gave nothing within ${limitSeconds} s${forWhat(part, given)} — ${remedy}`);
    }
    if (isKept(value)) return value;
    throw broken(watched, 'task-failed', `gave ${shown(value)}${forWhat(part, given)} — give ${gives}`);
  };
}

/** A tokenizer of the user's own may throw as well; each of its calls is too short for a limit. */
function watchTokenizer(own: Tokenizer, watched: Watched): Tokenizer {
  const watchCall =
    <A, R>(part: string, call: (given: A) => R) =>
    (given: A): R => {
      try {
        return call(given);
      } catch (error) {
        throw failure({ ...watched, part: `${watched.part}.${part}` }, [given], error);
      }
    };
  return {
    vocabSize: own.vocabSize,
    eosTokenId: own.eosTokenId,
    padTokenId: own.padTokenId,
    ...(own.closed !== undefined && { closed: own.closed }),
    encode: watchCall('encode', (text: string) => own.encode(text)),
    decode: watchCall('decode', (tokens: ArrayLike<number>) => own.decode(tokens)),
    tokenText: watchCall('tokenText', (id: number) => own.tokenText(id)),
    toJSON: () => own.toJSON(),
    configJSON: () => own.configJSON(),
  };
}

function failure(watched: Watched, given: readonly unknown[], error: unknown): PluginError {
  const reason = isOwnError(error) ? error.message.replace(/\.$/, '') : describeThrown(error, watched.path);
  return broken(watched, 'task-failed', `failed${forWhat(watched.part, given)}: ${reason} — correct it`);
}

function broken({ task, part, path }: Watched, code: string, rule: string): PluginError {
  return new PluginError(code, `${task}: ${part} ${rule}.`, { path, part });
}

/** What a call was about. */
function forWhat(part: string, [first, second]: readonly unknown[]): string {
  if (part === 'verify') return ` for problem ${shown(first)} and answer ${shown(second)}`;
  if (part === 'tokenizer.encode') return ` for ${shown(first)}`;
  const ofProblem = ['key', 'splitKey', 'prompt', 'oracle', 'demonstration'].includes(part);
  return ofProblem ? ` for problem ${shown(first)}` : '';
}

const LONGEST_VALUE = 80; // characters of a value that a message shows

function shown(value: unknown): string {
  const line = inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY });
  return line.length > LONGEST_VALUE ? `${line.slice(0, LONGEST_VALUE - 1)}…` : line;
}
