/**
 * A method from a file, watched: it runs on the run's own thread, between its steps; what it throws names the file and
 * the line, and what has no end is ended by the engine.
 */
import { PluginError } from '../errors.ts';
import type { Method } from '../methods/method.ts';
import type { MethodPoint } from '../methods/stage.ts';
import { describeThrown, importExport, type ModuleReference, refusal } from './module.node.ts';
import { asCallee, asCalleeUntil, type Callee } from './process_guard.node.ts';
import { isOwnError, kindOf } from './reward_module.ts';
import { isMapping } from './task_contracts.ts';
import { TimeLimitError, withTimeLimit } from './time_limit.node.ts';

/** What the part of a point must have; one that is a function itself has no names. */
const PARTS: Readonly<Record<MethodPoint, readonly string[]>> = {
  promptSource: ['next'],
  rolloutStrategies: ['rollOut'],
  tokenControls: ['after'],
  groupSteps: ['apply'],
  advantageEstimator: ['estimate'],
  creditSteps: ['apply'],
  importanceSamplingLevel: ['measure', 'spread'],
  objective: ['at'],
  tokenWeights: ['weigh'],
  lossTerms: ['add'],
  aggregation: [],
  controllers: [],
  evaluationFigures: ['of'],
};

/** Called for every token: a limit for each call would cost more than the call. */
const TOO_SHORT_FOR_A_LIMIT: readonly string[] = ['at', 'clipped', 'after'];

/**
 * @param point         where the config names it
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no method
 */
export async function loadMethod(
  reference: ModuleReference,
  point: MethodPoint,
  limitSeconds: number,
): Promise<Method<unknown>> {
  const file: Callee = { name: reference.shown, path: reference.path, limitSeconds };
  const value = await asCalleeUntil(file, () => importExport(reference));
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
  const method = value as unknown as Method<unknown>; // its part is looked at when it is made
  const watched: Callee = { ...file, name: `method "${method.id}" (${reference.shown})` };
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

function watchPart(part: unknown, point: MethodPoint, watched: Callee): unknown {
  const needed = PARTS[point];
  if (point === 'aggregation') {
    if (typeof part === 'function') return watchCall('create()', part as Call, watched);
    throw broken(watched, `create() gave ${kindOf(part)} — give a function (tokens, sizes) => weight`);
  }
  const lacks = needed.filter((name) => !isMapping(part) || typeof part[name] !== 'function');
  if (!isMapping(part) || lacks.length > 0) {
    const what = lacks.length === 0 ? kindOf(part) : `no ${lacks.join(', ')}()`;
    throw broken(watched, `create() gave ${what} — give what rlvr-train/methods says of that part`);
  }
  const calls = Object.entries(part).map(([name, value]) =>
    typeof value === 'function' ? [name, watchCall(name, value.bind(part) as Call, watched)] : [name, value],
  );
  return Object.fromEntries(calls);
}

type Call = (...given: readonly unknown[]) => unknown;

function watchCall(name: string, call: Call, watched: Callee): Call {
  if (TOO_SHORT_FOR_A_LIMIT.includes(name)) return call;
  return (...given) => {
    const value = guard(name, watched, () => call(...given));
    return value instanceof Promise
      ? value.catch((error: unknown) => Promise.reject(failure(name, watched, error)))
      : value;
  };
}

function guard<T>(name: string, watched: Callee, work: () => T): T {
  try {
    return asCallee(watched, () => withTimeLimit(watched.limitSeconds, work));
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
