/** Results of the decoding steps between two reads, which are batched where a read waits for a device. */
import type { Slot } from '../../kernels/memory.ts';
import type { ArenaOf, Capacity } from './capacity.ts';

/** Results of the steps between two reads, in order, and the inputs that feed a step without the host. */
export interface AheadSlots {
  /** [steps × completions] */
  readonly tokens: Slot;
  readonly logprobs: Slot;
  readonly entropies: Slot;
  readonly keptLogMass: Slot;
  /** [steps × completions] the sampled row that comes to each place; its first ones are also the next step's rows. */
  readonly from: Slot;
  /** [kept rows] the sampled row that feeds each row of `rollout`. */
  readonly feedFrom: Slot;
}

export function aheadSlots({ completions, keptRows }: Capacity, stepsPerRead: number, arena: ArenaOf): AheadSlots {
  const [ints, reals] = [arena('aheadInts', 'batch', 'int'), arena('ahead', 'batch')];
  const shape = [stepsPerRead * completions];
  return {
    tokens: ints.slot(shape),
    from: ints.slot(shape),
    feedFrom: ints.slot([keptRows]),
    logprobs: reals.slot(shape),
    entropies: reals.slot(shape),
    keptLogMass: reals.slot(shape),
  };
}
