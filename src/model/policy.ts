/**
 * A policy: weights in an engine, and the operations that score, train and sample them.
 *
 * Programs (`programs.ts`) are recorded once, at `open`, and replayed: a step copies its batch into the input slots,
 * replays, and reads a few results. Calls must not overlap.
 */
import { BackendError } from '../errors.ts';
import type { Backend, Engine, Program, ScaleRewards } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import type { PackedBatch, TokenGroup } from './batch.ts';
import { KeptRows, type RolloutRows } from './kept_rollouts.ts';
import type { IsTrainable, Parameter } from './parameters.ts';
import type { BackwardSlots, Capacity, PolicyPlan, PolicySlots } from './plan.ts';
import { COUNTS, planPolicy } from './plan.ts';
import type { KeepingPrograms, ObjectiveSettings, OptimizerSettings, Programs, TrainingPrograms } from './programs.ts';
import { adamwSettings, objectiveSettings, recordPrograms } from './programs.ts';
import { rotaryFrequencies } from './rotary.ts';
import type { ModelShape } from './shape.ts';

/** What a loss needs to know of each loss row of a batch. */
export interface ObjectiveRows {
  /** [loss rows], or 'current': the log-probs of this very pass, so that every ratio is exactly 1. */
  readonly oldLogprobs: Float32Array | 'current';
  /** [loss rows]; needed by a KL term */
  readonly refLogprobs: Float32Array | undefined;
  /** [loss rows] share of a row in the step's loss; 0 masks it */
  readonly coefficients: Float32Array;
  /** [loss rows] share of a row's entropy in the step's bonus */
  readonly entropyCoefficients: Float32Array;
  /** [loss rows] */
  readonly advantages: Float32Array;
}

/** The loss by each row's log-prob and entropy: [loss rows] each, in the batch's order. */
export interface ScoreDerivatives {
  readonly dLogprobs: Float32Array;
  readonly dEntropies: Float32Array;
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

/** Vectors in the layout of `plan.slots.weights.trainable`. */
export type TrainedVector = 'weights' | 'gradients' | 'firstMoment' | 'secondMoment' | 'reference';

export class Policy {
  readonly plan: PolicyPlan;
  readonly engine: Engine;
  readonly #programs: Programs;
  readonly #kept = new KeptRows();
  #gradientsAreStale = true;
  /** Loss rows of the forward pass whose `backward` is still to come. */
  #forwardRows: number | undefined;
  /** The sampler whose keys and values the cache holds. */
  #cacheOwner: object | undefined;

  private constructor(plan: PolicyPlan, engine: Engine) {
    this.plan = plan;
    this.engine = engine;
    this.#programs = recordPrograms(engine, plan);
  }

  /**
   * Allocates everything; weights are 0.
   *
   * @param isTrainable  asked for each tensor by its name; what is not stays as it is written. Default: all are trained
   * @throws MemoryPlanError when it does not fit
   */
  static async open(
    backend: Backend,
    shape: ModelShape,
    capacity: Capacity,
    isTrainable?: IsTrainable,
  ): Promise<Policy> {
    const plan = planPolicy(shape, { stepsPerRead: backend.stepsPerRead, ...capacity }, isTrainable);
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

  /** cos and sin of position·frequency, rounded once from float64. */
  #writeRotaryTables(): void {
    const frequencies = rotaryFrequencies(this.shape);
    const half = frequencies.length;
    const { context } = this.capacity;
    const angle = (i: number): number => Math.floor(i / half) * frequencies[i % half];
    this.engine.write(
      this.slots.cos,
      Float64Array.from({ length: context * half }, (_, i) => Math.cos(angle(i))),
    );
    this.engine.write(
      this.slots.sin,
      Float64Array.from({ length: context * half }, (_, i) => Math.sin(angle(i))),
    );
  }

  /**
   * Writes weights of one tensor.
   * @param at  element of the tensor that the first value goes to
   */
  writeParameter({ slot }: Parameter, values: ArrayLike<number>, at = 0): void {
    this.#endPass();
    this.engine.write(slot, values, at);
  }

  /** A copy of one tensor's weights. */
  async readParameter({ slot }: Parameter): Promise<Float32Array> {
    return Float32Array.from(await this.engine.read(slot));
  }

  /** A copy of what is trained as one flat vector: its weights, gradients, a moment, or its reference. */
  async readVector(which: TrainedVector): Promise<Float32Array> {
    return Float32Array.from(await this.engine.read(this.#vector(which)));
  }

  /** Replaces such a vector. */
  writeVector(which: TrainedVector, flat: ArrayLike<number>): void {
    if (which === 'weights') this.#endPass();
    this.engine.write(this.#vector(which), flat);
  }

  #vector(which: TrainedVector): Slot {
    const { weights, gradients, firstMoment, secondMoment, reference } = this.slots;
    const vectors = {
      weights: weights.trainable,
      gradients: gradients?.all,
      firstMoment,
      secondMoment,
      reference: reference?.trainable,
    };
    const slot = vectors[which];
    if (slot === undefined) throw new Error(`this policy holds no ${which}`);
    return slot;
  }

  /** Makes the current weights the reference of the KL term. */
  async copyToReference(): Promise<void> {
    const program = this.#training.copyReference;
    if (program === undefined) throw new Error('this policy was opened without a reference');
    await this.engine.replay(program);
  }

  /** Moves the reference towards the current weights: share·weights + (1 − share)·reference. */
  async mixIntoReference(share: number): Promise<void> {
    const { mixReference } = this.#training;
    const { mixShare } = this.slots;
    if (mixReference === undefined || mixShare === undefined) {
      throw new Error('this policy was opened without a reference');
    }
    this.engine.write(mixShare, [share]);
    await this.engine.replay(mixReference);
  }

  get #training(): TrainingPrograms {
    const { training } = this.#programs;
    if (training === undefined) throw new Error('this policy was opened for sampling only');
    return training;
  }

  /** Copies a batch into the input slots; later calls work on it. */
  load(batch: PackedBatch, temperature: number): void {
    this.#forwardRows = undefined;
    const last = batch.positions.reduce((most, position) => Math.max(most, position), 0);
    if (last >= this.capacity.context) {
      const opened = `this policy was opened for ${this.capacity.context} tokens`;
      throw new BackendError('context', `a sequence of ${last + 1} tokens — ${opened}; open it with a larger context.`);
    }
    this.#cacheOwner = undefined; // training rows may share its memory, and a reference scores in it
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
    write(inputs.prefixGroups, batch.prefixGroups);
    write(inputs.sortedRows, batch.sortedRows);
    write(inputs.bucketTokens, batch.bucketTokens);
    write(inputs.bucketOffsets, batch.bucketOffsets);
    write(inputs.lossIndex, batch.lossIndex);
    write(inputs.lossOffsets, batch.lossOffsets);
    write(inputs.targets, batch.targets);
    write(results.temperature, [temperature]);
    const counts = new Int32Array(COUNTS.length);
    counts[COUNTS.rows] = batch.rowCount;
    counts[COUNTS.lossRows] = batch.lossRowCount;
    counts[COUNTS.prefixGroups] = batch.prefixGroups.length - 1;
    counts[COUNTS.buckets] = batch.bucketTokens.length;
    write(inputs.counts, counts);
  }

  /** Log-probs and entropies of the batch's completion tokens under the weights, or under the reference. */
  async score(batch: PackedBatch, temperature: number, which: 'policy' | 'reference' = 'policy'): Promise<Scores> {
    this.forgetKept();
    this.load(batch, temperature);
    const program = which === 'policy' ? this.#programs.score : this.#training.scoreReference;
    if (program === undefined) throw new Error('this policy was opened without a reference');
    await this.engine.replay(program);
    const { results } = this.slots;
    return this.#readScores(which === 'policy' ? results.logprobs : results.refLogprobs, batch);
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
    const { objective, backward, copyOldLogprobs } = this.#training;
    const score = this.#scoreOf(batch);
    const old = rows.oldLogprobs === 'current' ? [copyOldLogprobs] : [];
    await this.engine.replay(...this.#zeroGradientsOnce(), score, ...old, objective, backward);
    // Asked for together, they come back in one transfer where reading is one.
    const [scores, losses] = await Promise.all([
      this.#readScores(results.logprobs, batch),
      this.#readRows(results.losses, batch),
    ]);
    return { ...scores, losses };
  }

  /**
   * The forward pass of one micro-batch whose objective is computed on the host; kept rollouts stand in for it as in
   * `accumulate`. `backward` reads what it leaves in the engine, so nothing else may be asked of the policy in between.
   */
  async forward(batch: PackedBatch, temperature: number): Promise<Scores> {
    this.load(batch, temperature);
    await this.engine.replay(...this.#zeroGradientsOnce(), this.#scoreOf(batch));
    this.#forwardRows = batch.lossRowCount;
    return this.#readScores(this.slots.results.logprobs, batch);
  }

  /**
   * From derivatives per loss row of the batch of `forward` to every gradient; gradients add up until `optimize`.
   * @throws Error where no `forward` stands before it, or another call has used its rows since
   */
  async backward({ dLogprobs, dEntropies }: ScoreDerivatives): Promise<void> {
    const { results } = this.slots;
    const rows = this.#forwardRows;
    if (rows === undefined) {
      throw new Error('backward without its forward pass: call forward first, and nothing between the two');
    }
    if (dLogprobs.length !== rows || dEntropies.length !== rows) {
      const given = `${dLogprobs.length} dLogprobs and ${dEntropies.length} dEntropies`;
      throw new Error(`backward was given ${given} for a batch of ${rows} loss rows: one of each per loss row`);
    }
    this.#forwardRows = undefined;
    this.engine.write(results.dLogprobs, dLogprobs);
    this.engine.write(results.dEntropies, dEntropies);
    await this.engine.replay(this.#training.backward);
  }

  async #readScores(logprobSlot: Slot, batch: PackedBatch): Promise<Scores> {
    const [logprobs, entropies] = await Promise.all([
      this.#readRows(logprobSlot, batch),
      this.#readRows(this.slots.results.entropies, batch),
    ]);
    return { logprobs, entropies };
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
    this.#endPass();
    return { gradNorm: (await this.engine.read(backward.gradNorm))[0] ?? Number.NaN };
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
    const [advantages, dead] = await Promise.all([
      this.engine.read(results.groupAdvantages, rewards.length),
      this.engine.read(inputs.dead, groups),
    ]);
    return { advantages: Float32Array.from(advantages), dead: Int32Array.from(dead) };
  }

  /** The kept forward pass where it is this batch's; it is trusted from the second time on. */
  #scoreOf(batch: PackedBatch): Program {
    const { score, keeping } = this.#programs;
    const kept = this.#kept.holds(batch);
    this.#kept.forget(); // the backward that follows is its last reader
    return kept && keeping !== undefined ? keeping.scoreKept : score;
  }

  /**
   * Whoever samples claims the key/value cache, with the slots that `sample` reads, before each of its steps.
   * @returns whether it had it: nobody else sampled, scored, trained or wrote weights since its last claim
   */
  claimCache(owner: object | undefined): boolean {
    const had = this.#cacheOwner === owner;
    this.#cacheOwner = owner;
    return had;
  }

  /**
   * Forward over the rows in the input slots, then one sampled token per sampled row. `decoder.ts` fills the slots.
   * @param keep the rows are those of `slots.rollout`
   * @param feed their tokens are those that were sampled last
   */
  async replaySample({ keep, feed }: { readonly keep: boolean; readonly feed: boolean }): Promise<void> {
    const { sample, keeping, ahead } = this.#programs;
    this.#forwardRows = undefined;
    if (!keep) this.forgetKept(); // both use the same rows
    const programs = [
      feed ? (keep ? ahead?.feedKept : ahead?.feed) : undefined,
      keep ? keeping?.rollout : sample,
      ahead?.remember,
    ];
    await this.engine.replay(...programs.filter((program) => program !== undefined));
  }

  /** Decoding steps between two reads, at most. */
  get stepsPerRead(): number {
    return this.capacity.stepsPerRead ?? 1;
  }

  /** Whether rollouts can leave their activations for the update. */
  get keepsRollouts(): boolean {
    return this.#programs.keeping !== undefined;
  }

  /**
   * Appends groups that have just been rolled out to the batch whose forward pass is kept: `accumulate` or `forward` of
   * exactly these groups, in this order, under the same weights, then skips it. Anything else that touches weights or
   * training rows forgets them. Groups beyond the row capacity are not kept.
   */
  async keep(groups: readonly TokenGroup[], places: readonly RolloutRows[]): Promise<void> {
    const { inputs } = this.slots;
    const { begin, rows, kvRows } = this.#kept.add(groups, places, this.capacity.rows);
    if (rows.length === 0) return;
    this.#forwardRows = undefined;
    this.engine.write(inputs.keptFrom, rows, begin);
    this.engine.write(inputs.keptKvFrom, kvRows, begin);
    this.engine.write(inputs.counts, [begin, begin + rows.length], COUNTS.keptBegin);
    await this.engine.replay((this.#programs.keeping as KeepingPrograms).keep);
  }

  /** The weights change: no forward pass of theirs is of use. */
  #endPass(): void {
    this.#forwardRows = undefined;
    this.#cacheOwner = undefined;
    this.forgetKept();
  }

  /** The next `keep` begins a new batch. */
  forgetKept(): void {
    this.#kept.forget();
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}
