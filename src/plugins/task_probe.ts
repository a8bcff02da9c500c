/**
 * A task asked about some problems, to be compared with what it says when it is asked again: a run can be repeated only
 * where each of its functions always gives the same.
 */

import { drawIdentity } from '../data/split.ts';
import type { AnyTaskDefinition, Knobs } from '../data/task.ts';
import { rngFor } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';

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

export interface ProbeOptions {
  /** Most problems to draw. */
  readonly problems: number;
  /** Asked before each problem but the first: no more of them. Default: never. */
  readonly isEnough?: () => boolean;
  /** Called before each call. */
  readonly onCall?: (part: string, about: string) => void;
}

/** Draws after which a task that gives null each time is left alone. */
const MOST_DRAWS = 64;

/** The calls in their order; the same ones whenever as many problems are asked. Throws what the task throws. */
export function probeTask(definition: AnyTaskDefinition, knobs: Knobs, options: ProbeOptions): ProbedCall[] {
  const { problems, isEnough = () => false, onCall } = options;
  const calls: ProbedCall[] = [];
  const ask = <T>(part: string, about: string, call: () => T): T => {
    onCall?.(part, about);
    const value = call();
    const gave = asText(value); // before the second call could change it
    calls.push({ part, about, gave, gaveAgain: asText(call()) });
    return value;
  };
  let drawn = 0;
  for (let draw = 0; draw < MOST_DRAWS && drawn < problems && (drawn === 0 || !isEnough()); draw++) {
    const stream = `probe|${definition.name}|${draw}`;
    const identity = ask('generate', '', () => drawIdentity(definition, knobs, rngFor(stream)));
    if (identity === null) continue;
    drawn++;
    askAbout(definition, knobs, identity, stream, ask);
  }
  return calls;
}

function askAbout(
  definition: AnyTaskDefinition,
  knobs: Knobs,
  identity: Json,
  stream: string,
  ask: <T>(part: string, about: string, call: () => T) => T,
): void {
  const problem = `problem ${asText(identity)}`;
  ask('key', problem, () => definition.key(identity));
  if (definition.splitKey) ask('splitKey', problem, () => definition.splitKey?.(identity));
  ask('prompt', problem, () => definition.prompt(identity, knobs));
  if (definition.question) ask('question', problem, () => definition.question?.(identity, knobs));
  const demonstration = ask('demonstration', problem, () => definition.demonstration(identity, knobs, rngFor(stream)));
  const oracle = ask('oracle', problem, () => definition.oracle(identity, knobs));
  if (definition.judge !== undefined) return; // verify may be without a verdict, and judge takes time
  for (const answer of [oracle, demonstration, '']) {
    ask('verify', `${problem} and answer ${asText(answer)}`, () => {
      const { reason: _, ...decisive } = definition.verify(identity, answer, knobs, { finishReason: 'eos' });
      return decisive; // the sentence for people may say how long it took
    });
  }
}

function asText(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

/** The first call that was answered otherwise at once, or `later`; undefined where all were alike. */
export function firstDifference(
  calls: readonly ProbedCall[],
  later: readonly ProbedCall[],
): { readonly part: string; readonly about: string; readonly gave: readonly [string, string] } | undefined {
  for (const [i, { part, about, gave, gaveAgain }] of calls.entries()) {
    const other = [gaveAgain, later[i]?.gave].find((text) => text !== undefined && text !== gave);
    if (other !== undefined) return { part, about, gave: [gave, other] };
  }
  return undefined;
}
