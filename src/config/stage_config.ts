/** The resolved stages, and the rules that combine several of their keys. */

import { counted } from '../format.ts';
import type { MethodList } from '../methods/method_list.ts';
import type {
  BatchConfig,
  EvaluationConfig,
  GrpoStageConfig,
  MethodsConfig,
  OptimizerConfig,
  RewardConfig,
  SftStageConfig,
  StageConfig,
} from '../methods/stage.ts';
import type { KeyTable } from '../options/keys.ts';
import { didYouMean, nearestKey } from '../options/nearest_name.ts';
import { readOptions } from '../options/read.ts';
import { firstRepeated } from '../options/repeated.ts';
import { isModuleFile, rewardLabel } from '../rewards/module_file.ts';
import { resolveBatch } from './batch_config.ts';
import { shownRows } from './keys/dataset_keys.ts';
import { GRPO_KEYS } from './keys/grpo_keys.ts';
import { METHOD_KEYS } from './keys/method_keys.ts';
import { MOST_STEPS, SFT_KEYS, SHARED_KEYS } from './keys/stage_keys.ts';
import { warmupOf } from './passes.ts';
import { recordedValues } from './recorded_keys.ts';
import type { Section } from './section.ts';

/** Sampled completions of a held-out problem in a stage that has no key for it. */
const DEFAULT_EVALUATION_SAMPLES = 4;

/** Decay of Muon's momentum where none is given: that of its authors and of torch.optim.Muon. */
const MUON_MOMENTUM = 0.95;

/** The table of each kind of stage. */
export const STAGE_KEYS = { sft: SFT_KEYS, grpo: { ...GRPO_KEYS, ...METHOD_KEYS } } satisfies Record<
  StageConfig['stage'],
  KeyTable
>;

/** A section with at least the keys of every stage. */
type AnyStage = Section<typeof SFT_KEYS> | Section<typeof GRPO_KEYS>;

/** Fills in a supervised stage. */
export function resolveSft(section: Section<typeof SFT_KEYS>, list: MethodList): SftStageConfig {
  const rows = shownRows(section);
  checkDemonstrations(section, list);
  return {
    stage: 'sft',
    ...recordedValues(SFT_KEYS, 'stage', section.values),
    ...(rows !== undefined && { rows }),
    batch: { sequencesPerStep: section.values.sequencesPerStep },
    optimizer: resolveOptimizer(section),
    evaluation: resolveEvaluation(section, DEFAULT_EVALUATION_SAMPLES),
  };
}

/** Reports a method that there is not, and what is wrong with its options. */
function checkDemonstrations(section: Section<typeof SFT_KEYS>, list: MethodList): void {
  const { demonstrations, dataFiles } = section.values;
  if (demonstrations === undefined || !section.sound('demonstrations', 'dataFiles')) return;
  const refuse = (rule: string): void => section.refuse('demonstrations', rule);
  const { name, ...given } = demonstrations;
  const names = list.names.demonstrations;
  const nearest = `the nearest is ${nearestKey(name, names) ?? names[0]}`;
  const demonstrationMethod = list.demonstrations.find(({ id }) => id === name);
  if (dataFiles !== undefined) refuse('data_files already says what this stage shows; keep one of the two');
  else if (isModuleFile(name))
    return; // its options are checked when it is loaded
  else if (demonstrationMethod === undefined) refuse(`no such method (${names.join(', ')}); ${nearest}`);
  else {
    const read = readOptions(demonstrationMethod.options, given, { path: 'demonstrations', subject: name });
    for (const { key, rule } of read.ok ? [] : read.problems) refuse(`${key}: ${rule}`);
  }
}

/** Fills in a reinforcement stage and reports combinations of keys that cannot work. */
export function resolveGrpo(section: Section<typeof GRPO_KEYS>, methods: MethodsConfig): GrpoStageConfig {
  const rewards = resolveRewards(section);
  checkGate(section, rewards);
  const batch = resolveBatch(section);
  const optimizer = resolveOptimizer(section);
  checkStaleness(section, batch, optimizer);
  return {
    stage: 'grpo',
    ...recordedValues(GRPO_KEYS, 'stage', section.values),
    batch,
    sampling: recordedValues(GRPO_KEYS, 'sampling', section.values),
    optimizer,
    evaluation: resolveEvaluation(section, section.values.numGenerationsEval),
    rewards,
    methods,
  };
}

function resolveEvaluation({ values }: AnyStage, samples: number): EvaluationConfig {
  const { evalStrategy, evalSteps } = values;
  const asWritten = recordedValues(SHARED_KEYS, 'evaluation', values);
  return { evalSteps: evalStrategy === 'no' ? 0 : evalSteps, samples, ...asWritten };
}

function resolveOptimizer(section: AnyStage): OptimizerConfig {
  const { values } = section;
  const epochs = values.maxSteps === undefined ? values.epochs : undefined;
  if (section.sound('maxSteps', 'epochs') && (values.maxSteps ?? epochs) === undefined) {
    section.refuse('maxSteps', 'the training stream is endless; give the number of optimizer steps, for example 300');
  }
  const maxSteps = values.maxSteps ?? (epochs === undefined ? 0 : MOST_STEPS); // 0 was just reported: it stays here
  checkSchedule(section);
  const { learningRate, learningRateSchedule, weightDecay, beta1, beta2, adamEps, maxGradNorm } = values;
  return {
    maxSteps,
    ...(epochs !== undefined && { epochs }),
    learningRate,
    learningRateSchedule,
    minLearningRateRatio: values.scheduleOptions?.min_lr_rate ?? 0,
    warmupSteps: resolveWarmup(section, maxSteps),
    ...resolveMuon(section),
    weightDecay,
    beta1,
    beta2,
    adamEps,
    maxGradNorm,
  };
}

function resolveMuon(section: AnyStage): Pick<OptimizerConfig, 'optim' | 'muonMomentum'> {
  const { optim, muonMomentum } = section.values;
  if (optim === 'muon') return { optim, muonMomentum: muonMomentum ?? MUON_MOMENTUM };
  if (muonMomentum !== undefined && section.sound('optim', 'muonMomentum')) {
    section.refuse('muonMomentum', 'AdamW has adam_beta1 instead; add optim: muon, or leave it out');
  }
  return {};
}

function checkSchedule(section: AnyStage): void {
  const { learningRateSchedule: schedule, scheduleOptions, warmupSteps, warmupRatio = 0 } = section.values;
  if (!section.sound('learningRateSchedule', 'scheduleOptions')) return;
  const ratio = scheduleOptions?.min_lr_rate;
  if (ratio !== undefined && (schedule === 'constant' || schedule === 'constant_with_warmup')) {
    section.refuse('scheduleOptions', `${schedule} never falls, so min_lr_rate means nothing; use linear or cosine`);
  }
  if (ratio === undefined && schedule === 'cosine_with_min_lr') {
    section.refuse('learningRateSchedule', 'needs its floor; add lr_scheduler_kwargs: {min_lr_rate: 0.1}');
  }
  if (section.sound('warmupSteps', 'warmupRatio') && (warmupSteps || warmupRatio) > 0 && schedule === 'constant') {
    section.refuse(
      warmupSteps > 0 ? 'warmupSteps' : 'warmupRatio',
      'a constant schedule has no warm-up; use constant_with_warmup, or 0',
    );
  }
}

/** Whole steps; as written where the length of the stage is not known yet. */
function resolveWarmup(section: AnyStage, maxSteps: number): number {
  const { warmupSteps: steps, warmupRatio = 0 } = section.values;
  if (!section.sound('warmupSteps', 'warmupRatio', 'maxSteps')) return 0;
  const warmupSteps = steps || warmupRatio;
  if (warmupSteps < 1) return maxSteps === MOST_STEPS ? warmupSteps : warmupOf(warmupSteps, maxSteps);
  if (!Number.isInteger(warmupSteps)) {
    section.refuse('warmupSteps', `neither a fraction below 1 nor whole steps; use ${Math.round(warmupSteps)}`);
  } else if (warmupSteps > maxSteps) {
    section.refuse('warmupSteps', `longer than the stage (max_steps ${maxSteps}); use a fraction such as 0.05`);
  }
  return warmupSteps;
}

/** Where all batches are sampled before the first update, nothing that is learned is ever sampled from. */
function checkStaleness(section: Section<typeof GRPO_KEYS>, batch: BatchConfig, { maxSteps }: OptimizerConfig): void {
  const { staleness } = section.values;
  const sizes = ['generationBatchSize', 'completionsPerMicroBatch', 'numGenerations', 'numIterations'] as const;
  if (maxSteps === 0 || !section.sound('staleness', 'maxSteps', ...sizes)) return;
  const steps = Math.min(batch.optimizerStepsPerGeneration, batch.promptsPerStep) * batch.numIterations;
  const batches = Math.ceil(maxSteps / steps);
  if (staleness === 0 || staleness < batches) return;
  const rule = `max_steps ${maxSteps} is ${counted(batches, 'batch', 'batches')}, so that all would be sampled by the weights that the stage begins with`;
  section.refuse('staleness', `${rule}; ${batches === 1 ? 'leave it out' : `use at most ${batches - 1}`}`);
}

/** A gate asks a reward that is there. */
function checkGate(section: Section<typeof GRPO_KEYS>, rewards: readonly RewardConfig[]): void {
  if (!section.sound('rewardFunctions', 'rewardGate')) return;
  const names = rewards.map(rewardLabel);
  const unknown = Object.keys(section.values.rewardGate ?? {}).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const rule = `${unknown} is not in reward_funcs${didYouMean(unknown, names)} (${names.join(', ')}); list it there, with weight 0 if it should only be a gate`;
  section.refuse('rewardGate', rule);
}

function resolveRewards(section: Section<typeof GRPO_KEYS>): RewardConfig[] {
  const { rewardFunctions = [], rewardWeights } = section.values;
  if (!section.sound('rewardFunctions', 'rewardWeights')) return [];
  const names = rewardFunctions.map(rewardLabel);
  const twice = firstRepeated(names, (name) => name);
  if (twice !== undefined) section.refuse('rewardFunctions', `${twice} is listed twice; keep one`);
  if (rewardWeights !== undefined) {
    if (rewardWeights.length !== names.length) {
      const counts = `${rewardWeights.length} weights for ${names.length} reward functions (${names.join(', ')})`;
      section.refuse('rewardWeights', `${counts}; give one weight each`);
    } else if (rewardFunctions.some((reward) => reward.weight !== undefined)) {
      section.refuse('rewardWeights', 'reward_funcs already gives weights; keep them in one place');
    }
  }
  const rewards = rewardFunctions.map(
    (reward, index): RewardConfig => ({ ...reward, weight: reward.weight ?? rewardWeights?.[index] ?? 1 }),
  );
  if (rewards.every((reward) => reward.weight === 0)) {
    const name = rewardWeights === undefined ? 'rewardFunctions' : 'rewardWeights';
    section.refuse(name, 'all weights are 0, so nothing is rewarded; give one a positive weight');
  }
  return rewards;
}
