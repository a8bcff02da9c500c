/** Checks that a policy fits before anything is allocated; if not, an error says what to lower. */
import type { RunConfig } from '../config/run_config.ts';
import type { TaskSet } from '../data/task_set.ts';
import { MemoryPlanError } from '../errors.ts';
import { gibibytes } from '../format.ts';
import type { Backend } from '../kernels/engine.ts';
import type { StageUses } from '../methods/uses/stage_uses.ts';
import type { Capacity } from '../model/memory/capacity.ts';
import { type PolicyPlan, planFor } from '../model/memory/plan.ts';
import type { ModelShape } from '../model/shape.ts';
import { modelShape, planCapacity, scoringCapacity, trainedOf } from './capacity.ts';

/** Shapes of further models, by their names. */
type Beside = Readonly<Record<string, ModelShape>>;

/** What a config takes. @throws MemoryPlanError where it does not fit */
export type PlanConfig = (changed: RunConfig, on?: Backend) => { readonly bytes: number };

/** What to lower where a policy does not fit: sentences, the best first. */
export type AdviseMemory = (
  config: RunConfig,
  tasks: TaskSet,
  plan: PlanConfig,
  backend: Backend,
) => Promise<readonly string[]>;

/**
 * How much the policy of a config is to hold. Kept rollouts and kept activations save time and change no bit, so they give
 * way where there is no room for them, in this order; activations only where `gradient_checkpointing` is not given. Room in
 * which a backend is slow is taken where all of that does not do.
 *
 * @param uses  of the methods of its grpo stages, in order
 * @param beside  shapes of the further models that score its batches, by name
 * @param advise  asked only where it does not fit
 * @throws MemoryPlanError where the config's buffers do not fit, with single changes that would make them fit
 */
export async function requireMemory(
  config: RunConfig,
  tasks: TaskSet,
  backend: Backend,
  uses: readonly StageUses[],
  advise: AdviseMemory = async () => ['Lower generation_batch_size or num_generations, or train a smaller model.'],
  beside: Beside = {},
): Promise<Capacity> {
  const plan: PlanConfig = (changed, on = backend) => planned(changed, tasks, on, uses, beside);
  try {
    return planned(config, tasks, backend, uses, beside).capacity;
  } catch (error) {
    if (!(error instanceof MemoryPlanError)) throw error;
    const remedies = (await advise(config, tasks, plan, backend)).join('\n  ');
    throw new MemoryPlanError(error.code, `${error.message}\n  ${remedies}`, error.facts);
  }
}

/** Says what a policy recomputes for lack of memory, or what slows it with much of it; undefined otherwise. */
export function lackOfRoom(
  config: RunConfig,
  {
    tasks,
    policy,
  }: {
    readonly tasks: TaskSet;
    readonly policy: { readonly capacity: Capacity; readonly engine?: { readonly slowness?: string } };
  },
  uses: readonly StageUses[],
): string | undefined {
  if (policy.engine?.slowness !== undefined) return policy.engine.slowness;
  const fullCapacity = planCapacity(config, tasks, uses);
  if (policy.capacity.recompute !== fullCapacity.recompute)
    return 'no room to keep activations, so the backward pass computes each layer again (gradient_checkpointing)';
  if (policy.capacity.keptRows < fullCapacity.keptRows)
    return 'no room to keep rollouts, so updates compute their forward pass again';
  return undefined;
}

/** Completions of a batch that JavaScript holds, with about a kilobyte each: its own memory ends long before the engine's. */
const MOST_COMPLETIONS = 2 ** 20;

interface Planned {
  readonly capacity: Capacity;
  readonly bytes: number;
}

/** @throws MemoryPlanError */
function planned(
  config: RunConfig,
  tasks: TaskSet,
  backend: Backend,
  uses: readonly StageUses[],
  beside: Beside,
): Planned {
  const shape = modelShape(config, tasks);
  const planOf = (capacity: Capacity): Planned => {
    const bytesOf = (plan: PolicyPlan): number =>
      [...backend.plannedBytes(plan.memory).values()].reduce((sum, part) => sum + part, 0);
    const bytes = bytesOf(planFor(backend, shape, capacity, trainedOf(config)));
    const further = Object.entries(beside).map(
      ([name, other]) => [name, bytesOf(planFor(backend, other, scoringCapacity(capacity)))] as const,
    );
    requireTogether([['policy', bytes], ...further], backend);
    return { capacity, bytes };
  };
  const checkpointing = config.gradientCheckpointing === undefined ? [{ ...config, gradientCheckpointing: true }] : [];
  const capacities = [config, ...checkpointing].map((each) => planCapacity(each, tasks, uses));
  const kept = capacities.flatMap((capacity) =>
    capacity.keptRows > 0 ? [capacity, { ...capacity, keptRows: 0 }] : [capacity],
  );
  let slow: Planned | undefined;
  let refused: MemoryPlanError | undefined;
  for (const capacity of kept) {
    try {
      const plan = planOf(capacity);
      if (plan.bytes <= (backend.slowBeyondBytes ?? Number.POSITIVE_INFINITY)) return plan;
      if (capacity.completions > MOST_COMPLETIONS) throw tooManyCompletions(plan);
      slow ??= plan;
    } catch (error) {
      if (!(error instanceof MemoryPlanError)) throw error;
      refused = error; // the last one is of the least plan
    }
  }
  if (slow === undefined) throw refused;
  return slow;
}

/** @throws MemoryPlanError where models that fit one by one do not fit together */
function requireTogether(models: readonly (readonly [name: string, bytes: number])[], { memory }: Backend): void {
  const bytes = models.reduce((sum, [, own]) => sum + own, 0);
  if (memory === undefined || bytes <= memory.bytes) return;
  const list = models.map(([name, own]) => `${name} ${gibibytes(own)}`).join(', ');
  const over = gibibytes(bytes - memory.bytes);
  const message = `${list}: ${gibibytes(bytes)} of memory needed, and ${gibibytes(memory.bytes)} ${memory.reason}, ${over} too little.`;
  throw new MemoryPlanError('models-memory', message, { ...Object.fromEntries(models), limit: memory.bytes });
}

function tooManyCompletions({ capacity: { completions }, bytes }: Planned): MemoryPlanError {
  const message = `${gibibytes(bytes)} of memory needed, and JavaScript holds ${MOST_COMPLETIONS} completions of a batch beside it, not ${completions}.`;
  return new MemoryPlanError('completions', message, { completions, most: MOST_COMPLETIONS });
}
