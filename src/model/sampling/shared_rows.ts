/**
 * Shared rows: equal tokens of sequences with one prefix are computed once.
 *
 * Sequences that have sampled the same tokens so far share one row of the step. One of them, the holder, has keys,
 * values and activations; the others draw their next token from its output with their own random numbers. A sequence
 * that draws another token than its holder copies their common rows, and has its own from there on. Forks take copies
 * too (`forks.ts`).
 *
 * A row's bits depend only on its keys and their order, so only the work changes. A copy costs a hundredth of
 * computing, and a sequence takes at most one; a confident policy samples most of a group alike.
 */
import { CacheCopies } from './cache_copies.ts';
import { type Fork, forkOf } from './forks.ts';
import type { CachedPrefix, SequenceState } from './sampled_sequence.ts';

/** Holds the rows of all tokens of a sequence but its newest: a holder, or the prefix for its first token. */
type Trunk = CachedPrefix | SequenceState;

export class SharedRows {
  /** Copies to make before the step being scheduled. */
  readonly copies: CacheCopies;
  readonly #sequences: ReadonlySet<SequenceState>;
  #step = 0;

  /**
   * @param sequences  those that hold rows of the cache
   * @param most       rows that are copied at once
   */
  constructor(sequences: ReadonlySet<SequenceState>, most: number) {
    this.#sequences = sequences;
    this.copies = new CacheCopies(most);
  }

  /** The next step begins. */
  begin(step: number): void {
    this.copies.clear();
    this.#step = step;
  }

  /** Draws from the row of another sequence with the same tokens. @returns whether there is one in this step */
  join(sequence: SequenceState): boolean {
    const trunk = trunkOf(sequence);
    if (trunk?.branchedIn !== this.#step) return false;
    const newest = newestOf(sequence);
    let holder = trunk.branch;
    while (holder !== undefined && newestOf(holder) !== newest) holder = holder.nextBranch;
    if (holder === undefined) return false;
    sequence.holder = holder;
    sequence.held = sequence.count;
    sequence.row = holder.row;
    return true;
  }

  /** Continues alone, with copies of its holder's rows if they are still there. Others may join its newest row. */
  part(sequence: SequenceState): void {
    const trunk = trunkOf(sequence);
    const { holder: from, held: length } = sequence;
    if (from !== undefined) {
      sequence.holder = undefined;
      if (this.#sequences.has(from) && from.fed >= length) this.#copy(sequence, { from, length });
    }
    if (trunk === undefined || sequence.fed < sequence.count - 1) return;
    sequence.nextBranch = trunk.branchedIn === this.#step ? trunk.branch : undefined;
    trunk.branch = sequence;
    trunk.branchedIn = this.#step;
  }

  /** Copies its rows from another sequence if that is worth it. @returns whether it waits for them */
  fork(sequence: SequenceState): boolean {
    const fork = forkOf(sequence, this.#sequences, this.#step);
    if (fork === undefined || fork === 'later') return fork === 'later';
    this.#copy(sequence, fork);
    return false;
  }

  #copy(sequence: SequenceState, fork: Fork): void {
    const { from, length } = fork;
    sequence.takeInputRows(from, length);
    sequence.fed = length;
    this.copies.add({ from: from.kvBegin, to: sequence.kvBegin, length });
  }
}

/** undefined where more than its newest token is missing. */
function trunkOf(sequence: SequenceState): Trunk | undefined {
  const { count, fed, holder, held, source } = sequence;
  if (holder !== undefined) return held === count - 1 ? holder : undefined;
  if (fed !== count - 1) return undefined;
  return count === 1 ? source : sequence;
}

function newestOf(sequence: SequenceState): number {
  return sequence.token(sequence.count - 1);
}
