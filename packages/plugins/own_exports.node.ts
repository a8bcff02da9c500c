/** Tasks, methods and comparisons of files, each held to its contract on the run's own thread. */

import { judgedTogether } from '../../src/data/judging/judged.ts';
import type { AnyTaskDefinition } from '../../src/data/task.ts';
import type { Method } from '../../src/methods/method.ts';
import { METHOD_POINTS, type MethodPoint } from '../../src/methods/stage.ts';
import type { ModuleReference } from '../../src/run/opened_config.ts';
import type { Verifier } from '../zoo/data/datasets/answers.ts';
import { refusal } from '../zoo/rewards/sandbox/sandbox_thread.ts';
import { broken, type Callee, holdProcess } from './calls.node.ts';
import { lacking, METHOD_PARTS } from './contracts.node.ts';
import { calledExport, importExport, kindOf } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { isMapping } from './shapes.node.ts';
import { type Call, requireExport, watchedCall, watchedExport, watchedFunctions } from './watched.node.ts';

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
  const called = calledExport(reference);
  const own = requireExport(await importHere(reference), called, 'task');
  const { knobs } = own;
  if (!isMapping(knobs) || !Object.values(knobs).every((key) => isMapping(key) && isMapping(key.schema))) {
    throw refusal(
      `${called} declares no knobs; give knobs: options({…}) of rlvr-train/tasks, as docs/own_task.md shows`,
    );
  }
  const name = `task "${own.name}" (${reference.shown})`;
  const task = watchedExport(own, 'task', { kind: 'task', name, path: reference.path, limitSeconds });
  return { ...task, verify: task.verify ?? judgedTogether } as unknown as AnyTaskDefinition; // its contract says so
}

/**
 * A comparison of answers for a data set: `export function verify(answer, row)`.
 *
 * @param limitSeconds  most seconds per call
 * @throws PluginError `rule; remedy` where the file cannot be loaded, or exports no function
 */
export async function loadVerifier(reference: ModuleReference, limitSeconds: number): Promise<Verifier> {
  const value = await importHere(reference);
  const own = requireExport(
    typeof value === 'function' ? { verify: value } : value,
    calledExport(reference),
    'verifier',
  );
  const callee: Callee = { kind: 'task', name: `verify (${reference.shown})`, path: reference.path, limitSeconds };
  const { verify } = watchedExport(own, 'verifier', callee) as unknown as { readonly verify: Verifier };
  return (answer, row) => {
    freezePlain(row);
    return verify(answer, row);
  };
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
  const found = telling.find((point) => lacking(part, { members: METHOD_PARTS[point] }).length === 0);
  if (found !== undefined) return found;
  throw partFailure(callee, kindOf(part), 'give a part as rlvr-train/methods has them');
}

async function importMethod(
  reference: ModuleReference,
  limitSeconds: number,
): Promise<{ readonly method: Method<unknown>; readonly callee: Callee }> {
  const called = calledExport(reference);
  const own = requireExport(await importHere(reference), called, 'method');
  if ('needs' in own) throw refusal(`${called} has needs, which are called uses now; write uses: () => [ledger()]`);
  const name = `method "${own.id}" (${reference.shown})`;
  const callee: Callee = { kind: 'method', name, path: reference.path, limitSeconds };
  return { method: watchedExport(own, 'method', callee) as unknown as Method<unknown>, callee };
}

const partFailure = (callee: Callee, what: string, remedy: string) =>
  broken({ callee, part: 'create()', about: () => '' }, [`gave ${what}`, remedy]);

function watchedPart(part: unknown, named: MethodPoint | 'demonstrations', callee: Callee): unknown {
  if (named === 'aggregation') {
    if (typeof part !== 'function') {
      throw partFailure(callee, kindOf(part), 'give a function (tokens, sizes) => weight');
    }
    return watchedCall(part as Call, METHOD_PARTS.aggregation['create()'], { callee, part: 'create()' });
  }
  // An objective may be a whole term of the loss.
  const isTerm = named === 'objective' && isMapping(part) && typeof part.add === 'function';
  const members = METHOD_PARTS[isTerm ? 'lossTerms' : named];
  const lacks = lacking(part, { members });
  if (isMapping(part) && lacks.length === 0) {
    // What is no function is read from the part itself.
    const functions = Object.entries(watchedFunctions(part, members, callee));
    return Object.create(part, Object.fromEntries(functions.map(([name, value]) => [name, { value }])));
  }
  const what = isMapping(part) ? `no ${lacks.join(', ')}` : kindOf(part);
  throw partFailure(callee, what, 'give what rlvr-train/methods says of that part');
}
