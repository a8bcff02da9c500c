/** What the methods of a step are told, each under its own name, and the numbers that they log. */
import { rngFor } from '../kernels/philox.ts';
import type { StageMethods } from '../methods/create.ts';
import type { StepContext } from '../methods/method.ts';
import type { Settings } from '../methods/settings.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import type { TrainingRun } from './run.ts';

export interface StepScope {
  readonly methods: StageMethods;
  /** The stage as it is at this step: with what controllers have set. */
  readonly stage: GrpoStageConfig;
  /** @param id  of the method that is called, @param round  of the calls in this step; each has random numbers of its own */
  context(id: string, round?: number): StepContext;
  /** What methods have logged so far, as metrics.jsonl names it. */
  readonly logged: Readonly<Record<string, number>>;
}

/**
 * The scope of the step that is about to be taken. Random streams are named by seed, stage, step and method, and by how
 * many problems were drawn before: a batch without signal is followed by another one for the same step.
 */
export function openStep(run: TrainingRun, stage: GrpoStageConfig): StepScope {
  const { stageIndex, step, itemsDrawn, steering } = run.state;
  const logged: Record<string, number> = {};
  const methods = methodsOf(run);
  methods.moveTo(step, steering.settings);
  return {
    methods,
    stage: steered(stage, methods, steering.settings),
    logged,
    context: (id, round = 0) => ({
      step,
      progress: step / stage.optimizer.maxSteps,
      stage,
      rng: rngFor(
        `method|${run.config.seed}|${stageIndex}|${step}|${itemsDrawn}|${id}${round === 0 ? '' : `|${round}`}`,
      ),
      ledger: run.ledger,
      vocabularySize: run.tasks.codec.vocabSize,
      tokenText: (token) => run.tasks.codec.tokenText(token),
      metric: (name, value) => {
        logged[`${id}/${name}`] = value;
      },
    }),
  };
}

function steered(stage: GrpoStageConfig, { controllers }: StageMethods, settings: Settings): GrpoStageConfig {
  const ofController = controllers.map(({ part }) => part.temperature).findLast((value) => value !== undefined);
  const { temperature = ofController, learning_rate: learningRate } = settings;
  if (temperature === undefined && learningRate === undefined) return stage;
  return {
    ...stage,
    sampling: { ...stage.sampling, ...(temperature !== undefined && { temperature }) },
    optimizer: { ...stage.optimizer, ...(learningRate !== undefined && { learningRate }) },
  };
}

/** The methods of the stage under way. */
export function methodsOf(run: TrainingRun): StageMethods {
  const methods = run.methods[run.state.stageIndex];
  if (methods === undefined) throw new RangeError('this stage was opened without its methods');
  return methods;
}
