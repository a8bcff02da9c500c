/** C(right, k) / C(samples, k): the chance that k samples of a problem are all right, as a product without large binomials. */
export function allRightOf(samples: number, right: number, k: number): number {
  let chance = 1;
  for (let i = 0; i < k; i++) chance *= Math.max(0, right - i) / (samples - i);
  return chance;
}
