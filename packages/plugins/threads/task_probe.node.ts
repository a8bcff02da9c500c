/**
 * A task asked about some problems, to be compared with what it says when it is asked again: a run can be repeated only
 * where each of its functions always gives the same.
 */
import { takeKnobs } from '../../../src/data/knobs.ts';
import { drawIdentity } from '../../../src/data/split.ts';
import type { AnyTaskDefinition, Knobs } from '../../../src/data/task.ts';
import { PluginError } from '../../../src/errors.ts';
import { rngFor } from '../../../src/kernels/philox.ts';
import type { Json } from '../../../src/options/json.ts';
import type { ModuleReference } from '../../../src/run/opened_config.ts';
import { loadOwnTask } from '../own_exports.node.ts';
import type { Answer, TrialStart } from './roles.ts';

/** What one call gave. */
export interface ProbedCall {
  /** The function. */
  readonly part: string;
  /** What it was asked about, and what it gave, as JSON. */
  readonly about: string;
  readonly gave: string;
  /** At a second call, right after the first. */
  readonly gaveAgain: string;
}

interface ProbeOptions {
  /** Most problems to draw. */
  readonly problems: number;
  /** Asked before each problem but the first: no more of them. Default: never. */
  readonly isEnough?: () => boolean;
}

/** Draws after which a task that gives null each time is left alone. */
const MOST_DRAWS = 64;
/** Enough to see a function that gives something else each time. */
const PROBLEMS = 8;
/** Time for them, in all: a start of a run should not wait for slow ones. */
const MOST_MS = 500;

/** The calls in their order; the same ones whenever as many problems are asked. Throws what the task throws. */
function* probe(definition: AnyTaskDefinition, knobs: Knobs, options: ProbeOptions): Generator<ProbedCall> {
  const { problems, isEnough = () => false } = options;
  let drawn = 0;
  for (let draw = 0; draw < MOST_DRAWS && drawn < problems && (drawn === 0 || !isEnough()); draw++) {
    const stream = `probe|${definition.name}|${draw}`;
    const generate = (): Json | null => drawIdentity(definition, knobs, rngFor(stream));
    yield asked('generate', '', generate);
    const identity = generate();
    if (identity === null) continue;
    drawn++;
    yield* probeProblem(definition, knobs, identity, stream);
  }
}

function* probeProblem(
  definition: AnyTaskDefinition,
  knobs: Knobs,
  identity: Json,
  stream: string,
): Generator<ProbedCall> {
  const { splitKey, question, judge } = definition;
  const problem = `problem ${asText(identity)}`;
  const demonstration = (): string => definition.demonstration(identity, knobs, rngFor(stream));
  const oracle = (): string => definition.oracle(identity, knobs);
  yield asked('key', problem, () => definition.key(identity));
  if (splitKey) yield asked('splitKey', problem, () => splitKey(identity));
  yield asked('prompt', problem, () => definition.prompt(identity, knobs));
  if (question) yield asked('question', problem, () => question(identity, knobs));
  yield asked('demonstration', problem, demonstration);
  yield asked('oracle', problem, oracle);
  if (judge !== undefined) return; // verify may be without a verdict, and judge takes time
  for (const answer of [oracle(), demonstration(), '']) {
    yield asked('verify', `${problem} and answer ${asText(answer)}`, () => {
      const { reason: _, ...decisive } = definition.verify(identity, answer, knobs, { finishReason: 'eos' });
      return decisive; // the sentence for people may say how long it took
    });
  }
}

function asked(part: string, about: string, call: () => unknown): ProbedCall {
  const gave = asText(call()); // before the second call could change it
  return { part, about, gave, gaveAgain: asText(call()) };
}

function asText(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

/** For the thread of a trial: loads a task, then answers each question with what one further call gave; with null after the last. */
export async function openProbe({ reference, knobs = {}, limitSeconds }: TrialStart): Promise<Answer> {
  const definition = await loadOwnTask(reference, limitSeconds);
  const start = performance.now();
  let calls: Generator<ProbedCall> | undefined;
  return () => {
    calls ??= probe(definition, takeKnobs(definition, knobs), {
      problems: PROBLEMS,
      isEnough: () => performance.now() - start > MOST_MS,
    });
    return { type: 'scores', values: calls.next().value ?? null };
  };
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
  { path, shown }: ModuleReference,
): void {
  const problems = Math.max(1, tried.filter(({ part }) => part === 'key').length); // as many as there was time for
  const first = [...probe(definition, knobs, { problems })];
  const difference =
    firstDifference(first, [...probe(definition, knobs, { problems })]) ?? firstDifference(tried, first);
  if (difference === undefined) return;
  const { part, about, gave } = difference;
  const [one, other] = gave.map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text));
  const what = `gives ${one} once and ${other} when it is asked again${about === '' ? '' : `, for ${about}`}`;
  const remedy = 'let it depend on its arguments alone, as no run could be repeated otherwise';
  const message = `task "${definition.name}" (${shown}): ${part} ${what} — ${remedy}.`;
  throw new PluginError('task-failed', message, { path, part });
}

/** The first call that was answered otherwise at once, or `later`; undefined where all were alike. */
function firstDifference(calls: readonly ProbedCall[], later: readonly ProbedCall[]) {
  for (const [i, { part, about, gave, gaveAgain }] of calls.entries()) {
    const other = [gaveAgain, later[i]?.gave].find((text) => text !== undefined && text !== gave);
    if (other !== undefined) return { part, about, gave: [gave, other] };
  }
  return undefined;
}
