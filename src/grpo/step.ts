/** The optimizer step under way: its stage as set now, its methods, and what they are given and log. */
import type { TaskSet } from '../data/task_set.ts';
import { rngFor } from '../kernels/philox.ts';
import type { createDemonstrations, StageMethods } from '../methods/create.ts';
import type { Ledger } from '../methods/ledger.ts';
import type { StepContext } from '../methods/method.ts';
import type { Settings } from '../methods/settings.ts';
import type { GrpoStageConfig, SftStageConfig } from '../methods/stage.ts';
import type { RunState } from './journal.ts';
import type { ConfiguredModel, TrainingRun, WeightedReward } from './run.ts';
import { stageTasks } from './stage_tasks.ts';

export interface Step {
  readonly methods: StageMethods;
  /**
   * The stage at this step: with what controllers have set, and at the temperature of the step's rollouts, which may
   * come from an earlier step.
   */
  readonly stage: GrpoStageConfig;
  readonly stageIndex: number;
  /** Optimizer steps of the stage taken before. */
  readonly number: number;
  readonly seed: number;
  /** The tasks that the stage draws its problems from. */
  readonly tasks: TaskSet;
  readonly rewards: readonly WeightedReward[];
  readonly ledger: Ledger;
  /** @param id  of the method that is called, @param round  of the calls in this step; each has random numbers of its own */
  context(id: string, round?: number): StepContext;
  /** What methods have logged so far, as metrics.jsonl names it. */
  readonly logged: Readonly<Record<string, number>>;
}

/**
 * Opens the step that is about to be taken. Random streams are named by seed, stage, step, method, and the number of
 * problems drawn before, since a dead batch is followed by another for the same step. The number of waiting batches
 * tells batches sampled ahead at one step apart.
 * @param batches  at hand and waiting, default: as they are now
 */
export function openStep(
  run: TrainingRun,
  configured: GrpoStageConfig,
  { buffer, queue }: Pick<RunState, 'buffer' | 'queue'> = run.journal.state,
): Step {
  const { config, engine, ledger, rewards } = run;
  const { stageIndex, step, itemsDrawn, steering } = run.journal.state;
  const { seed } = config;
  const logged: Record<string, number> = {};
  const methods = methodsOf(run);
  methods.moveTo(step, steering.settings);
  const stage = steeredStage(configured, methods, steering.settings);
  const { codec } = engine.tasks;
  const ahead = queue.length === 0 ? '' : `|ahead ${queue.length}`;
  return {
    methods,
    stage: buffer === undefined ? stage : atTemperature(stage, buffer.temperature ?? configured.sampling.temperature),
    stageIndex,
    number: step,
    seed,
    get tasks() {
      return stageTasks(engine.tasks, config, stageIndex);
    },
    rewards: rewards[stageIndex] ?? [],
    ledger,
    logged,
    context: (id, round = 0) => ({
      step,
      progress: step / configured.optimizer.maxSteps,
      stage: configured,
      rng: rngFor(`method|${seed}|${stageIndex}|${step}|${itemsDrawn}|${id}${round === 0 ? '' : `|${round}`}${ahead}`),
      ledger,
      shared: methods.shared,
      vocabularySize: codec.vocabSize,
      searchSpace: (item) => engine.tasks.searchSpace(item),
      tokenText: (token) => codec.tokenText(token),
      metric: (name, value) => {
        logged[`${id}/${name}`] = value;
      },
    }),
  };
}

/** A supervised stage under way. */
export interface SupervisedStep {
  readonly stage: SftStageConfig;
  readonly stageIndex: number;
  readonly seed: number;
  /** The tasks that the stage demonstrates. */
  readonly tasks: TaskSet;
  /** Forms in which methods of this and later stages prompt the policy. */
  readonly forms: StageMethods['forms'];
  /** How multi-turn problems are demonstrated at each step; absent: by the task. */
  readonly demonstrations?: ReturnType<typeof createDemonstrations>;
}

export function openSupervised(
  {
    config,
    engine,
    methods,
    demonstrations: shown,
    journal,
  }: ConfiguredModel & Pick<TrainingRun, 'methods' | 'demonstrations' | 'journal'>,
  stage: SftStageConfig,
): SupervisedStep {
  const { stageIndex } = journal.state;
  const forms = methods.slice(stageIndex).flatMap((stageMethods) => stageMethods?.forms ?? []);
  const tasks = stageTasks(engine.tasks, config, stageIndex);
  const demonstrations = shown[stageIndex];
  return { stage, stageIndex, seed: config.seed, tasks, forms, ...(demonstrations && { demonstrations }) };
}

/** The stage with what controllers have set. */
export function steeredStage(
  stage: GrpoStageConfig,
  { controllers }: StageMethods,
  settings: Settings,
): GrpoStageConfig {
  const ofController = controllers.map(({ part }) => part.temperature).findLast((value) => value !== undefined);
  const { temperature = ofController, learning_rate: learningRate } = settings;
  const tempered = temperature === undefined ? stage : atTemperature(stage, temperature);
  if (learningRate === undefined) return tempered;
  return { ...tempered, optimizer: { ...tempered.optimizer, learningRate } };
}

function atTemperature(stage: GrpoStageConfig, temperature: number): GrpoStageConfig {
  if (temperature === stage.sampling.temperature) return stage;
  return { ...stage, sampling: { ...stage.sampling, temperature } };
}

/** The methods of the stage under way. */
export function methodsOf({ methods, journal }: Pick<TrainingRun, 'methods' | 'journal'>): StageMethods {
  const stageMethods = methods[journal.state.stageIndex];
  if (stageMethods === undefined) throw new RangeError('this stage was opened without its methods');
  return stageMethods;
}
