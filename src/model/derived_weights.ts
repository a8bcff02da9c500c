/** Values computed from a policy's weights, recomputed before they are read if the weights have changed. */
import type { Engine, Program } from '../kernels/engine.ts';
import type { Slot } from '../kernels/memory.ts';
import { ColumnScales } from './column_scales.ts';
import type { PolicySlots } from './memory/slots.ts';
import { FreshCopy } from './rollout_copy.ts';

export class DerivedWeights {
  readonly #scales: ColumnScales;
  readonly #copy: FreshCopy | undefined;

  /** @param refresh  makes the scales of the weights; undefined where no adapter has magnitudes */
  constructor(engine: Engine, { weights, copy }: PolicySlots, refresh: Program | undefined) {
    this.#scales = new ColumnScales(engine, weights, refresh);
    this.#copy = copy && new FreshCopy(engine, copy);
  }

  /** @param written  tensor that the host has written; absent: all that is trained has changed */
  markChanged(written?: Slot): void {
    this.#scales.markStale();
    if (written !== undefined) this.#scales.markWritten(written);
    this.#copy?.markChanged(written);
  }

  /**
   * Called before a pass under the weights, or one that samples from their copy.
   * @throws Error where there is none
   */
  async refresh(weights: 'policy' | 'copy' = 'policy'): Promise<void> {
    await this.#scales.refresh();
    if (weights === 'policy') return;
    if (this.#copy === undefined) throw new Error('this policy was opened without a copy to sample from');
    await this.#copy.refresh();
  }

  /** Called before a pass under another parameter set. */
  giveWay(): Promise<void> {
    return this.#scales.giveWay();
  }
}
