/**
 * Decoding steps: rows go in, a forward pass runs, and one token comes out for each row that samples.
 *
 * Where reads wait for a device, one read serves several steps: a token goes from the sampler to the next step's rows
 * without the host, which writes what it knows in advance (positions, cache rows). A completion that ends in between is
 * computed to the end of the block and the excess dropped, since rows are independent.
 */
import type { Slot } from '../../kernels/memory.ts';
import type { ForwardSlots } from '../memory/activations.ts';
import { COUNTS } from '../memory/slots.ts';
import type { Policy } from '../policy.ts';
import { windowWithin, writeIntervals } from '../window.ts';
import type { CacheCopy } from './cache_copies.ts';
import type { SampleSteps } from './sample_steps.ts';

/** Results of the steps between two reads: step by step, each in the order of `addSample`. */
export interface Sampled {
  readonly tokens: ArrayLike<number>;
  readonly logprobs: ArrayLike<number>;
  readonly entropies: ArrayLike<number>;
  readonly keptLogMass: ArrayLike<number>;
}

/** Fills the input slots of one step after the other. Its arrays are made once and hold one step. */
export class Decoder {
  /** Rows and samples that the step has so far. */
  rowCount = 0;
  sampleCount = 0;
  readonly #policy: Policy;
  /** [rows] */
  readonly #tokens: Int32Array;
  readonly #positions: Int32Array;
  readonly #kvRows: Int32Array;
  /** [rows, 2, 2] */
  readonly #intervals: Int32Array;
  /** [samples] the row that each sample is drawn from, counted in the step. */
  readonly #sources: Int32Array;
  readonly #counters: Int32Array;
  /** [samples, 2] */
  readonly #rolloutNumbers: Int32Array;
  readonly #steps: SampleSteps;
  #keeps: boolean;
  /** First row of the step: in `slots.rollout`, where each step's rows stay, or 0. */
  #begin = 0;

  /** @param steps  if they keep rows, each step's follow those of earlier steps, for `Policy.keep` */
  constructor(policy: Policy, steps: SampleSteps) {
    const { rows, completions } = policy.capacity;
    this.#policy = policy;
    this.#steps = steps;
    this.#keeps = steps.keeps;
    this.#tokens = new Int32Array(rows);
    this.#positions = new Int32Array(rows);
    this.#kvRows = new Int32Array(rows);
    this.#intervals = new Int32Array(rows * 4);
    this.#sources = new Int32Array(completions);
    this.#counters = new Int32Array(completions);
    this.#rolloutNumbers = new Int32Array(completions * 2);
  }

  get keeps(): boolean {
    return this.#keeps;
  }

  /** Where `slots.rollout` has the first row of the step. */
  get begin(): number {
    return this.#begin;
  }

  clear(): void {
    this.rowCount = 0;
    this.sampleCount = 0;
  }

  /** Kept rows may be overwritten from now on. */
  stopKeeping(): void {
    this.#keeps = false;
    this.#begin = 0;
  }

  /** The kept rows are lost: the next step's are the first. */
  startOver(): void {
    this.#begin = 0;
  }

  /**
   * A token that goes in at `position`, its key and value to cache row `kvRow`. It attends to the cache rows
   * [firstBegin, firstEnd), then to [secondBegin, secondEnd).
   * @returns its row in the step
   */
  addRow(
    token: number,
    position: number,
    kvRow: number,
    firstBegin: number,
    firstEnd: number,
    secondBegin: number,
    secondEnd: number,
  ): number {
    const row = this.rowCount++;
    this.#tokens[row] = token;
    this.#positions[row] = position;
    this.#kvRows[row] = kvRow;
    const at = row * 4;
    this.#intervals[at] = firstBegin;
    this.#intervals[at + 1] = firstEnd;
    this.#intervals[at + 2] = secondBegin;
    this.#intervals[at + 3] = secondEnd;
    return row;
  }

  /** A token is drawn from what comes out of `row`, keyed by the rollout and by its position in the completion. */
  addSample(row: number, counter: number, rolloutNumber: number): void {
    const sample = this.sampleCount++;
    this.#sources[sample] = row;
    this.#counters[sample] = counter;
    this.#rolloutNumbers[sample * 2] = rolloutNumber | 0;
    this.#rolloutNumbers[sample * 2 + 1] = Math.floor(rolloutNumber / 2 ** 32);
  }

  /**
   * Runs the step.
   * @param step of those until the next read; from the second on, row i takes the token that was sampled i-th before
   * @param moved rows of the cache that are copied before it
   */
  async run(step: number, moved: readonly CacheCopy[] = []): Promise<void> {
    const { engine, slots, stepsPerRead, shape, capacity } = this.#policy;
    const { ahead } = slots;
    const isFed = step > 0;
    const inputs = this.#keeps ? (slots.rollout as ForwardSlots).inputs : slots.inputs;
    const { rowCount: rows, sampleCount: samples } = this;
    const [begin, end] = [this.#begin, this.#begin + rows];
    if (!isFed) engine.write(inputs.tokens, this.#tokens.subarray(0, rows), begin);
    else if (this.#keeps && ahead) engine.write(ahead.feedFrom, places(rows, rows), begin);
    engine.write(inputs.positions, this.#positions.subarray(0, rows), begin);
    engine.write(inputs.kvRows, this.#kvRows.subarray(0, rows), begin);
    writeIntervals(engine, inputs, this.#intervals.subarray(0, rows * 4), windowWithin(shape, capacity.context), begin);
    if (!this.#keeps) engine.write(slots.inputs.counts, [rows], COUNTS.rows);
    const sources = this.#sources.subarray(0, samples);
    engine.write(slots.inputs.lossIndex, begin === 0 ? sources : sources.map((row) => begin + row));
    engine.write(slots.inputs.counters, this.#counters.subarray(0, samples));
    if (!isFed) {
      engine.write(slots.inputs.rolloutNumbers, this.#rolloutNumbers.subarray(0, samples * 2));
      if (ahead) engine.write(ahead.from, places(stepsPerRead * samples, samples));
    }
    engine.write(slots.inputs.counts, [samples, begin, end, step * samples, (step + 1) * samples], COUNTS.samples);
    await engine.replay(...(await this.#steps.next({ isKept: this.#keeps, isFed, moved })));
    if (this.#keeps) this.#begin = end;
  }

  /** Results of `steps` steps. The arrays are requested together, so that they come back in one transfer. */
  async read(steps: number): Promise<Sampled> {
    const { engine, slots } = this.#policy;
    const { results, inputs, ahead } = slots;
    const source = ahead ?? { tokens: inputs.sampled, ...results };
    const read = (slot: Slot) => engine.read(slot, steps * this.sampleCount);
    const [tokens, logprobs, entropies, keptLogMass] = await Promise.all([
      read(source.tokens),
      read(source.logprobs),
      read(source.entropies),
      read(source.keptLogMass),
    ]);
    return { tokens, logprobs, entropies, keptLogMass };
  }
}

/** 0, 1, …, count − 1, 0, 1, … */
function places(length: number, count: number): Int32Array {
  return new Int32Array(length).map((_, i) => i % count);
}
