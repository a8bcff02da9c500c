/** Rows that train the same thing under two names: comparing them compares a method with itself. */

/**
 * @param rows  of `readRows`
 * @param trained  by row, all that decides its runs, with each method under its plainest name; undefined where that is unknown
 * @returns {Map<object, object>} by row that repeats another of its task, the first that it repeats
 */
export function twinsOf(rows, trained) {
  const first = new Map();
  const twins = new Map();
  for (const row of rows) {
    const what = trained(row);
    if (what === undefined) continue;
    const key = JSON.stringify([row.task, row.start, row.seedsFrom, row.rate, what]);
    if (first.has(key)) twins.set(row, first.get(key));
    else first.set(key, row);
  }
  return twins;
}

/** What is printed and written of such a row. */
export function twinWords(row, other) {
  const name = ({ block, id }) => `${block}/${id}`;
  return `${name(row)} is ${name(other)} under another name, to the bit: one of the two is enough.`;
}
