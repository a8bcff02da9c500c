/** Keeps what follows from the weights up to date, where adapters have magnitudes: only what has changed is computed. */
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

  /** Weights have changed, or the scales are another set's. */
  markStale(): void {
    this.#scalesAreStale = true;
  }

  /** A tensor is written by the host: norms are those of the base. */
  markWritten({ arena }: Slot): void {
    if (arena !== this.#weights.trainable.arena) this.#normsAreStale = true;
  }

  /** Before a pass under the weights. Where it is interrupted, the next one does it. */
  async refresh(): Promise<void> {
    if (this.#refresh === undefined || !this.#scalesAreStale) return;
    await this.#refreshNorms();
    await this.#engine.replay(this.#refresh);
    this.#scalesAreStale = false;
  }

  /** Before a pass under another set, whose program puts its own scales in the place of the weights'. */
  async giveWay(): Promise<void> {
    this.#scalesAreStale = true;
    if (this.#refresh !== undefined) await this.#refreshNorms();
  }

  async #refreshNorms(): Promise<void> {
    if (this.#normsAreStale) await writeBaseNorms(this.#engine, this.#weights);
    this.#normsAreStale = false;
  }
}
