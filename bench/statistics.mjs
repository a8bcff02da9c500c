/**
 * Order statistics of repeated timings: medians and quartiles, which one slow repeat does not move; and how fast
 * something grows.
 */

/** Arithmetic mean; NaN of none. */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which `share` (0 to 1) of the values lie, interpolated between neighbours. */
export function quantile(values, share) {
  if (values.length === 0) throw new RangeError('no values to take a quantile of');
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

/** Median with the quartiles around it: half of the values lie from `low` to `high`. */
export function summarize(values) {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    repeats: values.length,
  };
}

/** Slope of the line through [x, y] points, by least squares. */
export function slope(points) {
  const [meanX, meanY] = [0, 1].map((place) => mean(points.map((point) => point[place])));
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
