/**
 * Batch sizes of a grpo stage. As in TRL they count completions, not prompts.
 *
 * One deviation from TRL: without `gradient_accumulation_steps` there is exactly one optimizer step for a generation
 * batch and iteration, so that the update is on-policy; TRL would take steps_per_generation of them. An explicit
 * value asks for several: generation_batch_size / (per_device_train_batch_size × gradient_accumulation_steps).
 */
import type { BatchConfig } from '../methods/stage.ts';
import type { GRPO_KEYS } from './keys/grpo_keys.ts';
import type { Section } from './section.ts';

type GrpoSection = Section<typeof GRPO_KEYS>;

const DEFAULT_GROUPS = 32; // prompts per step where the YAML gives no batch size: the measured countdown recipe

/** Derives the sizes that are not given, and reports those that do not fit each other. */
export function resolveBatch(section: GrpoSection): BatchConfig {
  const { values } = section;
  const { numGenerations, completionsPerMicroBatch: micro, gradientAccumulationSteps: accumulation } = values;
  checkGivenTogether(section);
  const microBatches = values.stepsPerGeneration ?? accumulation ?? 1;
  const derived = micro === undefined ? DEFAULT_GROUPS * numGenerations : micro * microBatches;
  const completionsPerStep = values.generationBatchSize ?? derived;
  const names = ['numGenerations', 'generationBatchSize', 'completionsPerMicroBatch', 'stepsPerGeneration'] as const;
  if (section.sound(...names)) checkWholeGroups(section, completionsPerStep);
  const perUpdate = (micro ?? 0) * (accumulation ?? 0);
  if (perUpdate > 0 && section.sound(...names, 'gradientAccumulationSteps')) {
    checkUpdates(section, completionsPerStep, perUpdate);
  }
  return {
    numGenerations,
    numIterations: values.numIterations,
    completionsPerStep,
    promptsPerStep: completionsPerStep / numGenerations,
    ...(micro !== undefined && { completionsPerMicroBatch: micro }),
    optimizerStepsPerGeneration: perUpdate > 0 ? completionsPerStep / perUpdate : 1,
  };
}

function checkGivenTogether(section: GrpoSection): void {
  const { completionsPerMicroBatch, gradientAccumulationSteps, generationBatchSize, stepsPerGeneration } =
    section.values;
  // TRL writes out both of them.
  const isSame = generationBatchSize === (completionsPerMicroBatch ?? 0) * (stepsPerGeneration ?? 0);
  if (generationBatchSize !== undefined && stepsPerGeneration !== undefined && !isSame) {
    section.refuse('stepsPerGeneration', 'generation_batch_size says the same; keep one of the two');
  }
  if (completionsPerMicroBatch !== undefined || !section.sound('completionsPerMicroBatch')) return;
  const rule = 'counts micro-batches of per_device_train_batch_size, which is missing; give that too';
  if (stepsPerGeneration !== undefined && section.sound('stepsPerGeneration')) {
    section.refuse('stepsPerGeneration', `${rule}, or generation_batch_size instead`);
  }
  if (gradientAccumulationSteps !== undefined) {
    section.refuse('gradientAccumulationSteps', `${rule}, or leave this out for one step per batch`);
  }
}

function checkWholeGroups(section: GrpoSection, completionsPerStep: number): void {
  const { numGenerations: group, completionsPerMicroBatch: micro } = section.values;
  const multiple = `a multiple of num_generations (${group})`;
  if (micro !== undefined && micro % group !== 0 && group % micro !== 0) {
    section.refuse(
      'completionsPerMicroBatch',
      `a micro-batch is whole groups, or an equal part of one; use ${multiple}, such as ${nearest(micro, group)}, or a divisor`,
    );
  } else if (completionsPerStep % group !== 0) {
    section.refuse(
      'generationBatchSize',
      `a batch is whole groups; use ${multiple}, such as ${nearest(completionsPerStep, group)}`,
    );
  } else if (micro !== undefined && micro > completionsPerStep) {
    section.refuse(
      'completionsPerMicroBatch',
      `larger than generation_batch_size (${completionsPerStep}); use at most that`,
    );
  }
}

function checkUpdates(section: GrpoSection, completionsPerStep: number, perUpdate: number): void {
  const { numGenerations: group } = section.values;
  if (perUpdate % group !== 0) {
    const rule = `an optimizer step of ${perUpdate} completions is not whole groups`;
    section.refuse('gradientAccumulationSteps', `${rule}; make it a multiple of num_generations (${group})`);
    return;
  }
  if (completionsPerStep % perUpdate === 0) return;
  const rule = `optimizer steps of ${perUpdate} completions do not divide generation_batch_size (${completionsPerStep})`;
  section.refuse('gradientAccumulationSteps', `${rule}; use a divisor, or leave this out for one step per batch`);
}

function nearest(size: number, group: number): number {
  return Math.max(1, Math.round(size / group)) * group;
}
