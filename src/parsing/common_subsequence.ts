/** Length of the longest common subsequence of two texts or lists, one row at a time; costs the product of their lengths. */
export function longestCommonSubsequence<T>(a: ArrayLike<T>, b: ArrayLike<T>): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    let diagonal = 0;
    for (let j = 0; j < b.length; j++) {
      const above = row[j + 1];
      row[j + 1] = a[i] === b[j] ? diagonal + 1 : Math.max(above, row[j]);
      diagonal = above;
    }
  }
  return row[b.length];
}
