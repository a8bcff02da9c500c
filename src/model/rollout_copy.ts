/**
 * A copy of the policy's matrices in fewer bits, which rollouts may be sampled from: q8_0 is 34 bytes for 32 weights.
 * Sampling reads the copy instead of the copied matrices; tables read row by row, vectors and adapters remain the
 * policy's. Scorer and trainer read the weights, so rounding makes a rollout off-policy.
 *
 * It is made of the weights on the host, a part of a matrix at a time, so its bits are those of no thread or backend:
 * some 6 ns a weight. Only what has changed is made again: of weights beside an adapter it is made once.
 */
import { ConfigError } from '../errors.ts';
import type { Engine } from '../kernels/engine.ts';
import type { ArenaBuilder, Slot } from '../kernels/memory.ts';
import { slotLength } from '../kernels/memory.ts';
import { STORAGE } from '../kernels/storage.ts';
import type { LayerSlots, ParameterSet } from './parameters.ts';

/** Weights that are read and rounded at a time. */
const PART = 2 ** 20;

/** A matrix, and its copy. */
interface CopiedMatrix {
  readonly from: Slot;
  readonly to: Slot;
}

export interface RolloutCopy {
  /** The weights, with copies instead of the copied matrices. */
  readonly weights: ParameterSet;
  readonly matrices: readonly CopiedMatrix[];
}

/**
 * Lays out a copy of every matrix that products read, in the storage of `arena`. Sampling reads the weights of matrices
 * that are not copied: those already in blocks, and those whose rows are not whole blocks.
 *
 * @throws ConfigError if nothing is left to copy
 */
export function layOutCopy(weights: ParameterSet, arena: ArenaBuilder): RolloutCopy {
  const { values } = STORAGE[arena.storage];
  const matrices: CopiedMatrix[] = [];
  const copy = (from: Slot): Slot => {
    const parameter = weights.parameters.find(({ slot }) => slot.arena === from.arena && slot.offset === from.offset);
    const isInBlocks = parameter !== undefined && STORAGE[parameter.storage].values > 1;
    if (isInBlocks || (from.shape[1] ?? 0) % values !== 0) return from;
    const to = arena.slot(from.shape);
    matrices.push({ from, to });
    return to;
  };
  const layers = weights.layers.map(
    (layer): LayerSlots => ({
      ...layer,
      qkv: copy(layer.qkv),
      attentionOutput: copy(layer.attentionOutput),
      gateUp: copy(layer.gateUp),
      down: copy(layer.down),
    }),
  );
  const head = copy(weights.head);
  if (matrices.length === 0) {
    const rule = `its matrices lie in blocks already, or their rows are not whole blocks of ${values}`;
    const message = `quantised_rollout: true — nothing of this model can be copied to 8 bits: ${rule}; leave it out.`;
    throw new ConfigError('nothing-to-copy', message, { path: 'quantised_rollout' });
  }
  return { weights: { ...weights, layers, head }, matrices };
}

/** Keeps a copy up to date. */
export class FreshCopy {
  readonly #engine: Engine;
  readonly #trained: string;
  readonly #matrices: readonly CopiedMatrix[];
  readonly #stale: Set<CopiedMatrix>;

  constructor(engine: Engine, { weights, matrices }: RolloutCopy) {
    this.#engine = engine;
    this.#trained = weights.trainable.arena;
    this.#matrices = matrices;
    this.#stale = new Set(matrices);
  }

  /** @param written  tensor that the host has written; absent: all that is trained has changed */
  markChanged(written?: Slot): void {
    for (const matrix of this.#matrices) {
      const { arena, offset } = matrix.from;
      const isChanged =
        written === undefined
          ? arena === this.#trained
          : arena === written.arena &&
            written.offset < offset + slotLength(matrix.from) &&
            offset < written.offset + slotLength(written);
      if (isChanged) this.#stale.add(matrix);
    }
  }

  /** Called before a step that samples from it. If interrupted, the next call does the rest. */
  async refresh(): Promise<void> {
    for (const matrix of this.#stale) {
      await this.#make(matrix);
      this.#stale.delete(matrix);
    }
  }

  async #make({ from, to }: CopiedMatrix): Promise<void> {
    const [outputs = 0, inputs = 1] = from.shape;
    const rows = Math.max(1, Math.floor(PART / inputs));
    for (let row = 0; row < outputs; row += rows) {
      await this.#engine.interruption?.();
      const at = row * inputs;
      const part = { ...from, offset: from.offset + at, shape: [Math.min(rows, outputs - row), inputs] };
      this.#engine.write(to, await this.#engine.read(part), at);
    }
  }
}
