/**
 * A policy: weights in an engine, and the operations that score, train and sample them.
 *
 * Programs (`programs.ts`) are recorded once, at `open`, and replayed: a step copies its batch into the input slots,
 * replays, and reads a few results. Calls must not overlap.
 */
import type { Backend, Engine, Program } from '../kernels/engine.ts';
import type { ScaleRewards } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import type { StoredValues } from '../kernels/storage.ts';
import type { PackedBatch, TokenGroup } from './batch.ts';
import { DerivedWeights } from './derived_weights.ts';
import type { Capacity } from './memory/capacity.ts';
import type { PolicyPlan, Trained } from './memory/plan.ts';
import { planFor } from './memory/plan.ts';
import type { BackwardSlots, PolicySlots, RotarySlots } from './memory/slots.ts';
import { COUNTS } from './memory/slots.ts';
import { adamwSettings, muonSettings, type OptimizerSettings } from './optimizer.ts';
import {
  backwardPrograms,
  checkDerivatives,
  type ForwardPass,
  outputPrograms,
  outputsOf,
  writeDerivatives,
} from './outputs/asked.ts';
import type { OutputName } from './outputs/names.ts';
import { findMove, type SetName, type TrainedVector, vectorSlot } from './parameter_vectors.ts';
import type { Parameter } from './parameters.ts';
import type { KeepingPrograms, ObjectiveSettings, Programs, TrainingPrograms } from './programs.ts';
import { objectiveSettings, recordPrograms } from './programs.ts';
import { readRows, readScores } from './read_scores.ts';
import { otherRotaryTables, type RotaryTables, rotaryTables } from './rotary.ts';
import { type CacheCopy, writeCopies } from './sampling/cache_copies.ts';
import { KeptRows, type RolloutRows, writeKept } from './sampling/kept_rollouts.ts';
import { SampleSteps } from './sampling/sample_steps.ts';
import type { StepSettings } from './sampling/settings.ts';
import type { ObjectiveRows, ScoreDerivatives, Scores, ScoresWithLoss } from './scores.ts';
import type { ModelShape } from './shape.ts';
import { requireContext, writeBatch } from './write_batch.ts';

export type { OutputName } from './outputs/names.ts';
export type { SetName, TrainedVector } from './parameter_vectors.ts';
export type { ObjectiveRows, ScoreDerivatives, Scores, ScoresWithLoss } from './scores.ts';

/** A policy that is open on a backend: it samples, scores and trains. Close it, or its memory and threads stay. */
export class Policy {
  readonly plan: PolicyPlan;
  readonly engine: Engine;
  readonly #programs: Programs;
  readonly #kept = new KeptRows();
  #gradientsAreStale = true;
  readonly #derived: DerivedWeights;
  /** The forward pass whose `backward` is still to come. */
  #forward: ForwardPass | undefined;
  /** The sampler whose keys and values the cache holds. */
  #cacheOwner: object | undefined;

  private constructor(plan: PolicyPlan, engine: Engine) {
    this.plan = plan;
    this.engine = engine;
    this.#programs = recordPrograms(engine, plan);
    this.#derived = new DerivedWeights(engine, plan.slots, this.#programs.derive);
  }

  /**
   * Allocates everything; weights are 0.
   *
   * @param trained  by default every tensor; what is not trained stays as it is written
   * @throws MemoryPlanError when it does not fit
   */
  static async open(backend: Backend, shape: ModelShape, capacity: Capacity, trained?: Trained): Promise<Policy> {
    const plan = planFor(backend, shape, capacity, trained);
    const policy = new Policy(plan, await backend.open(plan.memory));
    policy.#writeConstants();
    return policy;
  }

  #writeConstants(): void {
    const { slots, shape, capacity, engine } = this;
    const writeRotary = (to: RotarySlots, { cos, sin }: RotaryTables): void => {
      engine.write(to.cos, cos);
      engine.write(to.sin, sin);
    };
    writeRotary(slots, rotaryTables(shape, capacity.context));
    const other = otherRotaryTables(shape, capacity.context);
    if (slots.otherRotary && other) writeRotary(slots.otherRotary, other);
    if (slots.branchScale)
      engine.write(slots.branchScale, Array(shape.hiddenSize).fill(shape.family?.branchScale ?? 1));
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
   * Writes weights of one tensor: numbers, or elements as files and engines keep them.
   * @param at  element of the tensor that the first value goes to
   */
  writeParameter({ slot }: Parameter, values: ArrayLike<number> | StoredValues, at = 0): void {
    this.#endPass(slot);
    this.engine.write(slot, values, at);
  }

  /** A copy of one tensor's weights. */
  async readParameter({ slot }: Parameter): Promise<Float32Array> {
    return Float32Array.from(await this.engine.read(slot));
  }

  /** A copy of one flat vector of the trained part: weights, gradients, a moment, or a parameter set. */
  async readVector(which: TrainedVector): Promise<Float32Array> {
    return Float32Array.from(await this.engine.read(vectorSlot(this.slots, which)));
  }

  /** Replaces such a vector. */
  writeVector(which: TrainedVector, flat: ArrayLike<number>): void {
    if (which === 'weights') this.#endPass();
    this.engine.write(vectorSlot(this.slots, which), flat);
  }

  /** Makes one parameter set a copy of another, or of the weights. @throws Error where the policy was opened without one of them */
  async copySet(to: SetName, from: SetName | 'policy'): Promise<void> {
    await this.engine.replay(findMove(this.#training.moves, to, from).copy);
  }

  /** to = share·from + (1 − share)·to. @throws Error where the policy was opened without one of them */
  async mixSet(to: SetName, from: SetName | 'policy', share: number): Promise<void> {
    const { mix } = findMove(this.#training.moves, to, from);
    this.engine.write(this.slots.mixShare as Slot, [share]); // planned with any set
    await this.engine.replay(mix);
  }

  get #training(): TrainingPrograms {
    const { training } = this.#programs;
    if (training === undefined) throw new Error('this policy was opened for sampling only');
    return training;
  }

  /** Copies a batch into the input slots; later calls work on it. */
  load(batch: PackedBatch, temperature: number): void {
    this.#forward = undefined;
    requireContext(batch, this.capacity);
    this.#cacheOwner = undefined; // training rows may share its memory, and a reference scores in it
    writeBatch(this.engine, this.plan, batch, temperature);
  }

  /**
   * Log-probs and entropies of the batch's completion tokens under the weights, or under another set.
   * @param outputs  further outputs, for which the capacity needs room for the batch's rows
   */
  async score(
    batch: PackedBatch,
    temperature: number,
    which: SetName | 'policy' = 'policy',
    outputs: readonly OutputName[] = [],
  ): Promise<Scores> {
    const further = outputPrograms(this.#programs, this.capacity, outputsOf(batch, outputs), batch, which);
    this.forgetKept();
    this.load(batch, temperature);
    await (which === 'policy' ? this.#derived.refresh() : this.#derived.giveWay());
    await this.engine.replay(which === 'policy' ? this.#programs.score : this.#scoreOfSet(which), ...further);
    const { logprobs: own, refLogprobs } = this.slots.results;
    const request = { logprobs: which === 'policy' ? own : refLogprobs, temperature, asked: outputs };
    return (await readScores(this.engine, this.plan, request, batch)).scores;
  }

  #scoreOfSet(which: SetName): Program {
    const program = this.#training.scoreSet.get(which);
    if (program === undefined) throw new Error(`this policy was opened without a ${which}`);
    return program;
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
    const { objective, backwardTargets, backward, copyOldLogprobs } = this.#training;
    const score = this.#scoreOf(batch);
    await this.#derived.refresh();
    const old = rows.oldLogprobs === 'current' ? [copyOldLogprobs] : [];
    await this.engine.replay(...this.#zeroGradientsOnce(), score, ...old, objective, backwardTargets, backward);
    // Requested together, they come back in one transfer.
    const [{ scores }, losses] = await Promise.all([
      readScores(this.engine, this.plan, { logprobs: results.logprobs, temperature, asked: [] }, batch),
      readRows(this.engine, results.losses, batch),
    ]);
    return { ...scores, losses };
  }

  /**
   * The forward pass of one micro-batch whose objective is computed on the host; kept rollouts stand in for it as in
   * `accumulate`. `backward` reads its results in the engine, so no other call may come in between.
   *
   * @param outputs  as those of `score`
   */
  async forward(batch: PackedBatch, temperature: number, outputs: readonly OutputName[] = []): Promise<Scores> {
    const computed = outputsOf(batch, outputs);
    const further = outputPrograms(this.#programs, this.capacity, computed, batch, 'policy');
    this.load(batch, temperature);
    await this.#derived.refresh();
    await this.engine.replay(...this.#zeroGradientsOnce(), this.#scoreOf(batch), ...further);
    const read = { logprobs: this.slots.results.logprobs, temperature, asked: outputs };
    const { scores, widen } = await readScores(this.engine, this.plan, read, batch);
    this.#forward = { rows: batch.lossRowCount, temperature, outputs: computed, widen };
    return scores;
  }

  /**
   * Turns derivatives by the results of `forward` into gradients, which add up until `optimize`.
   * @throws Error where no `forward` precedes it, or another call has used its rows since
   */
  async backward(given: ScoreDerivatives): Promise<void> {
    const { results } = this.slots;
    const pass = this.#forward;
    if (pass === undefined) {
      throw new Error('backward without its forward pass: call forward first, and nothing between the two');
    }
    checkDerivatives(pass, this.shape, given);
    this.#forward = undefined;
    const derivatives = pass.widen?.(given) ?? given;
    const { logprobs = new Float32Array(pass.rows), entropies = new Float32Array(pass.rows) } = derivatives;
    this.engine.write(results.dLogprobs, logprobs);
    this.engine.write(results.dEntropies, entropies);
    writeDerivatives(this.engine, this.slots, derivatives, pass.temperature);
    const { backwardTargets, backward } = this.#training;
    await this.engine.replay(backwardTargets, ...backwardPrograms(this.#programs, derivatives), backward);
  }

  #zeroGradientsOnce(): Program[] {
    if (!this.#gradientsAreStale) return [];
    this.#gradientsAreStale = false;
    return [this.#training.zeroGradients];
  }

  /** Drops accumulated gradients: the next `accumulate` or `backward` starts from 0. */
  forgetGradients(): void {
    this.#gradientsAreStale = true;
  }

  /**
   * One step of the optimizer, with global-norm clipping. Where the norm is not finite nothing changes. It cannot be interrupted
   * once it has begun, since it uses up the gradients.
   * @returns the norm before clipping
   * @throws Error for Muon in a policy that was opened without
   */
  async optimize(settings: OptimizerSettings): Promise<{ readonly gradNorm: number }> {
    await this.engine.interruption?.();
    this.engine.interruption = undefined;
    const { results } = this.slots;
    const { optimize, optimizeByMuon } = this.#training;
    const program = settings.optim === 'muon' ? optimizeByMuon : optimize;
    if (program === undefined) throw new Error('this policy was opened without Muon');
    this.engine.write(results.adamw, adamwSettings(settings));
    if (results.muon !== undefined) this.engine.write(results.muon, muonSettings(settings));
    await this.engine.replay(program);
    this.forgetGradients();
    this.#endPass();
    return { gradNorm: (await this.engine.read((this.slots.backward as BackwardSlots).gradNorm))[0] ?? Number.NaN };
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

  /** The kept forward pass, if it belongs to this batch; it is trusted from the second time on. */
  #scoreOf(batch: PackedBatch): Program {
    const { score, keeping } = this.#programs;
    const kept = this.#kept.holds(batch);
    this.#kept.forget(); // the backward that follows is its last reader
    return kept && keeping !== undefined ? keeping.scoreKept : score;
  }

  /**
   * A sampler claims the key/value cache, with the slots that `sample` reads, before each of its steps. @returns
   * whether it still had the cache: nothing else sampled, scored, trained or wrote weights since its last claim
   */
  claimCache(owner: object | undefined): boolean {
    const had = this.#cacheOwner === owner;
    this.#cacheOwner = owner;
    return had;
  }

  /** The steps of a sampler with these settings. */
  stepsOf(settings: StepSettings): SampleSteps {
    const [programs, derived] = [this.#programs, this.#derived];
    const begin = (isKept: boolean): void => {
      this.#forward = undefined;
      if (!isKept) this.forgetKept(); // both use the same rows
    };
    return new SampleSteps({ engine: this.engine, plan: this.plan, programs, derived, begin }, settings);
  }

  /** Copies cache rows at once: no copy may read what another writes. */
  async copyCacheRows(copies: readonly CacheCopy[]): Promise<void> {
    writeCopies(this.engine, this.slots.inputs, copies);
    await this.engine.replay(this.#programs.copyKeysAndValues);
  }

  /** Decoding steps between two reads, at most. */
  get stepsPerRead(): number {
    return this.plan.stepsPerRead;
  }

  /**
   * Appends groups that have just been rolled out to the batch whose forward pass is kept: `accumulate` or `forward` of
   * exactly these groups, in this order, under the same weights, then skips it. Anything else that touches weights or
   * training rows forgets them. Groups beyond the row capacity are not kept.
   */
  async keep(groups: readonly TokenGroup[], places: readonly RolloutRows[]): Promise<void> {
    const parts = this.#kept.add(groups, places, this.capacity);
    if (parts.whole.from.length === 0) return;
    this.#forward = undefined;
    writeKept(this.engine, this.slots.inputs, parts);
    await this.engine.replay((this.#programs.keeping as KeepingPrograms).keep);
  }

  /** Invalidates forward passes, because the weights change. */
  #endPass(written?: Slot): void {
    this.#derived.markChanged(written);
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
