import { readFileSync } from 'node:fs';
import type { OptimizerSettings } from '../../src/model/optimizer.ts';

/** A tensor in row-major order, whatever its stored precision. */
export interface Tensor {
  shape: number[];
  data: Float64Array;
}

export interface Versions {
  python: string;
  torch: string;
  transformers: string;
  trl: string;
  numpy: string;
}

/** One prompt and its completions, as token ids. */
export interface Group {
  prompt: number[];
  completions: number[][];
}

export interface ModelGolden {
  about: string;
  versions: Versions;
  /** The keys of a Hugging Face config.json. */
  config: Record<string, string | number | boolean | string[]>;
  weights: Record<string, Tensor>;
  groups: Group[];
  logits: Tensor;
  scores: { temperature: number; logprob: Tensor; entropy: Tensor; logsumexp: Tensor }[];
  backward: { temperature: number; g: Tensor; h: Tensor; S: number; grads: Record<string, Tensor> };
  check: Record<string, number>;
}

export interface TensorBoardGolden {
  about: string;
  versions: Record<string, string>;
  /** As `TensorBoardEvent`; of `scalars`, a value that is NaN is null. */
  events: {
    type: string;
    wall_seconds: number;
    step: number;
    scalars?: [string, number | null][];
    [more: string]: unknown;
  }[];
  /** All records, one behind the other, in base64. */
  bytes: string;
}

export interface TrackioGolden {
  about: string;
  versions: Record<string, string>;
  /** In their order; all are POST. */
  exchanges: { about: string; path: string; token: string; body: unknown; status: number; answer: unknown }[];
}

export interface MlflowGolden {
  about: string;
  versions: Record<string, string>;
  /** In their order; `<run>` stands for the run's id. */
  exchanges: { about: string; method: string; path: string; body: unknown; status: number; answer: unknown }[];
}

export interface TrlLossOptions {
  loss_type: 'grpo' | 'bnpo' | 'dr_grpo' | 'dapo' | 'cispo' | 'sapo' | 'luspo' | 'vespo';
  beta: number;
  epsilon: number;
  epsilon_high: number;
  delta: number | null;
  importance_sampling_level: 'token' | 'sequence';
  entropy_coef: number;
  top_entropy_quantile: number;
  off_policy_mask_threshold: number | null;
  use_bias_correction_kl: boolean;
  gradient_accumulation_steps: number;
  steps_per_generation: number;
  max_completion_length: number;
  mode: 'train' | 'eval';
  sapo_temperature_neg: number;
  sapo_temperature_pos: number;
  vespo_k_pos: number;
  vespo_lambda_pos: number;
  vespo_k_neg: number;
  vespo_lambda_neg: number;
}

export interface TrlLossInputs {
  logps: Tensor;
  old: Tensor;
  ref: Tensor;
  entropies: Tensor;
  /** One per row. */
  advantages: number[];
  /** 0 or 1, same shape as `logps`. */
  mask: number[][];
}

export interface TrlLossCase {
  name: string;
  inputs: string;
  /** False: no old log-probs, TRL uses those of the current policy, detached. */
  old: boolean;
  /** What differs from `default_options`. */
  options: Partial<TrlLossOptions> & { num_items_in_batch: number };
  loss: number;
  dlogps: Tensor;
  dentropies: Tensor | null;
  metrics: Record<string, number | null>;
}

export interface TrlLossGolden {
  about: string;
  versions: Versions;
  default_options: TrlLossOptions;
  inputs: Record<string, TrlLossInputs>;
  cases: TrlLossCase[];
}

export interface TrlAdvantageCase {
  name: string;
  num_generations: number;
  reward_weights: number[];
  /** One row per completion, one column per reward function; null: not applicable. */
  rewards_per_func: (number | null)[][];
  scale_rewards: 'group' | 'batch' | 'none';
  multi_objective_aggregation: 'sum_then_normalize' | 'normalize_then_sum';
  advantages: Tensor;
  metrics: Record<string, number | null>;
}

export interface TrlAdvantagesGolden {
  about: string;
  versions: Versions;
  cases: TrlAdvantageCase[];
  mask_truncated_completions: {
    eos_token_ids: number[];
    pad_token_id: number;
    num_generations: number;
    rewards_per_func: number[][];
    completions: number[][];
    completion_mask: number[][];
    num_items_in_batch: number;
    advantages: Tensor;
    metrics: Record<string, number | null>;
  };
}

/** Each list has one entry per step; loss, norm and entropy are measured before that step's update. */
export interface TrlMetricsGolden {
  about: string;
  versions: Versions;
  /** [batches][groups][completions] reward, tokens, and 1 where it was cut off. */
  batches: [reward: number, length: number, isCut: number][][][];
  /** [batches] by TRL's names. */
  metrics: Record<string, number>[];
}

export interface TrajectorySteps {
  lr: number[];
  loss: number[];
  grad_norm: number[];
  entropy: number[];
}

export interface TrajectoryGolden {
  about: string;
  versions: Versions;
  /** The fixture whose weights, config and groups it starts from. */
  model: 'llama_gqa';
  temperature: number;
  /** One per completion. */
  advantages: number[];
  epsilon: number;
  epsilon_high: number;
  optimizer: {
    betas: [number, number];
    eps: number;
    weight_decay: number;
    learning_rate: number;
    warmup_steps: number;
    max_grad_norm: number;
  };
  grpo: {
    steps: TrajectorySteps & { clip_low: number[]; clip_high: number[] };
    logprobs: Tensor;
    final_weights: Record<string, Tensor>;
    check: Record<string, number>;
  };
  sft: { steps: TrajectorySteps; final_weights: Record<string, Tensor>; check: Record<string, number> };
}

/** The optimizer at a step of such a trajectory, counted from 0: the rate warms up, then stays. */
export function goldenOptimizer(optimizer: TrajectoryGolden['optimizer'], step: number): OptimizerSettings {
  const { betas, eps, weight_decay, learning_rate, warmup_steps, max_grad_norm } = optimizer;
  return {
    learningRate: learning_rate * Math.min(1, (step + 1) / warmup_steps),
    beta1: betas[0],
    beta2: betas[1],
    adamEps: eps,
    weightDecay: weight_decay,
    maxGradNorm: max_grad_norm,
    adamStep: step + 1,
  };
}

export interface MuonGolden {
  about: string;
  versions: Versions;
  model: 'llama_gqa';
  optimizer: TrajectoryGolden['optimizer'] & { momentum: number };
  sft: {
    steps: { loss: number[]; grad_norm: number[] };
    final_weights: Record<string, Tensor>;
    check: Record<string, number>;
  };
}

/** A prompt, what follows it, and per token of that: its log-prob, and how far the best token was ahead of the second. */
export interface ScoredText {
  prompt: number[];
  completion: number[];
  logprobs: Tensor;
  margins: Tensor;
}

export interface SmolLm2Golden {
  about: string;
  versions: Versions;
  /** Each asked alone through the chat template: the prompts of `greedy`. */
  questions: string[];
  greedy: ScoredText[];
  drawn: ScoredText[];
  check: Record<string, number>;
}

export interface Goldens {
  llama_gqa: ModelGolden;
  llama_tied: ModelGolden;
  qwen2: ModelGolden;
  qwen3: ModelGolden;
  gemma3: ModelGolden;
  gemma3_window: ModelGolden;
  granite: ModelGolden;
  granite4: ModelGolden;
  smollm3: ModelGolden;
  phi3: ModelGolden;
  llama_yarn: ModelGolden;
  trl_loss: TrlLossGolden;
  trl_advantages: TrlAdvantagesGolden;
  trl_metrics: TrlMetricsGolden;
  trajectory: TrajectoryGolden;
  muon: MuonGolden;
  tensorboard: TensorBoardGolden;
  mlflow: MlflowGolden;
  trackio: TrackioGolden;
  smollm2: SmolLm2Golden;
}

interface StoredTensor {
  shape: number[];
  dtype: 'f32' | 'f64';
  data: string;
}

function isStoredTensor(value: object): value is StoredTensor {
  return 'shape' in value && 'dtype' in value && 'data' in value;
}

function decodeTensor(stored: StoredTensor): Tensor {
  const bytes = Buffer.from(stored.data, 'base64');
  const width = stored.dtype === 'f32' ? 4 : 8;
  const size = stored.shape.reduce((a, b) => a * b, 1);
  if (bytes.length !== size * width) {
    throw new Error(`golden tensor [${stored.shape}] ${stored.dtype} has ${bytes.length} bytes`);
  }
  const data = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    data[i] = width === 4 ? bytes.readFloatLE(i * 4) : bytes.readDoubleLE(i * 8);
  }
  return { shape: stored.shape, data };
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if (isStoredTensor(value)) return decodeTensor(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

/** Reads `<name>.json` beside this file and decodes its tensors. */
export function loadGolden<K extends keyof Goldens>(name: K): Goldens[K] {
  const text = readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8');
  return decode(JSON.parse(text)) as Goldens[K];
}

export type PretrainedGoldenName = 'llama_tied' | 'llama_untied' | 'llama3' | 'mistral' | 'qwen2' | 'qwen3';

/** What transformers computes from a checkpoint of `pretrained/`. */
export function loadPretrainedGolden(
  name: PretrainedGoldenName,
): Pick<ModelGolden, 'groups' | 'logits' | 'scores' | 'backward'> {
  const text = readFileSync(new URL(`./pretrained/${name}/expected.json`, import.meta.url), 'utf8');
  return decode(JSON.parse(text)) as ModelGolden;
}

export type PeftGoldenName = 'llama_tied' | 'qwen2' | 'qwen3' | 'llama_rslora' | 'qwen2_dora';

export interface PeftGolden {
  about: string;
  versions: Versions & { peft: string };
  /** The checkpoint of `pretrained/` that it adapts: its BF16 file with config.5.json. */
  base: 'llama_tied' | 'qwen2' | 'qwen3';
  groups: Group[];
  logits: Tensor;
  /** Of A and B, by the name of the tensor without PEFT's prefix. */
  backward: { temperature: number; g: Tensor; h: Tensor; S: number; logprob: Tensor; grads: Record<string, Tensor> };
  /** Merged by PEFT in float32, scored in float64. */
  merged: { temperature: number; logprob: Tensor };
  /** The clipped objective; `loss` and `grad_norm` before each update, `adapter` after the last. */
  steps: {
    temperature: number;
    /** One per completion. */
    advantages: number[];
    epsilon: number;
    optimizer: {
      betas: [number, number];
      eps: number;
      weight_decay: number;
      learning_rate: number;
      max_grad_norm: number;
    };
    loss: number[];
    grad_norm: number[];
    adapter: Record<string, Tensor>;
  };
}

/** What PEFT computes with an adapter of `peft/`. */
export function loadPeftGolden(name: PeftGoldenName): PeftGolden {
  const text = readFileSync(new URL(`./peft/${name}/expected.json`, import.meta.url), 'utf8');
  return decode(JSON.parse(text)) as PeftGolden;
}
