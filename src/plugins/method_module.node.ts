/**
 * A method from a file, watched: it runs on the run's own thread, between its steps; what it throws names the file and
 * the line, and what has no end is ended by the engine.
 */
import { inspect } from 'node:util';
import { PluginError } from '../errors.ts';
import type { Method } from '../methods/method.ts';
import type { SurrogateValue } from '../methods/points.ts';
import { METHOD_POINTS, type MethodPoint } from '../methods/stage.ts';
import type { ModuleReference } from '../run/opened_config.ts';
import { METHOD_CONTRACTS, type ResultCheck } from './method_contracts.ts';
import { describeThrown, importExport, refusal } from './module.node.ts';
import { type Callee, runAs, runAsAsync } from './process_guard.node.ts';
import { isOwnError, kindOf } from './reward_module.ts';
import { isMapping } from './task_contracts.ts';
import { TimeLimitError, withTimeLimit } from './time_limit.node.ts';

/** What the part of a point must have; one that is a function itself has no names. */
const PARTS: Readonly<Record<MethodPoint | 'demonstrations', readonly string[]>> = {
  promptSource: ['next'],
  rolloutStrategies: ['rollOut'],
  tokenControls: ['after'],
  groupSteps: ['apply'],
  advantageEstimator: ['estimate'],
  creditSteps: ['apply'],
  ratio: ['measure', 'spread'],
  objective: ['at'],
  tokenWeights: ['weigh'],
  lossTerms: ['add'],
  aggregation: [],
  controllers: [],
  evaluationFigures: ['of'],
  demonstrations: ['show'],
};

/** Called for every token: a limit for each call would cost more than the call; the first ones have it. */
const TOO_SHORT_FOR_A_LIMIT: readonly string[] = ['at', 'clipped', 'after'];

/**
 * @param point         where the config names it
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no method
 */
export async function loadMethod(
  reference: ModuleReference,
  point: MethodPoint | 'demonstrations',
  limitSeconds: number,
): Promise<Method<unknown>> {
  const { method, watched } = await importMethod(reference, limitSeconds);
  return {
    ...method,
    create: (options, stage) =>
      watchPart(
        guard('create', watched, () => method.create(options, stage)),
        point,
        watched,
      ),
  };
}

/**
 * The point that a method is of, by the part that it makes: no file says where it goes, only the config that names it.
 *
 * @param partOf  makes the part, of the options that are asked for
 * @throws PluginError where the file cannot be loaded, exports no method, or makes something that is of no point
 */
export async function pointOfMethod(
  reference: ModuleReference,
  limitSeconds: number,
  partOf: (method: Method<unknown>) => unknown,
): Promise<MethodPoint> {
  const { method, watched } = await importMethod(reference, limitSeconds);
  const part = guard('create', watched, () => partOf(method));
  if (typeof part === 'function') return 'aggregation';
  const has = (name: string): boolean => isMapping(part) && part[name] !== undefined;
  if (has('apply')) return has('scope') ? 'groupSteps' : 'creditSteps';
  if (['afterStep', 'afterEvaluation', 'temperature'].some(has)) return 'controllers';
  const telling = METHOD_POINTS.find((point) => PARTS[point].length > 0 && PARTS[point].every(has));
  if (telling !== undefined) return telling;
  throw broken(watched, `create() gave ${kindOf(part)} — give a part as rlvr-train/methods has them`);
}

interface ImportedMethod {
  readonly method: Method<unknown>;
  readonly watched: Callee;
}

async function importMethod(reference: ModuleReference, limitSeconds: number): Promise<ImportedMethod> {
  const file: Callee = { name: reference.shown, path: reference.path, limitSeconds };
  const value = await runAsAsync(file, () => importExport(reference));
  const called = reference.export === undefined ? 'its default export' : `its export ${reference.export}`;
  if (!isMapping(value)) {
    throw refusal(`${called} is ${kindOf(value)}, not a method; export method({id, about, options, create})`);
  }
  const lacks = [
    ...(typeof value.id === 'string' ? [] : ['id']),
    ...(isMapping(value.options) ? [] : ['options']),
    ...(typeof value.create === 'function' ? [] : ['create']),
  ];
  if (lacks.length > 0) {
    throw refusal(`${called} is no complete method: it lacks ${lacks.join(', ')}; add what is missing`);
  }
  if ('needs' in value) throw refusal(`${called} has needs, which are called uses now; write uses: () => [ledger()]`);
  const method = value as unknown as Method<unknown>; // its part is looked at when it is made
  return { method, watched: { ...file, name: `method "${method.id}" (${reference.shown})` } };
}

function watchPart(part: unknown, named: MethodPoint | 'demonstrations', watched: Callee): unknown {
  // An objective may be a whole term of the loss.
  const point = named === 'objective' && isMapping(part) && typeof part.add === 'function' ? 'lossTerms' : named;
  const checks = METHOD_CONTRACTS[point] ?? {};
  if (point === 'aggregation') {
    if (typeof part === 'function') return watchCall('create()', part as Call, watched, checks['create()']);
    throw broken(watched, `create() gave ${kindOf(part)} — give a function (tokens, sizes) => weight`);
  }
  const lacks = PARTS[point].filter((name) => !isMapping(part) || typeof part[name] !== 'function');
  if (!isMapping(part) || lacks.length > 0) {
    const what = lacks.length === 0 ? kindOf(part) : `no ${lacks.join(', ')}()`;
    throw broken(watched, `create() gave ${what} — give what rlvr-train/methods says of that part`);
  }
  // What is no function is read from the part itself; functions of a class, from its prototypes.
  const calls = functionNames(part).map((name): [string, PropertyDescriptor] => {
    const call = (part[name] as Call).bind(part);
    const isShort = TOO_SHORT_FOR_A_LIMIT.includes(name);
    return [name, { value: isShort ? watchShort(name, call, watched) : watchCall(name, call, watched, checks[name]) }];
  });
  return Object.create(part, Object.fromEntries(calls));
}

function functionNames(part: Readonly<Record<string, unknown>>): string[] {
  const names = new Set<string>();
  for (let at: object = part; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  names.delete('constructor');
  return [...names].filter((name) => typeof part[name] === 'function');
}

type Call = (...given: readonly unknown[]) => unknown;

function watchCall(name: string, call: Call, watched: Callee, check: ResultCheck | undefined): Call {
  const checked = (value: unknown, given: readonly unknown[]): unknown => {
    const flaw = check?.(value, given);
    if (flaw !== undefined) throw broken(watched, `${name} ${flaw}`);
    return value;
  };
  return (...given) => {
    const value = guard(name, watched, () => call(...given));
    if (!(value instanceof Promise)) return checked(value, given);
    // Sampling is what a strategy waits for, and takes its time; a controller waits for nothing that is long.
    const awaited = name === 'rollOut' ? value : settledInTime(value, watched.limitSeconds);
    return awaited.then(
      (found: unknown) => checked(found, given),
      (error: unknown) => Promise.reject(failure(name, watched, error)),
    );
  };
}

/** A promise that nobody keeps would end the process without a word. @throws TimeLimitError */
function settledInTime<T>(promise: Promise<T>, seconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const most = Math.min(Math.ceil(seconds * 1000), 2 ** 31 - 1);
    timer = setTimeout(() => reject(new TimeLimitError(`no end within ${seconds} s`)), most);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Calls for tokens that are limited all the same: a loop without an end is mostly there from the first one on. */
const FIRST_CALLS = 100;

/** For calls with up to three arguments, the second a surrogate's value. Allocates nothing per token after the first calls. */
function watchShort(name: string, call: Call, watched: Callee): Call {
  let calls = 0;
  return (point, out, seen) => {
    const value = calls++ < FIRST_CALLS ? guard(name, watched, () => call(point, out, seen)) : call(point, out, seen);
    if (name === 'at') {
      const { loss, slope, logprobSlope } = out as SurrogateValue; // an objective's part is asked for one
      if (!Number.isFinite(loss + slope + logprobSlope)) {
        const what = `${name} left ${inspect(out)} for ${inspect(point)}`;
        throw broken(watched, `${what} — set finite numbers`);
      }
    }
    return value;
  };
}

function guard<T>(name: string, watched: Callee, work: () => T): T {
  try {
    return runAs(watched, () => withTimeLimit(watched.limitSeconds, work));
  } catch (error) {
    throw failure(name, watched, error);
  }
}

function failure(name: string, watched: Callee, error: unknown): Error {
  if (isOwnError(error) && error.code !== 'ends-process') return error;
  if (error instanceof TimeLimitError) {
    const remedy = 'it hangs or is too slow; correct it, or raise reward_timeout';
    return broken(watched, `${name} gave nothing within ${watched.limitSeconds} s — ${remedy}`);
  }
  return broken(watched, `${name} failed: ${describeThrown(error, watched.path)} — correct it`);
}

function broken({ name, path }: Callee, what: string): PluginError {
  return new PluginError('method-failed', `${name}: ${what}.`, { path });
}
