/**
 * Many calls into a task in a row. A host watches tasks from files for calls that never end, which costs more than a
 * short call; here it lets consecutive calls share one watch.
 */

/**
 * Runs `work` for 0, 1, … `count` − 1, or until it gives true. It may run twice for a number, the first time
 * incompletely, so its effects must be idempotent.
 */
export type Repeat = (count: number, work: (index: number) => unknown) => void;

/** Calls without a watch. */
export const repeatPlainly: Repeat = (count, work) => {
  for (let index = 0; index < count && work(index) !== true; index++);
};

/** The results of `make` for 0, 1, … `count` − 1. */
export function makeEach<T>(repeat: Repeat, count: number, make: (index: number) => T): T[] {
  const made = new Array<T>(count);
  repeat(count, (index) => {
    made[index] = make(index);
  });
  return made;
}
