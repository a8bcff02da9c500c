/** How often something can be called in a second of this process's own time. */
import { summarize } from './statistics.mjs';

/** Milliseconds of this process: what else runs on the machine does not count. */
const clock = () => process.cpuUsage().user / 1000;

/**
 * Calls per second, the median of several measurements; the first warms up.
 *
 * @param call  is given the number of the call, from 0
 * @param ms  of one measurement, at least
 * @param chunk  calls between two looks at the clock
 */
export function callRate(call, { repeats, ms, chunk = 1 }) {
  const rates = [];
  let index = 0;
  for (let repeat = 0; repeat <= repeats; repeat++) {
    const start = clock();
    const first = index;
    let taken = 0;
    do {
      for (let i = 0; i < chunk; i++) call(index++);
      taken = clock() - start;
    } while (taken < ms);
    rates.push((1000 * (index - first)) / taken);
  }
  return Math.round(summarize(rates.slice(1)).median);
}
