/** What a run would take of this device: its plan as the engine would open it, and the time of a row of its width. */
import { withWordsOf } from '../../src/config/control_words.ts';
import { parseConfig } from '../../src/config/load.ts';
import { withSteps } from '../../src/config/passes.ts';
import { createTasks } from '../../src/data/create_task.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { membersOf } from '../../src/methods/members.ts';
import { packBatch } from '../../src/model/batch.ts';
import { planFor } from '../../src/model/memory/plan.ts';
import { countParameters } from '../../src/model/parameters.ts';
import { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { modelShape, stageUses, trainedOf } from '../../src/planning/capacity.ts';
import { plannedMemory } from '../../src/planning/memory_plan.ts';
import { requireMemory } from '../../src/planning/require_memory.ts';
import { requireStorage } from '../../src/run/open_run.ts';
import { adviseMemory } from '../estimate/advise_memory.ts';
import { plannedWork } from '../estimate/work.ts';
import { zooLibrary } from '../zoo/library.ts';
import { chooseBackend } from './choose_backend.ts';
import { keptModelOf } from './open_local_run.ts';
import type { PlanOptions, RunPlan } from './run_plan.ts';

/** Rows of the batch that is timed, its vocabulary, and how often: the fastest counts. */
const ROWS = 128;
const VOCABULARY = 512;
const TIMES = 3;

/** @throws RlvrError where the config is wrong, its model is not there, or the run does not fit */
export async function planRun({ yaml, backend: asked }: PlanOptions): Promise<RunPlan> {
  const registries = await zooLibrary.naming(yaml);
  const { config: given } = parseConfig(yaml, { file: 'config', registries });
  const pretrained = await keptModelOf(given);
  const { backend, report } = await chooseBackend(asked ?? {}, given.storageDtype);
  const stored = requireStorage(pretrained?.configured(given) ?? given, backend);
  const { codec } = pretrained ?? {};
  const { methods } = registries;
  const made = await createTasks(stored, registries.tasks, { codec });
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
    secondsPerStep: work.map(({ perStep }) => perStep * secondsPerRow),
    seconds:
      work.reduce((sum, own) => sum + own.steps * own.perStep + own.evaluations * own.perEvaluation, 0) * secondsPerRow,
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
