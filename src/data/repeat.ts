/**
 * Many calls into a task in a row. A task from a file is watched for calls that never end, which costs more than a short
 * call itself: the host that opened it says here how calls in a row share one watch.
 */

/**
 * Runs `work` for 0, 1, … `count` − 1, or until it gives true. It may be run twice for a number, the first time not to
 * its end: what it leaves behind must be the same then.
 */
export type Repeat = (count: number, work: (index: number) => unknown) => void;

/** For calls that nobody watches. */
export const repeatPlainly: Repeat = (count, work) => {
  for (let index = 0; index < count && work(index) !== true; index++);
};

/** What `make` gives for 0, 1, … `count` − 1. */
export function makeEach<T>(repeat: Repeat, count: number, make: (index: number) => T): T[] {
  const made = new Array<T>(count);
  repeat(count, (index) => {
    made[index] = make(index);
  });
  return made;
}
