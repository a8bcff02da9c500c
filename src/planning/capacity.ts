/** How large a policy a config needs: the model's shape, and room for the largest batch of all its stages. */

import type { RunConfig } from '../config/run_config.ts';
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import { evaluatedItems } from '../grpo/evaluate.ts';
import { completionLimit } from '../grpo/rollout/completion_end.ts';
import { usesOf } from '../methods/create.ts';
import type { MethodList } from '../methods/method_list.ts';
import { PARAMETER_SET_NAMES, PARAMETER_SETS } from '../methods/parameter_sets.ts';
import { copyOf, keepsForward } from '../methods/sampling_modes/modes.ts';
import type { StageConfig } from '../methods/stage.ts';
import { hiddenRows } from '../methods/uses/hidden_rows.ts';
import { roomOf, type StageUses } from '../methods/uses/stage_uses.ts';
import { adapterSettings } from '../model/adapter_config.ts';
import { isNamedBy } from '../model/frozen_names.ts';
import { keptRowFloats } from '../model/memory/activations.ts';
import type { Capacity } from '../model/memory/capacity.ts';
import { usualRecompute } from '../model/memory/keeping.ts';
import type { Trained } from '../model/memory/plan.ts';
import type { Recompute } from '../model/memory/recompute.ts';
import type { ModelShape } from '../model/shape.ts';
import { asksInWords } from '../text/codec.ts';
import { mostDistributed } from './distribution_limit.ts';

/** Rows of a batch beyond which it is cut, a training batch into micro-batches of whole groups, unless its rollouts are kept. */
const MICRO_BATCH_ROWS = 8192;

/** Most bytes of rollouts' activations that are kept, so that the update takes one batch and needs no forward pass. */
const KEPT_BYTES = 1024 ** 3;

/** Most completions sampled side by side during evaluation, where rollouts do not take more. */
const EVALUATION_COMPLETIONS = 1024;

/** The same in a policy opened for inference alone, whose memory is mostly their keys and values: more is hardly faster. */
const INFERENCE_COMPLETIONS = 512;

export function modelShape(config: RunConfig, tasks: TaskSet): ModelShape {
  return { ...config.model, vocabSize: tasks.codec.vocabSize };
}

/** The trained part of a run's model: all of it, or an adapter, and the storage of the rest. */
export function trainedOf({
  adapter,
  freeze,
  frozenStorage,
}: Pick<RunConfig, 'adapter' | 'freeze' | 'frozenStorage'>): Trained {
  if (adapter === undefined) return freeze === undefined ? {} : { isTrainable: (name) => !isNamedBy(freeze, name) };
  return {
    adapter: adapterSettings(adapter),
    ...(frozenStorage && { storageOf: (name: string) => frozenStorage[name] ?? 'f32' }),
  };
}

/** What the backward pass of a run recomputes by its key, if memory allows. */
function recomputeOf(config: RunConfig): Recompute {
  return config.gradientCheckpointing === true ? 'layers' : usualRecompute(trainedOf(config));
}

/** What the methods of each grpo stage use, as far as they are loaded. */
export function stageUses(config: RunConfig, list: MethodList): StageUses[] {
  return config.stages.flatMap((stage) => (stage.stage === 'grpo' ? [usesOf(stage, list)] : []));
}

/**
 * How much the policy must hold for every stage of a config.
 *
 * @param uses  of the methods of its grpo stages, in order
 * @throws ConfigError where max_position_embeddings is too small
 */
export function planCapacity(config: RunConfig, tasks: TaskSet, uses: readonly StageUses[]): Capacity {
  const rooms = uses.map((ofStage) => roomOf(ofStage, tasks));
  const further = Math.max(0, ...rooms.map((room) => room.prompt));
  const textRoom = Math.max(0, ...rooms.map((room) => room.behind));
  const prompt = tasks.maxPromptTokens + further;
  const context = longestSequence(config, tasks, further + textRoom);
  let rows = 1;
  let lossRows = 1;
  let groups = 1;
  let completions = 1;
  let keptRows = 0;
  let distributionRows = 0;
  const sets = PARAMETER_SET_NAMES.filter((name) => uses.some((ofStage) => ofStage.sets.has(name)));
  // Any scoring before the update takes the rows of a kept forward pass.
  const isScored = uses.some(({ asked }) => asked.some(({ use }) => use.scoresBeforeUpdate));
  const [rolloutCopy] = config.stages.flatMap((stage) => (stage.stage === 'grpo' && copyOf(stage)) || []);
  let grpoStages = 0;
  const recompute = recomputeOf(config);
  const mostKeptRows = isScored ? 0 : KEPT_BYTES / (4 * keptRowFloats(modelShape(config, tasks), recompute));
  for (const [index, stage] of config.stages.entries()) {
    const stageTasks = stage.stage === 'sft' ? tasks.supervised(index) : tasks;
    const limit = completionLimit(stageTasks, stage);
    const samples = stage.stage === 'sft' ? 1 : stage.batch.numGenerations;
    const place = stage.stage === 'grpo' ? grpoStages++ : undefined;
    const [own, room] = place === undefined ? [] : [uses.at(place), rooms.at(place)];
    const prompts = 1 + (room?.prompts ?? 0);
    const promptRows = stage.stage === 'grpo' ? prompts * prompt : stageTasks.maxPromptTokens + further;
    const groupRows = promptRows + samples * (limit - 1 + textRoom);
    const all = stage.stage === 'sft' ? stage.batch.sequencesPerStep : stage.batch.promptsPerStep;
    const togetherAsked = stage.stage === 'grpo' ? stage.batch.completionsPerMicroBatch : undefined;
    const most = own?.distributionsFor.length ? mostDistributed(stage, tasks, own.distributionsFor) : all;
    const keeps =
      stage.stage === 'grpo' &&
      keepsForward(stage) &&
      stage.batch.optimizerStepsPerGeneration === 1 &&
      all * groupRows <= mostKeptRows &&
      all <= most;
    const byDefault = keeps ? all : Math.min(most, Math.max(1, Math.floor(MICRO_BATCH_ROWS / groupRows)));
    const together = Math.min(all, togetherAsked ? togetherAsked / samples : byDefault); // below 1: a part of a group
    if (own?.distributionsFor.length) {
      distributionRows = Math.max(distributionRows, together * samples * limit);
    }
    rows = Math.max(rows, Math.ceil(together) * promptRows + together * samples * (limit - 1 + textRoom));
    lossRows = Math.max(lossRows, together * samples * limit);
    if (room !== undefined && room.text > 0) {
      rows = Math.max(rows, prompt + room.text - 1); // it may be longer than a whole group of this stage
      lossRows = Math.max(lossRows, room.text);
    }
    groups = Math.max(groups, Math.ceil(together) * prompts);
    const besides = samples * (room?.groups ?? 0);
    completions = Math.max(completions, stage.stage === 'grpo' ? stage.batch.completionsPerStep + besides : together);
    if (keeps && together === all) keptRows = Math.max(keptRows, all * groupRows);
  }
  const samplings = config.stages.flatMap((stage) => samplingsOf(tasks, stage));
  const sampled = Math.max(...samplings.map(({ prompts, samples }) => prompts * samples));
  completions = Math.max(completions, Math.min(EVALUATION_COMPLETIONS, sampled));
  rows = Math.max(rows, completions);
  const kvRows = samplings.map((sampling) => cacheRows(sampling, prompt, { rows, completions }));
  lossRows = Math.max(lossRows, completions);
  const outputRows = {
    ...(distributionRows > 0 && { distributions: distributionRows }),
    ...(uses.some((ofStage) => ofStage.has(hiddenRows)) && { hidden: lossRows }),
  };
  return {
    rows,
    lossRows,
    groups,
    completions,
    kvRows: Math.max(rows, ...kvRows),
    context,
    training: true,
    ...(config.stages.some(({ optimizer }) => optimizer.optim === 'muon') && { muon: true }),
    ...(sets.length > 0 && { sets: Object.fromEntries(sets.map((name) => [name, PARAMETER_SETS[name].use])) }),
    ...(rolloutCopy && { rolloutCopy }),
    ...(Object.keys(outputRows).length > 0 && { outputRows }),
    keptRows,
    ...(recompute === 'layers' && { recompute }),
  };
}

/** Room for a model that scores the batches of a policy with this one. */
export function scoringCapacity({ rows, lossRows, groups, completions, context, outputRows }: Capacity): Capacity {
  const room = { rows, lossRows, groups, completions, kvRows: rows, context, training: false, keptRows: 0 };
  return { ...room, ...(outputRows && { outputRows }) };
}

/** Samples taken together: a number of prompts, with a number of completions each. */
export interface InferenceLoad {
  readonly prompts: number;
  readonly samples: number;
}

/**
 * How much a policy must hold that is never trained: a few hundred completions side by side, and nothing of an update.
 * A larger load is sampled in parts; bits do not depend on how it is cut.
 */
export function inferenceCapacity(config: RunConfig, tasks: TaskSet, { prompts, samples }: InferenceLoad): Capacity {
  const prompt = tasks.maxPromptTokens;
  const context = longestSequence(config, tasks);
  const completions = Math.min(INFERENCE_COMPLETIONS, prompts * samples);
  const prompted = Math.min(MICRO_BATCH_ROWS, prompt * Math.ceil(completions / samples));
  const rows = Math.max(completions, prompt, prompted);
  const tokens = context - prompt;
  const kvRows = [1, samples].map((each) =>
    cacheRows({ prompts, samples: each, tokens }, prompt, { rows, completions }),
  );
  return {
    rows,
    lossRows: completions,
    groups: 1,
    completions,
    kvRows: Math.max(rows, ...kvRows),
    context,
    training: false,
    keptRows: 0,
  };
}

/**
 * Longest prompt plus longest completion of all stages, in tokens.
 *
 * @param further  tokens by which methods make a prompt longer
 * @throws ConfigError where the model takes fewer
 */
function longestSequence(config: RunConfig, tasks: TaskSet, further = 0): number {
  const limits = config.stages.map((stage) => completionLimit(tasks, stage));
  const shown = config.stages.flatMap(({ stage }, index) => (stage === 'sft' ? [tasks.supervised(index)] : []));
  const longest = Math.max(
    tasks.maxPromptTokens + further + Math.max(...limits, tasks.maxCompletionTokens),
    ...shown.map(({ maxPromptTokens, maxCompletionTokens }) => maxPromptTokens + further + maxCompletionTokens),
  );
  const { maxPositionEmbeddings } = config.model;
  if (maxPositionEmbeddings === undefined || maxPositionEmbeddings >= longest) return longest;
  if (asksInWords(tasks.codec)) {
    const rule = `reads ${maxPositionEmbeddings} tokens, and prompt and completion take up to ${longest}${longestPlace(tasks)}`;
    const remedy = 'lower max_completion_length, or show fewer examples';
    const message = `model_name_or_path: ${config.modelNameOrPath} — ${rule}; ${remedy}.`;
    throw new ConfigError('context', message, { path: 'model_name_or_path' });
  }
  const rule = `prompt and completion take up to ${longest} tokens${longestPlace(tasks)}; use that or more, or leave the key out`;
  const path = 'model.max_position_embeddings';
  throw new ConfigError('context', `${path}: ${maxPositionEmbeddings} — ${rule}.`, { path });
}

/** Where the longest prompt is, if the tasks know it. */
function longestPlace({ shares }: TaskSet): string {
  const long = shares.flatMap(({ task }) => task.longItems?.() ?? []);
  if (long.length === 0) return '';
  const { id } = long.reduce((most, item) => (item.prompt.length > most.prompt.length ? item : most));
  return ` (the longest prompt is that of ${id})`;
}

/** Samples of a stage at a time: completions of at most `tokens` tokens. */
interface Sampling extends InferenceLoad {
  readonly tokens: number;
}

function samplingsOf(tasks: TaskSet, stage: StageConfig): Sampling[] {
  const tokens = completionLimit(tasks, stage);
  const prompts = evaluatedItems(tasks, stage).length;
  const evaluations = [1, stage.evaluation.samples].map((samples) => ({ prompts, samples, tokens }));
  if (stage.stage === 'sft') return evaluations;
  return [...evaluations, { prompts: stage.batch.promptsPerStep, samples: stage.batch.numGenerations, tokens }];
}

/** Rows of the key/value cache that sampling fills; requests beyond rows or completions wait for the next chunk. */
function cacheRows(
  { prompts, samples, tokens }: Sampling,
  promptTokens: number,
  { rows, completions }: Pick<Capacity, 'rows' | 'completions'>,
): number {
  const together = Math.min(prompts, Math.floor(rows / promptTokens), Math.floor(completions / samples));
  const perSample = tokens - 1; // the last token is sampled, never read
  return Math.max(1, together) * (promptTokens + Math.min(samples, completions) * perSample);
}
