/** What a run would take of this device: its plan as the engine would open it, and the time of a row of its width. */
import { withWordsOf } from '../../src/config/control_words.ts';
import { parseConfig } from '../../src/config/load.ts';
import { withSteps } from '../../src/config/passes.ts';
import type { Registries } from '../../src/config/registries.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { createTasks } from '../../src/data/create_task.ts';
import type { DataFiles } from '../../src/data/data_files.ts';
import { fittingItem } from '../../src/data/prompts/prompt_limit.ts';
import { MemoryPlanError } from '../../src/errors.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { SHORT_REACH_BYTES } from '../../src/kernels/wasm/layout.ts';
import { machineBytes } from '../../src/kernels/wasm/workers.web.ts';
import { membersOf } from '../../src/methods/members.ts';
import { packBatch } from '../../src/model/batch.ts';
import { planFor } from '../../src/model/memory/plan.ts';
import { countParameters } from '../../src/model/parameters.ts';
import { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { modelShape, stageUses, trainedOf } from '../../src/planning/capacity.ts';
import { plannedMemory } from '../../src/planning/memory_plan.ts';
import { requireMemory } from '../../src/planning/require_memory.ts';
import type { OpenedBase } from '../../src/run/base.ts';
import { requireStorage } from '../../src/run/open_run.ts';
import { adviseMemory } from '../estimate/advise_memory.ts';
import { plannedWork } from '../estimate/work.ts';
import type { DatasetTask } from '../zoo/data/datasets/dataset.ts';
import { zooLibrary } from '../zoo/library.ts';
import { type ChosenBackend, chooseBackend } from './choose_backend.ts';
import { keptModelOf } from './open_local_run.ts';
import { sketchedModel } from './pretrained/sketched_model.ts';
import type { PlanOptions, PlanRefusal, RunPlan, SketchOptions } from './run_plan.ts';
import { textFiles } from './text_files.ts';

/** Rows of the batch that is timed, its vocabulary, and how often: the fastest counts. */
const ROWS = 128;
const VOCABULARY = 512;
const TIMES = 3;
/** Problems that are shown. */
const EXAMPLES = 3;

/** @throws RlvrError where the config is wrong, its model is not there, or the run does not fit */
export async function planRun({ yaml, backend: asked, data }: PlanOptions): Promise<RunPlan> {
  const registries = await zooLibrary.naming(yaml);
  const { config } = parseConfig(yaml, { file: 'config', registries });
  const pretrained = await keptModelOf(config);
  const chosen = await chooseBackend(asked ?? {}, config.storageDtype);
  return planWith({ config, registries, pretrained, chosen, files: data && textFiles(data) });
}

/** [models] plans of one job, or why it does not fit. @throws RlvrError where the config is wrong */
export async function planSketches({
  yaml,
  backend: asked,
  models,
}: SketchOptions): Promise<readonly (RunPlan | PlanRefusal)[]> {
  const registries = await zooLibrary.naming(yaml);
  const { config } = parseConfig(yaml, { file: 'config', registries });
  const chosen = await chooseBackend(asked ?? {}, config.storageDtype);
  const plans: (RunPlan | PlanRefusal)[] = [];
  for (const model of models) {
    try {
      plans.push(await planWith({ config, registries, pretrained: sketchedModel(model), chosen }));
    } catch (error) {
      if (!(error instanceof MemoryPlanError)) throw error;
      plans.push({ refused: error.message, bytes: Number(error.facts.bytes), available: availableBytes() });
    }
  }
  return plans;
}

function availableBytes(): number {
  return Math.min(machineBytes() ?? SHORT_REACH_BYTES, SHORT_REACH_BYTES);
}

interface Planned {
  readonly config: RunConfig;
  readonly registries: Registries;
  readonly pretrained: Pick<OpenedBase, 'codec' | 'configured'> | undefined;
  readonly chosen: ChosenBackend;
  readonly files?: DataFiles | undefined;
}

async function planWith({ config: given, registries, pretrained, chosen, files }: Planned): Promise<RunPlan> {
  const { backend, report } = chosen;
  const stored = requireStorage(pretrained?.configured(given) ?? given, backend);
  const { codec } = pretrained ?? {};
  const { methods } = registries;
  const made = await createTasks(stored, registries.tasks, { codec, files });
  const config = withSteps(stored, made);
  const tasks = withWordsOf(config, made, methods);
  const shape = modelShape(config, tasks);
  const capacity = await requireMemory(config, tasks, backend, stageUses(config, methods), adviseMemory);
  const plan = planFor(backend, shape, capacity, trainedOf(config));
  const memory = plannedMemory(backend, [plan], report.kind === 'webgpu' ? 0 : report.threads);
  const members = config.stages.map((stage) => (stage.stage === 'grpo' ? membersOf(stage, methods) : []));
  const parameters = countParameters(plan.slots.weights.parameters);
  const secondsPerRow = parameters * (await secondsPerWeight(backend, shape));
  const work = plannedWork(config, tasks, members, capacity.keptRows > 0);
  return {
    backend: report,
    parameters,
    trained: slotLength(plan.slots.weights.trainable),
    memory,
    bytes: [...memory.values()].reduce((sum, bytes) => sum + bytes, 0),
    available: availableBytes(),
    secondsPerStep: work.map(({ perStep }) => perStep * secondsPerRow),
    secondsPerEvaluation: work.map(({ perEvaluation }) => perEvaluation * secondsPerRow),
    seconds:
      work.reduce((sum, own) => sum + own.steps * own.perStep + own.evaluations * own.perEvaluation, 0) * secondsPerRow,
    problems: { train: tasks.trainProblems() ?? null, heldOut: tasks.heldOutItems().length },
    examples: Array.from({ length: EXAMPLES }, (_, index) => {
      const { item } = fittingItem(tasks, config.seed, index);
      return { prompt: tasks.codec.decode(tasks.promptTokens(item)), answer: item.answer };
    }),
    notes: tasks.shares.flatMap(({ task }) => (task as Partial<DatasetTask>).notes ?? []),
  };
}

/** Seconds that a row takes in the forward pass for each of its model's weights: those of one layer of the same width. */
async function secondsPerWeight(backend: Backend, shape: ModelShape): Promise<number> {
  const layer: ModelShape = { ...shape, numLayers: 1, vocabSize: VOCABULARY };
  const capacity = { rows: ROWS, lossRows: ROWS, groups: 1, completions: 1, kvRows: ROWS, context: ROWS + 1 };
  const policy = await Policy.open(backend, layer, { ...capacity, training: false, keptRows: 0 });
  try {
    const batch = packBatch([{ prompt: new Int32Array(1), completions: [new Int32Array(ROWS)] }]);
    let fastest = Number.POSITIVE_INFINITY;
    for (let i = 0; i <= TIMES; i++) {
      const start = performance.now();
      await policy.score(batch, 1);
      if (i > 0) fastest = Math.min(fastest, performance.now() - start); // the first warms up
    }
    return fastest / 1000 / ROWS / countParameters(policy.parameters);
  } finally {
    await policy.close();
  }
}
