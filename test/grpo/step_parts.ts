/**
 * The parts of a step, each by itself, on a tiny run in float64: how they are called, and how groups of rollouts are
 * made by hand, is known here and not in the tests.
 */
import { stringify } from 'yaml';
import { updateMetrics } from '../../src/grpo/metrics.ts';
import { collectGroups } from '../../src/grpo/rollout/collect.ts';
import { stageOf, type TrainingRun } from '../../src/grpo/run.ts';
import { openStep, openSupervised } from '../../src/grpo/step.ts';
import { evaluateRun } from '../../src/grpo/trainer.ts';
import { creditGroups, selectGroups } from '../../src/grpo/update/credit.ts';
import { superviseStep } from '../../src/grpo/update/supervised.ts';
import { accumulateUpdate } from '../../src/grpo/update/update.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import type {
  Collected,
  CreditedGroup,
  Evaluation,
  Rollout,
  RolloutGroup,
  StepMetrics,
  SupervisedResult,
  UpdateResult,
} from '../../src/methods/records.ts';
import { hasEqualRewards } from '../../src/methods/support/credit/baseline.ts';
import { packBatch, type TokenGroup } from '../../src/model/batch.ts';
import { normals } from '../support/data.ts';
import { openSmallRun, type SmallRun } from '../support/small_runs.ts';

const SHARED_KEYS = {
  task: { name: 'reverse_text', min_length: 2, max_length: 3 },
  model: {
    hidden_size: 8,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    intermediate_size: 12,
    initializer_range: 0.3,
  },
  seed: 2,
  eval_strategy: 'no',
  max_steps: 4,
  lr_scheduler_type: 'constant',
  learning_rate: 0.01,
  max_grad_norm: 0,
};
const GRPO_KEYS = { num_generations: 4, generation_batch_size: 12, num_generations_eval: 1 };

type Keys = Readonly<Record<string, unknown>>;
type Options = Omit<SmallRun, 'yaml'>;

/** A run of one grpo stage: three groups of four, no clipping of gradients, evaluated before and after. */
export function reinforced(keys: Keys = {}, options: Options = {}): Promise<TrainingRun> {
  return openSmallRun(referenceBackend, { yaml: stringify({ ...SHARED_KEYS, ...GRPO_KEYS, ...keys }), ...options });
}

/** A run of one sft stage. */
export function supervised(keys: Keys = {}, options: Options = {}): Promise<TrainingRun> {
  const { max_steps, lr_scheduler_type, learning_rate, max_grad_norm, eval_strategy, ...run } = SHARED_KEYS;
  const shared = { max_steps, lr_scheduler_type, learning_rate, max_grad_norm, eval_strategy };
  const stage = { stage: 'sft', ...shared, per_device_train_batch_size: 6, ...keys };
  return openSmallRun(referenceBackend, { yaml: stringify({ ...run, stages: [stage] }), ...options });
}

function grpoStage(run: TrainingRun): Extract<ReturnType<typeof stageOf>, { stage: 'grpo' }> {
  const stage = stageOf(run);
  if (stage.stage !== 'grpo') throw new Error('this run is supervised');
  return stage;
}

export function collect(run: TrainingRun): Promise<Collected> {
  return collectGroups(run.engine, openStep(run, grpoStage(run)), run.journal);
}

/** The groups that an update is made of, with their advantages. */
export function credit(run: TrainingRun, groups: readonly RolloutGroup[]): Promise<readonly CreditedGroup[]> {
  const step = openStep(run, grpoStage(run));
  return creditGroups(run.engine.policy, step, selectGroups(step, groups));
}

/** @param onPolicy the weights are still those that sampled the groups */
export async function update(
  run: TrainingRun,
  groups: readonly CreditedGroup[],
  { onPolicy }: { readonly onPolicy: boolean },
): Promise<UpdateResult> {
  const asked = { groups, fromTheseWeights: onPolicy };
  const { takeStep } = await accumulateUpdate(run.engine, openStep(run, grpoStage(run)), run.journal, asked);
  return takeStep();
}

export function supervise(run: TrainingRun): Promise<SupervisedResult> {
  const stage = stageOf(run);
  if (stage.stage !== 'sft') throw new Error('this run is reinforced');
  return superviseStep(run.engine, openSupervised(run, stage), run.journal);
}

export function evaluateNow(run: TrainingRun): Promise<Evaluation> {
  return evaluateRun(run);
}

/** Metrics of a first step that took half a second, of a run that has seen 100 completion tokens. */
export function metricsOf(run: TrainingRun, result: UpdateResult, collected?: Collected): StepMetrics {
  const sampled = collected && { collected, groups: collected.groups };
  return updateMetrics(grpoStage(run), sampled, result, {}, { step: 1, stepSeconds: 0.5, tokens: 100 });
}

/** A completion written by hand. */
export interface Answer {
  readonly text: string;
  readonly reward: number | null;
  /** It was cut off: no EOS. */
  readonly cut?: true;
}

/** Groups as if the policy had just given these answers to the first problems of its training stream. */
export async function answered(run: TrainingRun, groups: readonly (readonly Answer[])[]): Promise<RolloutGroup[]> {
  const { config } = run;
  const { tasks } = run.engine;
  const made: RolloutGroup[] = [];
  for (const [index, answers] of groups.entries()) {
    const item = tasks.trainItem(config.seed, index);
    const prompt = tasks.promptTokens(item);
    const completions = answers.map(({ text, cut }) =>
      Int32Array.from([...tasks.codec.encode(text), ...(cut ? [] : [tasks.codec.eosTokenId])]),
    );
    const scores = await scoresOf(run, { prompt, completions });
    const rollouts = answers.map(({ text, reward, cut }, i): Rollout => {
      const finishReason = cut ? 'length' : 'eos';
      return {
        tokens: completions[i],
        logprobs: Float32Array.from(scores[i].logprobs),
        entropies: Float32Array.from(scores[i].entropies),
        keptLogMass: new Float32Array(completions[i].length),
        finishReason,
        text,
        verdict: tasks.verify(item, text, { finishReason }),
        rewardParts: [reward],
        reward,
      };
    });
    made.push({ item, prompt, rollouts, dead: hasEqualRewards({ rollouts }) });
  }
  return made;
}

/** What the policy says of one completion, in float64. */
export interface CompletionScores {
  /** [tokens] */
  readonly logprobs: Float64Array;
  /** [tokens] */
  readonly entropies: Float64Array;
}

/** Scores of each completion of a group under the weights, or under the reference. */
export async function scoresOf(
  { engine: { policy } }: TrainingRun,
  group: TokenGroup,
  {
    temperature = 1,
    which = 'policy',
  }: { readonly temperature?: number; readonly which?: 'policy' | 'reference' } = {},
): Promise<CompletionScores[]> {
  const { logprobs, refLogprobs, entropies } = policy.slots.results;
  const scores: CompletionScores[] = [];
  for (const tokens of group.completions) {
    // One by one: there may be no room for all of them.
    await policy.score(packBatch([{ prompt: group.prompt, completions: [tokens] }]), temperature, which);
    const read = (slot: typeof logprobs) => policy.engine.read(slot, tokens.length);
    const [scored, spread] = [await read(which === 'policy' ? logprobs : refLogprobs), await read(entropies)];
    scores.push({ logprobs: Float64Array.from(scored), entropies: Float64Array.from(spread) });
  }
  return scores;
}

/** The tokens of a group, as packing takes them. */
export function tokensOf({ prompt, rollouts }: RolloutGroup): TokenGroup {
  return { prompt, completions: rollouts.map(({ tokens }) => tokens) };
}

/** All weights, in float64: every one is trained. */
export async function weightsOf({ engine: { policy } }: TrainingRun): Promise<Float64Array> {
  return Float64Array.from(await policy.engine.read(policy.slots.weights.trainable));
}

/** The gradient of the last step, in float64. */
export async function gradientOf({ engine: { policy } }: TrainingRun): Promise<Float64Array> {
  const { gradients } = policy.slots;
  if (gradients === undefined) throw new Error('a policy opened for sampling has no gradient');
  return Float64Array.from(await policy.engine.read(gradients.all));
}

/** Moves every weight by a normal deviate of this size, so that the policy is no longer the one that sampled. */
export async function nudge(run: TrainingRun, deviation: number): Promise<void> {
  const weights = await weightsOf(run);
  const noise = normals([weights.length], 1, deviation);
  run.engine.policy.writeVector(
    'weights',
    weights.map((value, i) => value + noise[i]),
  );
}

/** Of the five-point formula: its truncation is of order STEP⁴, its rounding 1e-16/STEP. */
const STEP = 1e-4;

/**
 * dL/dw·v for a random v: of the last gradient, and of `loss` by central differences at the present weights, which are
 * there again afterwards. Also the gradient's norm, which is what an error of either is to be measured by.
 */
export async function slopes(
  run: TrainingRun,
  loss: () => Promise<number>,
): Promise<{ readonly gradient: number; readonly differences: number; readonly norm: number }> {
  const gradient = await gradientOf(run);
  const weights = await weightsOf(run);
  const direction = normals([weights.length], 2);
  const at = async (steps: number): Promise<number> => {
    run.engine.policy.writeVector(
      'weights',
      weights.map((value, i) => value + steps * STEP * direction[i]),
    );
    return loss();
  };
  const near = (await at(1)) - (await at(-1));
  const far = (await at(2)) - (await at(-2));
  run.engine.policy.writeVector('weights', weights);
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return {
    gradient: dot(gradient, direction),
    differences: (8 * near - far) / (12 * STEP),
    norm: Math.sqrt(dot(gradient, gradient)),
  };
}
