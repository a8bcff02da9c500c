/** Keeps the column scales of adapters with magnitudes, and the sums of offset norms, up to date: computed where something has changed. */
import type { Engine, Program } from '../kernels/engine.ts';
import type { Slot } from '../kernels/memory.ts';
import { writeBaseNorms } from './magnitudes.ts';
import type { ParameterSet } from './parameters.ts';

export class ColumnScales {
  readonly #engine: Engine;
  readonly #weights: ParameterSet;
  readonly #refresh: Program | undefined;
  #normsAreStale = true;
  #scalesAreStale = true;

  /** @param refresh  makes the scales of the weights; undefined where no adapter has magnitudes */
  constructor(engine: Engine, weights: ParameterSet, refresh: Program | undefined) {
    this.#engine = engine;
    this.#weights = weights;
    this.#refresh = refresh;
  }

  /** Marks the scales stale: weights have changed, or the scales belong to another set. */
  markStale(): void {
    this.#scalesAreStale = true;
  }

  /** Notes a tensor that the host has written, since the base's norms may change. */
  markWritten({ arena }: Slot): void {
    if (arena !== this.#weights.trainable.arena) this.#normsAreStale = true;
  }

  /** Called before a pass under the weights. If interrupted, the next call does it. */
  async refresh(): Promise<void> {
    if (this.#refresh === undefined || !this.#scalesAreStale) return;
    await this.#refreshNorms();
    await this.#engine.replay(this.#refresh);
    this.#scalesAreStale = false;
  }

  /** Called before a pass under another set, whose program overwrites the scales with its own. */
  async giveWay(): Promise<void> {
    this.#scalesAreStale = true;
    if (this.#refresh !== undefined) await this.#refreshNorms();
  }

  async #refreshNorms(): Promise<void> {
    if (this.#normsAreStale) await writeBaseNorms(this.#engine, this.#weights);
    this.#normsAreStale = false;
  }
}
