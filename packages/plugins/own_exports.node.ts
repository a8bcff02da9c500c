/** Tasks, methods and comparisons of files, each held to its contract on the run's own thread. */
import type { Verifier } from '../../src/data/datasets/answers.ts';
import { correct } from '../../src/data/judge.ts';
import { judgedTogether } from '../../src/data/judging/judged.ts';
import type { AnyEnvironment } from '../../src/data/play.ts';
import type { AnyTaskDefinition } from '../../src/data/task.ts';
import type { Method } from '../../src/methods/method.ts';
import { METHOD_POINTS, type MethodPoint } from '../../src/methods/stage.ts';
import { wrongValue } from '../../src/rewards/reject.ts';
import type { Verdict } from '../../src/rewards/verdict.ts';
import type { ModuleReference } from '../../src/run/opened_config.ts';
import type { Tokenizer } from '../../src/text/tokenizer.ts';
import { broken, type Callee, holdProcess, repeatWithin } from './calls.node.ts';
import { CONTRACTS, lacking, tokenizerFlaw } from './contracts.node.ts';
import { calledExport, importExport, kindOf, refusal } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { isMapping } from './shapes.node.ts';
import { type Call, watchedCall, watchedFunctions } from './watched.node.ts';

/** What a file exports, loaded on the run's own thread. */
async function importHere(reference: ModuleReference): Promise<unknown> {
  const giveBack = holdProcess();
  try {
    return await importExport(reference);
  } finally {
    giveBack();
  }
}

/**
 * A task definition; its functions throw PluginError where they break their contract.
 *
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no task
 */
export async function loadOwnTask(reference: ModuleReference, limitSeconds: number): Promise<AnyTaskDefinition> {
  const own = await importHere(reference);
  const called = calledExport(reference);
  if (!isMapping(own) || typeof own.score === 'function') {
    throw refusal(`${called} is ${kindOf(own)}, not a task; export a TaskDefinition, as docs/own_task.md shows one`);
  }
  const areKnobs =
    isMapping(own.knobs) && Object.values(own.knobs).every((key) => isMapping(key) && isMapping(key.schema));
  if (!areKnobs) {
    const has = typeof own.parseKnobs === 'function' ? 'parses its knobs itself' : 'declares no knobs';
    throw refusal(`${called} ${has}; give knobs: options({…}) of rlvr-train/tasks, as docs/own_task.md shows`);
  }
  const lacks = lacking(own, CONTRACTS.task);
  if (lacks.length > 0) {
    throw refusal(`${called} is no complete task: it lacks ${lacks.join(', ')}; add what is missing`);
  }
  return watchedTask(own, {
    kind: 'task',
    name: `task "${own.name}" (${reference.shown})`,
    path: reference.path,
    limitSeconds,
  });
}

type Definition = Readonly<Record<string, unknown>>;

function watchedTask(own: Definition, callee: Callee): AnyTaskDefinition {
  const keysOf = (problem: unknown): void => ['key', 'splitKey'].forEach((name) => void watched[name]?.(problem));
  /** In the call that gives a problem, so that an endless `key` has the limit of that call. */
  const keyed = (problem: unknown): unknown => {
    if (problem !== null && freezePlain(problem) === undefined) keysOf(problem); // of others its contract says what is wrong
    return problem;
  };
  const after = { generate: keyed, parse: keyed, enumerate: listed, solutions: firstSolutions };
  const watched = watchedFunctions(own, CONTRACTS.task, { callee, after });
  const { tokenizer, enumerate, verify = judgedTogether } = watched;
  const parts: unknown = {
    ...own,
    ...watched,
    verify,
    tokenizer: (...given: readonly unknown[]) => watchedTokenizer(tokenizer(...given) as Tokenizer, callee),
    ...(enumerate && {
      enumerate: (...given: readonly unknown[]) => {
        const all = enumerate(...given) as readonly unknown[] | undefined; // as its contract says
        if (all !== undefined) repeatWithin(callee.limitSeconds)(all.length, (i) => keysOf(all[i]));
        return all;
      },
    }),
    ...(own.environment !== undefined && { environment: watchedEnvironment(own.environment, callee) }),
  };
  return parts as AnyTaskDefinition; // every part that is called is there and watched
}

/** A generator does its work when it is read, which must happen in the call that makes it. */
function listed(values: unknown, most = Number.POSITIVE_INFINITY): unknown {
  if (!isMapping(values) || !(Symbol.iterator in values)) return values;
  const list: unknown[] = [];
  for (const value of values as unknown as Iterable<unknown>) if (list.push(value) === most) break;
  return list;
}

/** As many as are looked at: some problems have no end of them. */
const firstSolutions = (values: unknown): unknown => listed(values, 1000);

function watchedTokenizer(own: Tokenizer, callee: Callee): Tokenizer {
  const { vocabSize, eosTokenId, padTokenId, closed } = own;
  const flaw = tokenizerFlaw(own as unknown as Definition);
  if (flaw !== undefined) throw broken({ callee, part: 'tokenizer()', about: () => '' }, flaw);
  const watched = watchedFunctions(own, CONTRACTS.tokenizer, { callee, prefix: 'tokenizer.' });
  const encode = (text: string): Int32Array => {
    const ids = watched.encode(text) as ArrayLike<number>; // as its contract says
    return ids instanceof Int32Array ? ids : Int32Array.from(ids);
  };
  const parts: unknown = {
    vocabSize,
    eosTokenId,
    padTokenId,
    ...(closed !== undefined && { closed }),
    ...watched,
    encode,
  };
  return parts as Tokenizer;
}

/** @throws PluginError `rule; remedy` where a function is missing */
export function watchedEnvironment(own: unknown, callee: Callee): AnyEnvironment {
  const lacks = lacking(own, CONTRACTS.environment);
  if (lacks.length > 0) {
    const remedy = 'add what is missing; environmentTask() of rlvr-train/tasks makes the whole of an environment';
    throw refusal(`its environment lacks ${lacks.join(', ')}; ${remedy}`);
  }
  const watched = watchedFunctions(own as AnyEnvironment, CONTRACTS.environment, { callee, prefix: 'environment.' });
  const { inWords } = watched;
  const parts: unknown = {
    ...watched,
    ...(inWords && { inWords: (...given: readonly unknown[]) => watchedEnvironment(inWords(...given), callee) }),
  };
  return parts as AnyEnvironment;
}

/**
 * A comparison of answers for a data set: `export function verify(answer, row)`.
 *
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no function
 */
export async function loadVerifier(reference: ModuleReference, limitSeconds: number): Promise<Verifier> {
  const value = await importHere(reference);
  const verify = isMapping(value) ? value.verify : value;
  if (typeof verify !== 'function') {
    const remedy = 'export function verify(answer, row), which gives true or false';
    throw refusal(`exports ${kindOf(value)}, not a function; ${remedy}`);
  }
  const callee: Callee = { kind: 'task', name: `verify (${reference.shown})`, path: reference.path, limitSeconds };
  const watched = watchedCall('verify', verify as Call, CONTRACTS.verifier.verify, { callee });
  return (answer, row) => {
    freezePlain(row);
    return verdictOf(watched(answer, row) as boolean | number | Verdict); // its contract says so
  };
}

function verdictOf(value: boolean | number | Verdict): Verdict {
  if (typeof value === 'object') return value;
  if (Number(value) === 1) return correct('right, as the file says', 'right');
  return { ...wrongValue('not right, as the file says'), score: Number(value) };
}

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
  const { method, callee } = await importMethod(reference, limitSeconds);
  return { ...method, create: (options, stage) => watchedPart(method.create(options, stage), point, callee) };
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
  const { method, callee } = await importMethod(reference, limitSeconds);
  const part = partOf(method);
  if (typeof part === 'function') return 'aggregation';
  const has = (name: string): boolean => isMapping(part) && part[name] !== undefined;
  if (has('apply')) return has('scope') ? 'groupSteps' : 'creditSteps';
  if (['afterStep', 'afterEvaluation', 'temperature'].some(has)) return 'controllers';
  const telling = METHOD_POINTS.filter((point) => point !== 'controllers' && point !== 'aggregation');
  const found = telling.find((point) => lacking(part, CONTRACTS[point]).length === 0);
  if (found !== undefined) return found;
  throw partFailure(callee, kindOf(part), 'give a part as rlvr-train/methods has them');
}

async function importMethod(
  reference: ModuleReference,
  limitSeconds: number,
): Promise<{ readonly method: Method<unknown>; readonly callee: Callee }> {
  const own = await importHere(reference);
  const called = calledExport(reference);
  if (!isMapping(own)) {
    throw refusal(`${called} is ${kindOf(own)}, not a method; export method({id, about, options, create})`);
  }
  const lacks = lacking(own, CONTRACTS.method);
  if (lacks.length > 0) {
    throw refusal(`${called} is no complete method: it lacks ${lacks.join(', ')}; add what is missing`);
  }
  if ('needs' in own) throw refusal(`${called} has needs, which are called uses now; write uses: () => [ledger()]`);
  const name = `method "${own.id}" (${reference.shown})`;
  const callee: Callee = { kind: 'method', name, path: reference.path, limitSeconds };
  const method: unknown = { ...own, ...watchedFunctions(own, CONTRACTS.method, { callee }) };
  return { method: method as Method<unknown>, callee }; // its part is looked at when it is made
}

const partFailure = (callee: Callee, what: string, remedy: string) =>
  broken({ callee, part: 'create()', about: () => '' }, [`gave ${what}`, remedy]);

function watchedPart(part: unknown, named: MethodPoint | 'demonstrations', callee: Callee): unknown {
  if (named === 'aggregation') {
    if (typeof part !== 'function') {
      throw partFailure(callee, kindOf(part), 'give a function (tokens, sizes) => weight');
    }
    return watchedCall('create()', part as Call, CONTRACTS.aggregation['create()'], { callee });
  }
  // An objective may be a whole term of the loss.
  const isTerm = named === 'objective' && isMapping(part) && typeof part.add === 'function';
  const contracts = CONTRACTS[isTerm ? 'lossTerms' : named];
  const lacks = lacking(part, contracts);
  if (isMapping(part) && lacks.length === 0) {
    // What is no function is read from the part itself.
    const functions = Object.entries(watchedFunctions(part, contracts, { callee }));
    return Object.create(part, Object.fromEntries(functions.map(([name, value]) => [name, { value }])));
  }
  const what = isMapping(part) ? `no ${lacks.join(', ')}` : kindOf(part);
  throw partFailure(callee, what, 'give what rlvr-train/methods says of that part');
}
