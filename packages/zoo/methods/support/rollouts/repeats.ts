/** Whether a completion has begun to repeat itself: its newest `length` tokens occur `times` times in a row. */
export function repeats(tokens: Int32Array, length: number, times: number): boolean {
  const begin = tokens.length - length * times;
  if (begin < 0) return false;
  for (let i = begin; i + length < tokens.length; i++) if (tokens[i] !== tokens[i + length]) return false;
  return true;
}
