/** Makes the parts of a stage from the names and options of its config, and collects what they use of the run. */

import { ConfigError } from '../errors.ts';
import type { Plugin } from '../options/keys.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import { type Acting, isWatchable, watched } from './effect/acting.ts';
import { idleRemark } from './effect/idle.ts';
import { membersOf } from './members.ts';
import type { DemonstratedProblem, Member, Method } from './method.ts';
import { lookUp, lookUpDemonstrations, type MethodList, methodKey } from './method_list.ts';
import type { DemonstrationSource, LossTerm, PointParts } from './points.ts';
import { optionsOf, optionsOfMethod, type SettableOption, type Settings, START, settableOptions } from './settings.ts';
import { SharedStates } from './shared_states.ts';
import { type GrpoStageConfig, METHOD_POINTS, type MethodPoint, type SftStageConfig } from './stage.ts';
import type { Stateful } from './stateful.ts';
import { objectiveTerm } from './support/loss/surrogate_term.ts';
import { type AskedUse, type StageUses, uniteUses } from './uses/stage_uses.ts';

/** A part, and the id of the method that made it. */
export interface Named<Part> {
  readonly id: string;
  readonly part: Part;
}

/** A part that is made again at each step if an option is a schedule or was set by a controller. */
interface Made<Part> {
  readonly id: string;
  part: Part;
  at(step: number, settings: Settings): Part;
  moves(settings: Settings): boolean;
}

type Demonstrate = (problem: DemonstratedProblem) => ReturnType<NonNullable<Method<unknown>['demonstrate']>>;

type Many<Point extends MethodPoint> = readonly Named<PointParts[Point]>[];

/** The live parts of a grpo stage. */
export interface StageMethods {
  /** Each draws from the one before it. */
  readonly promptSources: Many<'promptSource'>;
  readonly rolloutStrategies: Many<'rolloutStrategies'>;
  readonly tokenControls: Many<'tokenControls'>;
  readonly groupSteps: Many<'groupSteps'>;
  readonly advantageEstimator: Named<PointParts['advantageEstimator']>;
  readonly creditSteps: Many<'creditSteps'>;
  readonly ratio: Named<PointParts['ratio']>;
  readonly objective: Named<PointParts['objective']>;
  readonly tokenWeights: Many<'tokenWeights'>;
  /** The objective first. */
  readonly lossTerms: readonly Named<LossTerm>[];
  readonly aggregation: Named<PointParts['aggregation']>;
  readonly controllers: Many<'controllers'>;
  /** How methods of the stage prompt the policy, for supervised stages. */
  readonly forms: readonly Named<Demonstrate>[];
  readonly uses: StageUses;
  readonly shared: SharedStates;
  /** The methods with their declarations. */
  readonly members: readonly Member[];
  /** The methods that are expected to change something. */
  readonly acting: readonly Acting[];
  /** Moves every option to its value at this step, by its schedule or a controller; parts keep their states. */
  moveTo(step: number, settings?: Settings): void;
  /** The numbers among the options of its methods. */
  readonly options: readonly SettableOption[];
}

/** @throws ConfigError for an unknown method or option, or a value that its rule refuses */
export function createMethods(stage: GrpoStageConfig, list: MethodList): StageMethods {
  const { owners, options } = settableOptions(stage, list);
  const members = membersOf(stage, list);
  const movable: Made<unknown>[] = [];
  const acting: Acting[] = [];
  // A method without anything to act on is reported before step 1, and one that only measures never acts.
  const mayAct = (plugin: Plugin): boolean =>
    members.some(
      (member) => member.plugin === plugin && !member.method.onlyMeasures && !idleRemark(stage, members, member),
    );
  const partsAt = <Point extends MethodPoint>(point: Point) => {
    const made = createParts(point, stage, list, { owners: owners[point], acting, mayAct });
    movable.push(...(made as Made<unknown>[])); // only ever given parts of their own
    return made;
  };
  const makeOne = <Point extends MethodPoint>(point: Point): Made<PointParts[Point]> => {
    const [first] = partsAt(point);
    if (first === undefined) throw new RangeError(`a stage has no ${point}`);
    return first;
  };
  const ratio = makeOne('ratio');
  const objective = makeOne('objective');
  const joined = (): LossTerm => objectiveTerm(objective.part, ratio.part);
  const ownTerm: Made<LossTerm> = {
    id: objective.id,
    part: joined(),
    at: joined,
    moves: (settings) => objective.moves(settings) || ratio.moves(settings),
  };
  movable.push(ownTerm as Made<unknown>); // after objective and ratio, which move first
  const lossTerms = [ownTerm, ...partsAt('lossTerms')];
  requireWholeGroups(stage, lossTerms);
  return {
    promptSources: partsAt('promptSource'),
    rolloutStrategies: partsAt('rolloutStrategies'),
    tokenControls: partsAt('tokenControls'),
    groupSteps: partsAt('groupSteps'),
    advantageEstimator: makeOne('advantageEstimator'),
    creditSteps: partsAt('creditSteps'),
    ratio,
    objective,
    tokenWeights: partsAt('tokenWeights'),
    lossTerms,
    aggregation: makeOne('aggregation'),
    controllers: partsAt('controllers'),
    forms: formsOf(stage, list),
    uses: usesOf(stage, list),
    shared: new SharedStates(),
    moveTo(step, settings = {}) {
      for (const made of movable) if (made.moves(settings)) move(made as Made<Stateful>, step, settings);
    },
    options,
    members,
    acting,
  };
}

function formsOf(stage: GrpoStageConfig, list: MethodList): Named<Demonstrate>[] {
  return METHOD_POINTS.flatMap((point) =>
    stage.methods[point].flatMap((plugin) => {
      const { id, demonstrate } = lookUp(list, point, plugin);
      if (demonstrate === undefined) return [];
      const options = optionsOf(list, point, plugin).at(START);
      return [{ id, part: (problem: DemonstratedProblem) => demonstrate(problem, options) }];
    }),
  );
}

/** @throws ConfigError if a micro-batch splits a group whose completions a term compares */
function requireWholeGroups({ batch }: GrpoStageConfig, terms: readonly Named<LossTerm>[]): void {
  const { completionsPerMicroBatch: micro = batch.numGenerations, numGenerations: group } = batch;
  const comparing = terms.find(({ part }) => part.coupling === 'group');
  if (micro >= group || comparing === undefined) return;
  const path = 'per_device_train_batch_size';
  const rule = `a part of a group of ${group}, and ${comparing.id} compares the completions of a group`;
  throw new ConfigError('part-of-a-group', `${path}: ${micro} — ${rule}; use ${group}, or leave it out.`, { path });
}

function move(made: Made<Stateful>, step: number, settings: Settings): void {
  const next = made.at(step, settings);
  const state = made.part.state?.();
  if (state !== undefined) next.restore?.(state);
  made.part = next;
}

interface PartOptions {
  /** [methods] names by which settings refer to their options. */
  readonly owners?: readonly string[];
  /** Collects the methods that are expected to act. */
  readonly acting?: Acting[];
  /** Whether a method is expected to act in this stage. */
  readonly mayAct?: (plugin: Plugin) => boolean;
}

function createParts<Point extends MethodPoint>(
  point: Point,
  stage: GrpoStageConfig,
  list: MethodList,
  { owners, acting = [], mayAct = () => false }: PartOptions = {},
): Made<PointParts[Point]>[] {
  const all = stage.methods[point];
  return all.map((plugin, place): Made<PointParts[Point]> => {
    const method = lookUp(list, point, plugin);
    const earlier = all.slice(0, place).filter(({ name }) => name === plugin.name).length;
    const { maxSteps } = stage.optimizer;
    const optionsAt = optionsOf(list, point, plugin, owners?.[place]);
    // A method of this point makes its parts.
    const made = (step: number, settings: Settings) =>
      method.create(optionsAt.at({ step, maxSteps }, settings), stage) as PointParts[Point];
    const moves = (settings: Settings): boolean => optionsAt.isScheduled || optionsAt.isSet(settings);
    const id = earlier === 0 ? method.id : `${method.id}#${earlier + 1}`;
    const first = made(0, {});
    if (!mayAct(plugin)) return { id, part: first, at: made, moves };
    const mine: Acting = { point, id, isWatched: isWatchable(point, first), hasActed: false };
    acting.push(mine);
    const watch = (part: PointParts[Point]) => watched(part, mine, stage.sampling.temperature);
    return { id, part: watch(first), at: (step, settings) => watch(made(step, settings)), moves };
  });
}

/** The demonstrations of a supervised stage, by its step. */
export type Demonstrations = ((step: number) => DemonstrationSource) & Pick<StageMethods, 'acting'>;

/** The demonstrations of multi-turn problems in a supervised stage, by its step; undefined: the task's. */
export function createDemonstrations(stage: SftStageConfig, list: MethodList): Demonstrations | undefined {
  const { demonstrations: plugin, optimizer } = stage;
  if (plugin === undefined) return undefined;
  const method = lookUpDemonstrations(list, plugin);
  const { maxSteps } = optimizer;
  const { at, isScheduled } = optionsOfMethod(method, 'demonstrations', plugin);
  const acting: Acting = { point: 'demonstrations', id: method.id, isWatched: true, hasActed: false };
  const made = (step: number): DemonstrationSource => watched(method.create(at({ step, maxSteps }), stage), acting);
  const always = isScheduled ? undefined : made(0);
  return Object.assign((step: number) => always ?? made(step), { acting: [acting] });
}

/** What the stage's demonstrations use of the run; nothing if they are the task's, or a file's that is not given. */
export function usesOfDemonstrations(stage: SftStageConfig, list: MethodList): readonly Pick<AskedUse, 'by' | 'use'>[] {
  const { demonstrations: plugin } = stage;
  if (plugin === undefined || isAbsentFile(plugin, list)) return [];
  const method = lookUpDemonstrations(list, plugin);
  const options = optionsOfMethod(method, 'demonstrations', plugin).at(START);
  return (method.uses?.(options, stage) ?? []).map((use) => ({ by: method.id, use }));
}

/** Whether a user's file was not loaded here. */
function isAbsentFile(plugin: Plugin, { own }: MethodList): boolean {
  return isModuleFile(plugin.name) && !Object.hasOwn(own, methodKey(plugin));
}

/** @throws ConfigError for an unknown method; a file that was not loaded may be absent */
function requireMethods({ methods }: GrpoStageConfig, list: MethodList): void {
  for (const point of METHOD_POINTS) {
    for (const plugin of methods[point]) if (!isAbsentFile(plugin, list)) lookUp(list, point, plugin);
  }
}

/** Further figures of a stage's evaluations; those of files that are not given are left out. @throws ConfigError */
export function createFigures(stage: GrpoStageConfig, list: MethodList): PointParts['evaluationFigures'][] {
  const present = {
    ...stage,
    methods: {
      ...stage.methods,
      evaluationFigures: stage.methods.evaluationFigures.filter((plugin) => !isAbsentFile(plugin, list)),
    },
  };
  return createParts('evaluationFigures', present, list).map(({ part }) => part);
}

/**
 * What the methods of a stage use, without those of files that are not given here. Schedules count at both ends, since
 * a weight that begins at 0 still uses what it weighs.
 */
export function usesOf(stage: GrpoStageConfig, list: MethodList): StageUses {
  requireMethods(stage, list);
  const members = membersOf(stage, list);
  return uniteUses(
    members.flatMap(({ method, point, uses }) => uses.map((use): AskedUse => ({ by: method.id, point, use }))),
  );
}
