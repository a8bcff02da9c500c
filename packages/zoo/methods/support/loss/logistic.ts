/** The logistic function, and the integral of it. */

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** log(1 + e^x), which does not overflow. */
export function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}
