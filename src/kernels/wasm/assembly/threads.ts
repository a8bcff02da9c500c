// Threads in lock-step: every thread walks the same command list; work is claimed by blocks, never by the
// order of arrival of results. Each output element has one owner, so bits do not depend on who computes it.
//
// Control block in shared memory, one cache line a word so that spinning threads do not disturb each other.
import { passed, reached } from './profile';
import { CONTROL_BYTES } from './sizes';

/** Bytes between two words: a quarter of the block. */
const LINE: usize = CONTROL_BYTES >> 2;
const GENERATION: usize = 0;
const ARRIVED: usize = LINE;
const CLAIMED: usize = 2 * LINE;
const SLEEPERS: usize = 3 * LINE;

/** Spins before a waiting thread sleeps: some 200 µs, longer than almost every wait inside a program. Sleeping costs a
 *  wake-up of 50 µs or more at one barrier in ten; a step has some 300 barriers. */
const SPINS: i32 = 100000;

let control: usize = 0;
let spins: i32 = SPINS;
/** Index of this thread, and how many there are. */
export let thread: i32 = 0;
export let threads: i32 = 1;
/** This thread's own scratch space: packed strips of a product's left side, and everything else. */
export let strips: usize = 0;
export let scratch: usize = 0;

export function setThread(index: i32, count: i32, controlBlock: usize, ownStrips: usize, ownScratch: usize, oversubscribed: bool): void {
  thread = index;
  threads = count;
  control = controlBlock;
  strips = ownStrips;
  scratch = ownScratch;
  spins = oversubscribed ? 1 : SPINS;
}

/** First index of a block of `grain` work items that nobody else gets; at or past the total when none is left. */
// @ts-ignore: decorator
@inline
export function claim(grain: i32): i32 {
  if (threads > 1) return atomic.add<i32>(control + CLAIMED, grain);
  const first = load<i32>(control + CLAIMED);
  store<i32>(control + CLAIMED, first + grain);
  return first;
}

/** Items to claim at a time: at most `most`, and few enough that every thread comes back some 16 times. */
// @ts-ignore: decorator
@inline
export function grainOf(items: i32, most: i32): i32 {
  return max(1, min(most, items / (threads << 4)));
}

/** Waits until every thread is here; claims start again at 0. */
export function barrier(): void {
  reached();
  meet();
  passed();
}

// @ts-ignore: decorator
@inline
function meet(): void {
  if (threads > 1) {
    const generation = atomic.load<i32>(control + GENERATION);
    if (atomic.add<i32>(control + ARRIVED, 1) == threads - 1) {
      atomic.store<i32>(control + ARRIVED, 0);
      atomic.store<i32>(control + CLAIMED, 0);
      atomic.store<i32>(control + GENERATION, generation + 1);
      if (atomic.load<i32>(control + SLEEPERS) > 0) atomic.notify(control + GENERATION, -1);
      return;
    }
    for (let i = 0; i < spins; i++) {
      if (atomic.load<i32>(control + GENERATION) != generation) return;
    }
    atomic.add<i32>(control + SLEEPERS, 1);
    while (atomic.load<i32>(control + GENERATION) == generation) {
      atomic.wait<i32>(control + GENERATION, generation, -1);
    }
    atomic.sub<i32>(control + SLEEPERS, 1);
    return;
  }
  store<i32>(control + CLAIMED, 0);
}
