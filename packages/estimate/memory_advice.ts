/**
 * What to lower, and to which value, where a policy does not fit.
 *
 * Sizes are found by planning smaller configs, which costs milliseconds: nobody has to guess what a key costs.
 */
import type { RunConfig } from '../../src/config/run_config.ts';
import { mostEpisodeTokens } from '../../src/data/environment.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
import { MemoryPlanError } from '../../src/errors.ts';
import { gibibytes } from '../../src/format.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import type { GrpoStageConfig, StageConfig } from '../../src/methods/stage.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import type { PlanConfig } from '../../src/planning/require_memory.ts';
import { frozenAdvice } from './frozen_advice.ts';

/** Sentences, the best first. @param plan  throws MemoryPlanError where a changed config does not fit */
export function memoryAdvice(config: RunConfig, tasks: TaskSet, plan: PlanConfig, backend: Backend): string[] {
  return [...withCheckpointing(config, plan), ...advice(config, plan, backend), ...episodesInWords(tasks)];
}

/** How long the episodes are that memory is planned for, where problems are played in turns. */
function episodesInWords({ environment: { longest } }: TaskSet): string[] {
  if (longest === undefined) return [];
  const { maxTurns, actionTokens, observationTokens } = longest;
  const answers = `${maxTurns - 1} observations of ${observationTokens}`;
  const most = `an episode may have ${maxTurns} turns of ${actionTokens} tokens and ${answers}, ${mostEpisodeTokens(longest)} in all`;
  return [
    `It is planned for the longest episode: ${most}. Fewer or shorter turns and observations in the task take less.`,
  ];
}

/** Where the key keeps activations that the plan would compute again. */
function withCheckpointing(config: RunConfig, plan: PlanConfig): string[] {
  if (config.gradientCheckpointing !== false) return [];
  const bytes = bytesIfItFits(() => plan({ ...config, gradientCheckpointing: true }));
  return bytes === undefined ? [] : [`Leave out gradient_checkpointing: false (needs ${gibibytes(bytes)}).`];
}

/** One key of the config, and the same config with a lower value. */
interface Change {
  readonly key: string;
  readonly values: readonly number[];
  with(value: number): RunConfig;
}

function advice(config: RunConfig, plan: PlanConfig, backend: Backend): string[] {
  const changes = changesOf(config);
  const fitting = changes.flatMap(({ key, values, with: change }) => {
    for (const value of values) {
      const bytes = bytesIfItFits(() => plan(change(value)));
      if (bytes !== undefined) return [`${key} to ${value} (needs ${gibibytes(bytes)})`];
    }
    return [];
  });
  const kept = config.adapter === undefined ? [] : frozenWays(config, plan, backend);
  const ways = [
    ...(fitting.length > 0 ? [`Lower ${fitting.join(', or ')}.`] : []),
    ...(kept.length > 0 ? [`${fitting.length > 0 ? 'Or set' : 'Set'} ${kept.join(', or ')}.`] : []),
  ];
  if (ways.length > 0) return ways;
  if (config.modelNameOrPath !== undefined) return [adviceForPretrained(config, plan, backend)];
  return [`No single key is enough: lower ${changes.map(({ key }) => key).join(', ')} together.`];
}

function frozenWays(config: RunConfig, plan: PlanConfig, backend: Backend): string[] {
  return frozenAdvice(config, backend, (changed, on) => bytesIfItFits(() => plan(changed, on)));
}

/** A pretrained model is as large as it is: the batch can be as small as a group, and an adapter needs no gradients of the model. */
function adviceForPretrained(config: RunConfig, plan: PlanConfig, backend: Backend): string {
  const smallest = withSmallestBatch(config);
  const least = bytesIfItFits(() => plan(smallest));
  if (least !== undefined) {
    return `No single key is enough: with micro-batches of one group it needs ${gibibytes(least)}; set per_device_train_batch_size to num_generations, and lower generation_batch_size.`;
  }
  const adapter = config.adapter ? undefined : { rank: 16, alpha: 32, useRslora: false, targets: ADAPTER_TARGETS };
  if (adapter !== undefined) {
    const asItIs = bytesIfItFits(() => plan({ ...config, adapter }));
    if (asItIs !== undefined) return `Set use_peft: true, which trains an adapter alone (needs ${gibibytes(asItIs)}).`;
    const smaller = bytesIfItFits(() => plan({ ...smallest, adapter }));
    if (smaller !== undefined) {
      return `Set use_peft: true, which trains an adapter alone, and per_device_train_batch_size to num_generations (needs ${gibibytes(smaller)}).`;
    }
  }
  const small = { ...smallest, adapter: config.adapter ?? adapter };
  const kept = frozenWays(small, plan, backend);
  if (kept.length > 0) {
    const peft = adapter === undefined ? '' : 'use_peft: true, which trains an adapter alone, ';
    return `Set ${peft}per_device_train_batch_size to num_generations, a smaller generation_batch_size, and ${kept.join(', or ')}.`;
  }
  const rule =
    adapter === undefined
      ? 'the weights and what an update holds of one group are too much, in 4 bits (load_in_4bit), too'
      : 'weights, their gradients and the moments of the optimizer are too much, and so is an adapter (use_peft), over weights in 4 bits (load_in_4bit), too';
  return `No smaller batch is enough: ${rule}. Train a smaller model, or on a GPU (backend: webgpu).`;
}

/** Micro-batches of one group, and as few of them as an advice would say. */
function withSmallestBatch(config: RunConfig): RunConfig {
  const stages = config.stages.map((stage): StageConfig => {
    if (stage.stage === 'sft') return stage;
    const { numGenerations, completionsPerStep } = stage.batch;
    const groups = Math.max(1, Math.ceil((completionsPerStep / numGenerations) * LEAST_SHARE));
    return withMicroBatch(withBatch(stage, groups * numGenerations), numGenerations);
  });
  return { ...config, stages };
}

function bytesIfItFits(plan: () => { readonly bytes: number }): number | undefined {
  try {
    return plan().bytes;
  } catch (error) {
    if (error instanceof MemoryPlanError) return undefined;
    throw error;
  }
}

/** The cheapest first: smaller micro-batches cost a little time, smaller batches some signal, a smaller model its size. */
function changesOf(config: RunConfig): Change[] {
  const stages = config.stages.flatMap((stage) => (stage.stage === 'grpo' ? [stage] : []));
  const group = Math.max(1, ...stages.map(({ batch: { numGenerations } }) => numGenerations));
  const batch = Math.max(0, ...stages.map(({ batch: { completionsPerStep } }) => completionsPerStep));
  const micro = Math.max(0, ...stages.map(microBatch));
  const { hiddenSize, numHeads, headDim, numLayers, intermediateSize } = config.model;
  const withStages = (change: (stage: StageConfig) => StageConfig): RunConfig => ({
    ...config,
    stages: config.stages.map(change),
  });
  const batches: Change[] = [
    {
      key: 'per_device_train_batch_size',
      values: halvings(micro, group),
      with: (value) => withStages((stage) => withMicroBatch(stage, value)),
    },
    {
      key: 'generation_batch_size',
      values: halvings(batch, group),
      with: (value) => withStages((stage) => withBatch(stage, value)),
    },
  ];
  if (config.modelNameOrPath !== undefined) return [...batches, ...groupsAndAnswers(stages, withStages)];
  return [
    ...batches,
    {
      key: 'model.hidden_size',
      values: halvings(hiddenSize, 2 * numHeads),
      with: (value) => ({
        ...config,
        model: {
          ...config.model,
          hiddenSize: value,
          headDim: headDim * numHeads === hiddenSize ? value / numHeads : headDim,
          intermediateSize: Math.max(1, Math.round((intermediateSize * value) / hiddenSize)),
        },
      }),
    },
    {
      key: 'model.num_hidden_layers',
      values: halvings(numLayers, 1),
      with: (value) => ({ ...config, model: { ...config.model, numLayers: value } }),
    },
  ];
}

/** What bounds a single group: its completions, and their length where a key does. */
function groupsAndAnswers(
  stages: readonly GrpoStageConfig[],
  withStages: (change: (stage: StageConfig) => StageConfig) => RunConfig,
): Change[] {
  const group = Math.max(0, ...stages.map(({ batch: { numGenerations } }) => numGenerations));
  const tokens = Math.max(0, ...stages.map(({ sampling: { maxCompletionTokens = 0 } }) => maxCompletionTokens));
  return [
    {
      key: 'num_generations',
      values: halvings(group, 2),
      with: (value) => withStages((stage) => withGroup(stage, value)),
    },
    {
      key: 'max_completion_length',
      values: halvings(tokens, 1),
      with: (value) =>
        withStages((stage) =>
          stage.stage === 'sft' || (stage.sampling.maxCompletionTokens ?? 0) <= value
            ? stage
            : { ...stage, sampling: { ...stage.sampling, maxCompletionTokens: value } },
        ),
    },
  ];
}

/** As many prompts of smaller groups, a group to a micro-batch. */
function withGroup(stage: StageConfig, most: number): StageConfig {
  if (stage.stage === 'sft' || stage.batch.numGenerations <= most) return stage;
  const { promptsPerStep, completionsPerMicroBatch: micro, numGenerations } = stage.batch;
  return {
    ...stage,
    batch: {
      ...stage.batch,
      numGenerations: most,
      completionsPerStep: promptsPerStep * most,
      ...(micro !== undefined && { completionsPerMicroBatch: (micro / numGenerations) * most }),
    },
  };
}

/** A smaller share of what was asked for is another experiment, and no advice. */
const LEAST_SHARE = 1 / 64;

/** size/2, size/4, …, each a multiple of `unit`. */
function halvings(size: number, unit: number): number[] {
  const list: number[] = [];
  const least = Math.max(1, (size / unit) * LEAST_SHARE);
  for (let units = Math.floor(size / unit / 2); units >= least; units = Math.floor(units / 2)) list.push(units * unit);
  return list;
}

function withMicroBatch(stage: StageConfig, most: number): StageConfig {
  if (stage.stage === 'sft') return stage;
  return { ...stage, batch: { ...stage.batch, completionsPerMicroBatch: Math.min(microBatch(stage), most) } };
}

/** Completions of a micro-batch: at most all. */
function microBatch({ batch: { completionsPerMicroBatch, completionsPerStep } }: GrpoStageConfig): number {
  return completionsPerMicroBatch ?? completionsPerStep;
}

function withBatch(stage: StageConfig, most: number): StageConfig {
  if (stage.stage === 'sft' || stage.batch.completionsPerStep <= most) return stage;
  const { completionsPerMicroBatch: micro, numGenerations } = stage.batch;
  return {
    ...stage,
    batch: {
      ...stage.batch,
      completionsPerStep: most,
      promptsPerStep: most / numGenerations,
      ...(micro !== undefined && { completionsPerMicroBatch: Math.min(micro, most) }),
    },
  };
}
