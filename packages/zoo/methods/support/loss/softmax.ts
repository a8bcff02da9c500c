/** Softmax of values/temperature, and the log of the sum of their exponentials. */
export function softmax(values: readonly number[], temperature = 1): { shares: readonly number[]; logSum: number } {
  const most = Math.max(...values);
  const parts = values.map((value) => Math.exp((value - most) / temperature));
  const sum = parts.reduce((all, part) => all + part, 0);
  return { shares: parts.map((part) => part / sum), logSum: most / temperature + Math.log(sum) };
}
