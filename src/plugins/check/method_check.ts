/** A method tried on made-up groups: what it breaks of its contract, what it gives for what, and what it costs. */
import type { TaskSet } from '../../data/task_set.ts';
import { RlvrError } from '../../errors.ts';
import { createFigures, createMethods, type StageMethods } from '../../methods/create.ts';
import type { MethodList } from '../../methods/method_list.ts';
import type { PointParts } from '../../methods/points.ts';
import type { GrpoStageConfig, MethodPoint } from '../../methods/stage.ts';
import type { Stateful } from '../../methods/stateful.ts';
import { ledger } from '../../methods/uses/ledger.ts';
import { reference } from '../../methods/uses/parameter_sets.ts';
import type { Use } from '../../methods/uses/use.ts';

import { madeUpBatches } from './made_up_groups.ts';
import type { Example } from './say.ts';
import { TRIALS, type Trial, type TrialInput } from './trial_points.ts';

/** The method of a stage that is tried. */
export interface TriedMethod {
  readonly stage: GrpoStageConfig;
  readonly tasks: TaskSet;
  readonly list: MethodList;
  readonly point: MethodPoint;
  /** Its place among those of its point. */
  readonly place: number;
}

/** What was found of a method. */
export interface MethodCheck {
  /** What no run can be trained with. */
  readonly findings: readonly string[];
  /** What a run can be trained with, to no good end. */
  readonly warnings: readonly string[];
  readonly examples: readonly Example[];
  /** Milliseconds for one completion of a batch; absent where it was not tried by itself. */
  readonly msPerCompletion?: number;
}

const NOTHING: MethodCheck = { findings: [], warnings: [], examples: [] };
const TIMED = 5;
const SILENT = 'gives 0 to every completion where rewards differ: without an advantage there is no gradient';

/**
 * Tries a method once, before step 1, where it can be tried without a policy.
 *
 * @returns what is wrong, in words; nothing where the stage as a whole cannot be made, which the run says
 */
export function tryMethod(tried: TriedMethod): readonly string[] {
  const ask = askerOf(tried);
  return ask === undefined ? [] : faultsOf(ask);
}

/** Tries a method on groups of every sort; where it cannot be tried without a policy, nothing is found. */
export function checkMethod(tried: TriedMethod): MethodCheck {
  const ask = askerOf(tried);
  if (ask === undefined) return NOTHING;
  const findings = faultsOf(ask);
  if (findings.length > 0) return { ...NOTHING, findings };
  const seen = Array.from(ask.trials(), (trial) => {
    trial.call();
    return trial.look();
  });
  return {
    findings,
    warnings: [
      ...new Set(seen.flatMap(({ warnings }) => warnings)),
      ...(seen.every(({ isSilent = false }) => isSilent) ? [SILENT] : []),
    ],
    examples: distinct(seen.flatMap(({ examples }) => examples)).slice(0, MOST_EXAMPLES),
    msPerCompletion: timeOf(ask) / ask.completions,
  };
}

const MOST_EXAMPLES = 6;

function distinct(examples: readonly Example[]): readonly Example[] {
  return [...new Map(examples.map((example) => [textOf(example), example])).values()];
}

/** A method that can be asked again and again. */
interface Asker {
  /** Asks a new part about each batch in turn, twice; `resumed`: its state goes through a checkpoint before each. */
  trials(how?: 'resumed'): Iterable<Trial>;
  /** In all of them together. */
  readonly completions: number;
}

/** Undefined where it cannot be tried without a policy, and where the stage cannot be made. */
function askerOf({ stage, tasks, list, point, place }: TriedMethod): Asker | undefined {
  const trialOf = TRIALS[point] as ((part: unknown, input: TrialInput) => Trial) | undefined; // of the parts of its point
  if (trialOf === undefined) return undefined;
  const made = orNothing(() => createMethods(stage, list));
  const batches = orNothing(() => madeUpBatches({ stage, tasks }));
  if (made === undefined || batches === undefined) return undefined; // the run meets the same, and says so
  const plugin = stage.methods[point][place];
  const uses = made.members.find((member) => member.plugin === plugin)?.uses ?? [];
  if (!uses.every(isGivenAlways)) return undefined;
  const parts = (): Parts => {
    const methods = createMethods(stage, list);
    const part = point === 'evaluationFigures' ? createFigures(stage, list)[place] : partsAt(methods, point)[place];
    return { methods, part: part as Stateful };
  };
  return {
    completions: 2 * batches.flat().reduce((sum, { rollouts }) => sum + rollouts.length, 0),
    *trials(how) {
      let now = parts();
      for (const batch of [...batches, ...batches]) {
        const state = now.part.state?.();
        if (how === 'resumed' && state !== undefined) {
          now = parts();
          now.part.restore?.(JSON.parse(JSON.stringify(state)));
        }
        yield trialOf(now.part, { batch, methods: now.methods, stage, tasks });
      }
    },
  };
}

interface Parts {
  readonly methods: StageMethods;
  readonly part: Stateful;
}

/** What made-up groups have, too. */
const isGivenAlways = (use: Use): boolean => use.id === ledger().id || use.id === reference.id;

function partsAt(methods: StageMethods, point: MethodPoint): readonly PointParts[MethodPoint][] {
  switch (point) {
    case 'advantageEstimator':
    case 'ratio':
    case 'objective':
    case 'aggregation':
      return [methods[point].part];
    case 'lossTerms':
      return methods.lossTerms.slice(1).map(({ part }) => part); // the first is the objective
    case 'groupSteps':
    case 'creditSteps':
    case 'tokenWeights':
      return methods[point].map(({ part }) => part);
    default:
      return [];
  }
}

/** The user's mistakes are met again by the run; errors of ours are thrown. */
function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (RlvrError.is(error)) return undefined;
    throw error;
  }
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (ArrayBuffer.isView(part) ? Array.from(part as Float64Array) : part));

function faultsOf(ask: Asker): string[] {
  try {
    const first = Array.from(ask.trials(), (trial) => {
      const before = textOf(trial.given);
      const gave = textOf(trial.call());
      return { gave, hasWritten: textOf(trial.given) !== before };
    });
    const hasWritten = first.some((one) => one.hasWritten);
    const isOther = (trials: Iterable<Trial>): boolean =>
      Array.from(trials, (trial) => textOf(trial.call())).some((gave, b) => gave !== first[b].gave);
    return [
      ...(hasWritten ? ['writes into what it is given, which others read after it — give copies.'] : []),
      ...(isOther(ask.trials())
        ? [
            'gives something else when it is asked again from the beginning — let it depend on its arguments and context.rng alone, as no run could be repeated otherwise.',
          ]
        : isOther(ask.trials('resumed'))
          ? [
              'gives something else after a resume — let state() give all that it remembers as plain JSON, and restore() take it back.',
            ]
          : []),
    ];
  } catch (error) {
    if (RlvrError.is(error)) return [error.message];
    throw error;
  }
}

function timeOf(ask: Asker): number {
  const times: number[] = [];
  while (times.length < TIMED) {
    let took = 0;
    for (const trial of ask.trials()) {
      const before = performance.now();
      trial.call();
      took += performance.now() - before;
    }
    times.push(took);
  }
  return Math.min(...times);
}
