/** Random digits that nobody can foresee: names that are secrets. */
export function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes));
  return Array.from(values, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const SHARE_BYTES = 4;

/** From 0 to 1, and nobody can foresee it. */
export function randomShare(): number {
  return Number.parseInt(randomHex(SHARE_BYTES), 16) / 2 ** (8 * SHARE_BYTES);
}
