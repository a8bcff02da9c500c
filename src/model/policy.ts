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
import { logSoftmaxRows } from './distributions.ts';
import type { Capacity } from './memory/capacity.ts';
import type { DistributionSlots } from './memory/distribution_slots.ts';
import type { PolicyPlan, Trained } from './memory/plan.ts';
import { planPolicy } from './memory/plan.ts';
import type { BackwardSlots, PolicySlots } from './memory/slots.ts';
import { COUNTS } from './memory/slots.ts';
import type { Parameter } from './parameters.ts';
import type {
  KeepingPrograms,
  MovePrograms,
  ObjectiveSettings,
  OptimizerSettings,
  Programs,
  TrainingPrograms,
} from './programs.ts';
import { adamwSettings, objectiveSettings, recordPrograms } from './programs.ts';
import { rotaryTables } from './rotary.ts';
import { KeptRows, type RolloutRows } from './sampling/kept_rollouts.ts';
import type { ObjectiveRows, ScoreDerivatives, ScoreOptions, Scores, ScoresWithLoss } from './scores.ts';
import type { ModelShape } from './shape.ts';
import { writeBatch } from './write_batch.ts';

export type { ObjectiveRows, ScoreDerivatives, ScoreOptions, Scores, ScoresWithLoss } from './scores.ts';

/** Vectors in the layout of `plan.slots.weights.trainable`. */
export type TrainedVector = 'weights' | 'gradients' | 'firstMoment' | 'secondMoment' | SetName;

/** The name of a parameter set that the policy was opened with. */
export type SetName = string & Record<never, never>;

interface ForwardPass {
  /** Loss rows. */
  readonly rows: number;
  readonly temperature: number;
  readonly distributions: boolean;
}

/** A policy that is open on a backend: it samples, scores and trains. Close it, or its memory and threads stay. */
export class Policy {
  readonly plan: PolicyPlan;
  readonly engine: Engine;
  readonly #programs: Programs;
  readonly #kept = new KeptRows();
  #gradientsAreStale = true;
  /** The forward pass whose `backward` is still to come. */
  #forward: ForwardPass | undefined;
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
   * @param trained  by default every tensor; what is not trained stays as it is written
   * @throws MemoryPlanError when it does not fit
   */
  static async open(backend: Backend, shape: ModelShape, capacity: Capacity, trained?: Trained): Promise<Policy> {
    const plan = planPolicy(shape, { stepsPerRead: backend.stepsPerRead, ...capacity }, trained);
    const policy = new Policy(plan, await backend.open(plan.memory));
    const { cos, sin } = rotaryTables(shape, capacity.context);
    policy.engine.write(policy.slots.cos, cos);
    policy.engine.write(policy.slots.sin, sin);
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

  /** The model's tensors under Hugging Face's names; a tied head is not listed. */
  get parameters(): readonly Parameter[] {
    return this.slots.weights.parameters;
  }

  /**
   * The tensors of adapters, `….self_attn.q_proj.lora_A.weight` [r, in] and `….lora_B.weight` [out, r], layer by layer;
   * none where the policy was opened without.
   */
  get adapterParameters(): readonly Parameter[] {
    return this.slots.weights.adapterParameters;
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
    const { weights, gradients, firstMoment, secondMoment, sets } = this.slots;
    const vectors = new Map([
      ['weights', weights.trainable],
      ['gradients', gradients?.all],
      ['firstMoment', firstMoment],
      ['secondMoment', secondMoment],
    ]);
    const slot = vectors.has(which) ? vectors.get(which) : sets.get(which)?.trainable;
    if (slot === undefined) throw new Error(`this policy holds no ${which}`);
    return slot;
  }

  /** Makes one parameter set a copy of another, or of the weights. @throws Error where the policy was opened without one of them */
  async copySet(to: SetName, from: SetName | 'policy'): Promise<void> {
    await this.engine.replay(this.#move(to, from).copy);
  }

  /** to = share·from + (1 − share)·to. @throws Error where the policy was opened without one of them */
  async mixSet(to: SetName, from: SetName | 'policy', share: number): Promise<void> {
    const { mix } = this.#move(to, from);
    this.engine.write(this.slots.mixShare as Slot, [share]); // planned with any set
    await this.engine.replay(mix);
  }

  #move(to: SetName, from: SetName | 'policy'): MovePrograms {
    const found = this.#training.moves.find((move) => move.to === to && move.from === from);
    if (found === undefined) throw new Error(`this policy was opened without a ${this.slots.sets.has(to) ? from : to}`);
    return found;
  }

  get #training(): TrainingPrograms {
    const { training } = this.#programs;
    if (training === undefined) throw new Error('this policy was opened for sampling only');
    return training;
  }

  /** Copies a batch into the input slots; later calls work on it. */
  load(batch: PackedBatch, temperature: number): void {
    this.#forward = undefined;
    const last = batch.positions.reduce((most, position) => Math.max(most, position), 0);
    if (last >= this.capacity.context) {
      const opened = `this policy was opened for ${this.capacity.context} tokens`;
      throw new BackendError('context', `a sequence of ${last + 1} tokens — ${opened}; open it with a larger context.`);
    }
    this.#cacheOwner = undefined; // training rows may share its memory, and a reference scores in it
    writeBatch(this.engine, this.slots, batch, temperature);
  }

  /** Log-probs and entropies of the batch's completion tokens under the weights, or under another set. */
  async score(
    batch: PackedBatch,
    temperature: number,
    which: SetName | 'policy' = 'policy',
    { distributions = false }: ScoreOptions = {},
  ): Promise<Scores> {
    const logits = distributions ? this.#logitsOf(batch, which) : undefined;
    this.forgetKept();
    this.load(batch, temperature);
    const program = which === 'policy' ? this.#programs.score : this.#scoreOfSet(which);
    await this.engine.replay(program, ...(logits ? [logits] : []));
    const { results } = this.slots;
    const scores = await this.#readScores(which === 'policy' ? results.logprobs : results.refLogprobs, batch);
    return logits ? { ...scores, distributions: await this.#readDistributions(batch, temperature) } : scores;
  }

  #scoreOfSet(which: SetName): Program {
    const program = this.#training.scoreSet.get(which);
    if (program === undefined) throw new Error(`this policy was opened without a ${which}`);
    return program;
  }

  /** @throws Error where the batch has more loss rows than there is room for */
  #logitsOf({ lossRowCount }: PackedBatch, which: SetName | 'policy'): Program {
    const program = this.#programs.distributions?.logits.get(which);
    const room = this.capacity.distributionRows ?? 0;
    if (program === undefined) throw new Error(`this policy was opened without distributions of the ${which}`);
    if (lossRowCount > room) {
      throw new Error(`distributions of ${lossRowCount} loss rows: this policy was opened for ${room}; cut the batch`);
    }
    return program;
  }

  async #readDistributions({ lossRowCount }: PackedBatch, temperature: number): Promise<Float32Array> {
    const { logits } = this.slots.distributions as DistributionSlots; // a program of theirs was found
    const { vocabSize } = this.shape;
    return logSoftmaxRows(await this.engine.read(logits, lossRowCount * vocabSize), vocabSize, temperature);
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
  async forward(
    batch: PackedBatch,
    temperature: number,
    { distributions = false }: ScoreOptions = {},
  ): Promise<Scores> {
    const logits = distributions ? [this.#logitsOf(batch, 'policy')] : [];
    this.load(batch, temperature);
    await this.engine.replay(...this.#zeroGradientsOnce(), this.#scoreOf(batch), ...logits);
    this.#forward = { rows: batch.lossRowCount, temperature, distributions };
    const scores = await this.#readScores(this.slots.results.logprobs, batch);
    return distributions ? { ...scores, distributions: await this.#readDistributions(batch, temperature) } : scores;
  }

  /**
   * From derivatives per loss row of the batch of `forward` to every gradient; gradients add up until `optimize`.
   * @throws Error where no `forward` stands before it, or another call has used its rows since
   */
  async backward({ dLogprobs, dEntropies, dLogits }: ScoreDerivatives): Promise<void> {
    const { results, distributions } = this.slots;
    const pass = this.#forward;
    if (pass === undefined) {
      throw new Error('backward without its forward pass: call forward first, and nothing between the two');
    }
    const { rows, temperature } = pass;
    if (dLogprobs.length !== rows || dEntropies.length !== rows) {
      const given = `${dLogprobs.length} dLogprobs and ${dEntropies.length} dEntropies`;
      throw new Error(`backward was given ${given} for a batch of ${rows} loss rows: one of each per loss row`);
    }
    if (dLogits !== undefined) {
      const wanted = rows * this.shape.vocabSize;
      if (!pass.distributions) throw new Error('backward was given dLogits, and its forward gave no distributions');
      if (dLogits.length !== wanted) throw new Error(`backward was given ${dLogits.length} dLogits: ${wanted} of them`);
    }
    this.#forward = undefined;
    this.engine.write(results.dLogprobs, dLogprobs);
    this.engine.write(results.dEntropies, dEntropies);
    const withLogits = dLogits && this.#programs.distributions?.backward;
    if (dLogits !== undefined && distributions !== undefined) {
      this.engine.write(
        distributions.logits,
        temperature === 1 ? dLogits : dLogits.map((value) => value / temperature),
      );
    }
    await this.engine.replay(withLogits ?? this.#training.backward);
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
    this.#forward = undefined;
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
    this.#forward = undefined;
    this.engine.write(inputs.keptFrom, rows, begin);
    this.engine.write(inputs.keptKvFrom, kvRows, begin);
    this.engine.write(inputs.counts, [begin, begin + rows.length], COUNTS.keptBegin);
    await this.engine.replay((this.#programs.keeping as KeepingPrograms).keep);
  }

  /** The weights change: no forward pass of theirs is of use. */
  #endPass(): void {
    this.#forward = undefined;
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
