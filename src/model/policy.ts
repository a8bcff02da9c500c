/**
 * A policy: weights in an engine, and the programs that score, train and sample them.
 *
 * Programs are recorded once, at `open`, and replayed: a step copies its batch into the input slots, replays, and
 * reads a few results. Calls must not overlap.
 */
import { BackendError } from '../errors.ts';
import type { Backend, Engine, Program, ScaleRewards } from '../kernels/kernels.ts';
import { ADAMW, OBJECTIVE } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import { leadingRows, slotLength } from '../kernels/memory.ts';
import type { PackedBatch } from './batch.ts';
import type { Parameter } from './parameters.ts';
import type { BackwardSlots, Capacity, PolicyPlan, PolicySlots } from './plan.ts';
import { COUNTS, countOf, planPolicy } from './plan.ts';
import { backwardPass, forwardHead, forwardLayers, lossRows, sampleRows, scoreTargets } from './schedule.ts';
import type { ModelShape } from './shape.ts';

/** What a loss needs to know of each loss row of a batch. */
export interface ObjectiveRows {
  /** [loss rows], or 'current': the log-probs of this very pass, so that every ratio is exactly 1. */
  readonly oldLogprobs: Float32Array | 'current';
  /** [loss rows]; needed where klCoef is not 0 */
  readonly refLogprobs: Float32Array | undefined;
  /** [loss rows] share of a row in the step's loss; 0 masks it */
  readonly coefficients: Float32Array;
  /** [loss rows] share of a row's entropy in the step's bonus */
  readonly entropyCoefficients: Float32Array;
  /** [completions of the batch] */
  readonly advantages: Float32Array;
}

export interface ObjectiveSettings {
  readonly clipEpsilonLow: number;
  readonly clipEpsilonHigh: number;
  /** null: off */
  readonly clipDelta: number | null;
  readonly klCoef: number;
}

export interface OptimizerSettings {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly adamEps: number;
  readonly weightDecay: number;
  /** 0: no clipping */
  readonly maxGradNorm: number;
  /** Steps taken with these moments, this one included: 1 for the first. */
  readonly adamStep: number;
}

/** Per loss row, in the batch's order. */
export interface Scores {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
}

export interface ScoresWithLoss extends Scores {
  /** Each row's share of the step's loss; their sum over all micro-batches is the loss. */
  readonly losses: Float32Array;
}

interface Programs {
  /** One decoding step, or the prompts' prefill: forward, then a token for each sampled row. */
  readonly sample: Program;
  readonly score: Program;
  readonly training: TrainingPrograms | undefined;
}

interface TrainingPrograms {
  readonly scoreReference: Program | undefined;
  readonly copyReference: Program | undefined;
  readonly advantages: Readonly<Record<ScaleRewards, Program>>;
  readonly copyOldLogprobs: Program;
  readonly objective: Program;
  readonly backward: Program;
  readonly zeroGradients: Program;
  readonly optimize: Program;
}

export class Policy {
  readonly plan: PolicyPlan;
  readonly engine: Engine;
  readonly #programs: Programs;
  #gradientsAreStale = true;

  private constructor(plan: PolicyPlan, engine: Engine) {
    this.plan = plan;
    this.engine = engine;
    this.#programs = recordPrograms(engine, plan);
  }

  /** Allocates everything. @throws MemoryPlanError when it does not fit */
  static async open(backend: Backend, shape: ModelShape, capacity: Capacity): Promise<Policy> {
    const plan = planPolicy(shape, capacity);
    const policy = new Policy(plan, await backend.open(plan.memory));
    policy.#writeRotaryTables();
    return policy;
  }

  get shape(): ModelShape {
    return this.plan.shape;
  }

  get capacity(): Capacity {
    return this.plan.capacity;
  }

  get slots(): PolicySlots {
    return this.plan.slots;
  }

  /** Tensors under Hugging Face's names; a tied head is not listed. */
  get parameters(): readonly Parameter[] {
    return this.slots.weights.parameters;
  }

  /** cos and sin of position·θ^(−2i/hd), rounded once from float64. */
  #writeRotaryTables(): void {
    const half = this.shape.headDim / 2;
    const { context } = this.capacity;
    const angle = (i: number): number => Math.floor(i / half) * this.shape.ropeTheta ** (-(i % half) / half);
    this.engine.write(
      this.slots.cos,
      Float64Array.from({ length: context * half }, (_, i) => Math.cos(angle(i))),
    );
    this.engine.write(
      this.slots.sin,
      Float64Array.from({ length: context * half }, (_, i) => Math.sin(angle(i))),
    );
  }

  /** Replaces all weights: a flat vector in the layout of `plan.slots.weights`. */
  writeWeights(flat: ArrayLike<number>): void {
    this.engine.write(this.slots.weights.all, flat);
  }

  /** A copy of one flat parameter-shaped vector: weights, a moment, the reference. */
  async readVector(
    which: 'weights' | 'gradients' | 'firstMoment' | 'secondMoment' | 'reference',
  ): Promise<Float32Array> {
    const set = this.slots[which];
    if (set === undefined) throw new Error(`this policy holds no ${which}`);
    return Float32Array.from(await this.engine.read(set.all));
  }

  writeVector(which: 'firstMoment' | 'secondMoment' | 'reference', flat: ArrayLike<number>): void {
    const set = this.slots[which];
    if (set === undefined) throw new Error(`this policy holds no ${which}`);
    this.engine.write(set.all, flat);
  }

  /** Makes the current weights the reference of the KL term. */
  async copyToReference(): Promise<void> {
    const program = this.#training.copyReference;
    if (program === undefined) throw new Error('this policy was opened without a reference');
    await this.engine.replay(program);
  }

  get #training(): TrainingPrograms {
    const { training } = this.#programs;
    if (training === undefined) throw new Error('this policy was opened for sampling only');
    return training;
  }

  /** Copies a batch into the input slots; later calls work on it. */
  load(batch: PackedBatch, temperature: number): void {
    const last = batch.positions.reduce((most, position) => Math.max(most, position), 0);
    if (last >= this.capacity.context) {
      const opened = `this policy was opened for ${this.capacity.context} tokens`;
      throw new BackendError('context', `a sequence of ${last + 1} tokens — ${opened}; open it with a larger context.`);
    }
    const { inputs, results } = this.slots;
    const { engine } = this;
    const write = (slot: Slot, values: ArrayLike<number>): void => engine.write(slot, values);
    write(inputs.tokens, batch.tokens);
    write(inputs.positions, batch.positions);
    write(
      inputs.kvRows,
      Int32Array.from(batch.tokens, (_, row) => row),
    );
    write(inputs.intervals, batch.intervals);
    write(inputs.islands, batch.islands);
    write(inputs.sortedRows, batch.sortedRows);
    write(inputs.bucketTokens, batch.bucketTokens);
    write(inputs.bucketOffsets, batch.bucketOffsets);
    write(inputs.lossIndex, batch.lossIndex);
    write(inputs.lossOffsets, batch.lossOffsets);
    write(inputs.targets, batch.targets);
    write(inputs.completionOf, batch.completionOf);
    write(results.temperature, [temperature]);
    const counts = new Int32Array(COUNTS.length);
    counts[COUNTS.rows] = batch.rowCount;
    counts[COUNTS.lossRows] = batch.lossRowCount;
    counts[COUNTS.islands] = batch.islands.length - 1;
    counts[COUNTS.buckets] = batch.bucketTokens.length;
    write(inputs.counts, counts);
  }

  /** Log-probs and entropies of the batch's completion tokens under the weights, or under the reference. */
  async score(batch: PackedBatch, temperature: number, which: 'policy' | 'reference' = 'policy'): Promise<Scores> {
    this.load(batch, temperature);
    const program = which === 'policy' ? this.#programs.score : this.#training.scoreReference;
    if (program === undefined) throw new Error('this policy was opened without a reference');
    await this.engine.replay(program);
    const { results } = this.slots;
    return {
      logprobs: await this.#readRows(which === 'policy' ? results.logprobs : results.refLogprobs, batch),
      entropies: await this.#readRows(results.entropies, batch),
    };
  }

  async #readRows(slot: Slot, batch: PackedBatch): Promise<Float32Array> {
    return Float32Array.from(await this.engine.read(slot, batch.lossRowCount));
  }

  /**
   * One micro-batch of the clipped policy objective: forward, derivative per token, backward. Gradients add up
   * until `optimize`; nothing is read back between forward and backward.
   */
  async accumulate(
    batch: PackedBatch,
    temperature: number,
    rows: ObjectiveRows,
    settings: ObjectiveSettings,
  ): Promise<ScoresWithLoss> {
    const { results } = this.slots;
    this.load(batch, temperature);
    if (rows.oldLogprobs !== 'current') this.engine.write(results.oldLogprobs, rows.oldLogprobs);
    if (rows.refLogprobs !== undefined) this.engine.write(results.refLogprobs, rows.refLogprobs);
    this.engine.write(results.coefficients, rows.coefficients);
    this.engine.write(results.entropyCoefficients, rows.entropyCoefficients);
    this.engine.write(results.advantages, rows.advantages);
    this.engine.write(results.objective, objectiveSettings(settings));
    const { score } = this.#programs;
    const { objective, backward, copyOldLogprobs } = this.#training;
    const old = rows.oldLogprobs === 'current' ? [copyOldLogprobs] : [];
    await this.engine.replay(...this.#zeroGradientsOnce(), score, ...old, objective, backward);
    return this.#readScores(batch);
  }

  /** One micro-batch from derivatives that do not depend on this pass: SFT, or a host-side objective after `score`. */
  async accumulateFixed(
    batch: PackedBatch,
    temperature: number,
    derivatives: { readonly dLogprobs: Float32Array; readonly dEntropies: Float32Array },
  ): Promise<Scores> {
    const { results } = this.slots;
    this.load(batch, temperature);
    this.engine.write(results.dLogprobs, derivatives.dLogprobs);
    this.engine.write(results.dEntropies, derivatives.dEntropies);
    await this.engine.replay(...this.#zeroGradientsOnce(), this.#programs.score, this.#training.backward);
    return {
      logprobs: await this.#readRows(results.logprobs, batch),
      entropies: await this.#readRows(results.entropies, batch),
    };
  }

  async #readScores(batch: PackedBatch): Promise<ScoresWithLoss> {
    const { results } = this.slots;
    return {
      logprobs: await this.#readRows(results.logprobs, batch),
      entropies: await this.#readRows(results.entropies, batch),
      losses: await this.#readRows(results.losses, batch),
    };
  }

  #zeroGradientsOnce(): Program[] {
    if (!this.#gradientsAreStale) return [];
    this.#gradientsAreStale = false;
    return [this.#training.zeroGradients];
  }

  /**
   * One AdamW step with global-norm clipping. Where the norm is not finite nothing changes.
   * @returns the norm before clipping
   */
  async optimize(settings: OptimizerSettings): Promise<{ readonly gradNorm: number }> {
    const backward = this.slots.backward as BackwardSlots;
    this.engine.write(this.slots.results.adamw, adamwSettings(settings));
    await this.engine.replay(this.#training.optimize);
    this.#gradientsAreStale = true;
    return { gradNorm: (await this.engine.read(backward.gradNorm))[0] ?? Number.NaN };
  }

  /** Forgets what `accumulate` has added so far. */
  discardGradients(): void {
    this.#gradientsAreStale = true;
  }

  /** Group-relative advantages on the device; rewards group by group, `offsets` [groups + 1]. */
  async advantages(
    rewards: Float32Array,
    offsets: Int32Array,
    scale: ScaleRewards,
  ): Promise<{ readonly advantages: Float32Array; readonly dead: Int32Array }> {
    const { inputs, results } = this.slots;
    const groups = offsets.length - 1;
    this.engine.write(results.rewards, rewards);
    this.engine.write(inputs.groupOffsets, offsets);
    this.engine.write(inputs.counts, [groups], COUNTS.groups);
    await this.engine.replay(this.#training.advantages[scale]);
    return {
      advantages: Float32Array.from(await this.engine.read(results.advantages, rewards.length)),
      dead: Int32Array.from(await this.engine.read(inputs.dead, groups)),
    };
  }

  /** Forward over the rows in the input slots, then one sampled token a sampled row. `generation.ts` fills the slots. */
  async replaySample(): Promise<void> {
    await this.engine.replay(this.#programs.sample);
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}

function objectiveSettings(settings: ObjectiveSettings): Float32Array {
  const values = new Float32Array(OBJECTIVE.length);
  values[OBJECTIVE.clipEpsilonLow] = settings.clipEpsilonLow;
  values[OBJECTIVE.clipEpsilonHigh] = settings.clipEpsilonHigh;
  values[OBJECTIVE.clipDelta] = settings.clipDelta ?? 0;
  values[OBJECTIVE.klCoef] = settings.klCoef;
  return values;
}

function adamwSettings(settings: OptimizerSettings): Float64Array {
  const values = new Float64Array(ADAMW.length);
  values[ADAMW.learningRate] = settings.learningRate;
  values[ADAMW.beta1] = settings.beta1;
  values[ADAMW.beta2] = settings.beta2;
  values[ADAMW.epsilon] = settings.adamEps;
  values[ADAMW.weightDecay] = settings.weightDecay;
  values[ADAMW.biasCorrection1] = 1 - settings.beta1 ** settings.adamStep;
  values[ADAMW.biasCorrection2] = 1 - settings.beta2 ** settings.adamStep;
  values[ADAMW.maxGradNorm] = settings.maxGradNorm;
  return values;
}

function recordPrograms(engine: Engine, plan: PolicyPlan): Programs {
  const { slots, capacity } = plan;
  const { inputs, results, weights } = slots;
  const perSample = (slot: Slot): Slot => leadingRows(slot, capacity.completions);
  const sample = engine.record('sample', (kernels) => {
    forwardLayers(kernels, plan, weights, false);
    forwardHead(kernels, plan, weights, sampleRows(plan));
    kernels.sample({
      hidden: perSample(slots.hidden),
      weight: weights.head,
      sampling: results.sampling,
      key: inputs.samplingKey,
      rolloutNumbers: inputs.rolloutNumbers,
      counters: inputs.counters,
      tokens: inputs.sampled,
      logprobs: perSample(results.logprobs),
      entropies: perSample(results.entropies),
      keptLogMass: results.keptLogMass,
      rows: sampleRows(plan),
    });
  });
  const score = engine.record('score', (kernels) => {
    forwardLayers(kernels, plan, weights, capacity.training);
    forwardHead(kernels, plan, weights, lossRows(plan));
    scoreTargets(kernels, plan, weights, results.logprobs);
  });
  return { sample, score, training: capacity.training ? recordTraining(engine, plan) : undefined };
}

function recordTraining(engine: Engine, plan: PolicyPlan): TrainingPrograms {
  const { inputs, results, weights, reference } = plan.slots;
  const advantages = (scale: ScaleRewards): Program =>
    engine.record(`advantages ${scale}`, (kernels) => {
      const groups = countOf(inputs, 'groups');
      const { rewards, advantages: out } = results;
      kernels.groupAdvantages({
        rewards,
        offsets: inputs.groupOffsets,
        groups,
        scale,
        advantages: out,
        dead: inputs.dead,
      });
    });
  return {
    scoreReference:
      reference &&
      engine.record('score reference', (kernels) => {
        forwardLayers(kernels, plan, reference, false);
        forwardHead(kernels, plan, reference, lossRows(plan));
        scoreTargets(kernels, plan, reference, results.refLogprobs);
      }),
    copyReference: reference && engine.record('copy reference', (k) => k.copy({ x: weights.all, out: reference.all })),
    advantages: { group: advantages('group'), batch: advantages('batch'), none: advantages('none') },
    copyOldLogprobs: engine.record('old log-probs', (k) => k.copy({ x: results.logprobs, out: results.oldLogprobs })),
    objective: engine.record('objective', (kernels) => {
      kernels.policyObjective({
        ...results,
        completionOf: inputs.completionOf,
        settings: results.objective,
        rows: lossRows(plan),
      });
    }),
    backward: engine.record('backward', (kernels) => backwardPass(kernels, plan)),
    ...recordOptimizer(engine, plan),
  };
}

function recordOptimizer(engine: Engine, plan: PolicyPlan): Pick<TrainingPrograms, 'zeroGradients' | 'optimize'> {
  const { weights, gradients, firstMoment, secondMoment, embeddingGradient, backward, results } = plan.slots;
  if (!gradients || !firstMoment || !secondMoment || !backward) throw new Error('planned without training');
  return {
    zeroGradients: engine.record('zero gradients', (kernels) => {
      kernels.fill({ out: gradients.all, value: 0 });
      if (embeddingGradient) kernels.fill({ out: embeddingGradient, value: 0 });
    }),
    optimize: engine.record('optimize', (kernels) => {
      if (embeddingGradient) kernels.add({ x: embeddingGradient, out: gradients.embedding });
      kernels.gradientNorm({ gradients: gradients.all, partials: backward.normPartials, norm: backward.gradNorm });
      kernels.adamw({
        parameters: weights.all,
        gradients: gradients.all,
        firstMoment: firstMoment.all,
        secondMoment: secondMoment.all,
        norm: backward.gradNorm,
        settings: results.adamw,
        decayLength: weights.decayLength,
      });
    }),
  };
}

/** Splits a flat parameter-shaped vector into named tensors (views). */
export function namedTensors(
  parameters: readonly Parameter[],
  flat: Float32Array,
): { readonly name: string; readonly shape: readonly number[]; readonly data: Float32Array }[] {
  return parameters.map(({ name, slot }) => ({
    name,
    shape: slot.shape,
    data: flat.subarray(slot.offset, slot.offset + slotLength(slot)),
  }));
}
