/**
 * Documents by how well they fit a query: Okapi BM25, Robertson and Walker (1994), in arithmetic that is the same in every engine.
 *
 *   score(q, d) = Σ_w ln(1 + (N − n_w + ½)/(n_w + ½)) · f_w·(k + 1) / (f_w + k·(1 − b + b·|d|/mean |d|)),   k = 1.2, b = 0.75
 *
 * N documents, n_w of which have the word w; f_w: how often d has it.
 */

const [K, B] = [1.2, 0.75];

/** ln x of a number near 1: 2·artanh((x − 1)/(x + 1)), as a sum. */
function nearLogarithm(value: number): number {
  const base = (value - 1) / (value + 1);
  let [sum, power] = [0, base];
  for (let n = 1; n < 40; n += 2) {
    sum += power / n;
    power *= base * base;
  }
  return 2 * sum;
}

const LN_2 = nearLogarithm(2);

/** ln x of a number from 1 on. */
function logarithm(value: number): number {
  return value > 2 ? logarithm(value / 2) + LN_2 : nearLogarithm(value);
}

/**
 * The documents that have a word of the query, the best first; of equal ones, the first first.
 *
 * @param documents  of words
 * @returns their places
 */
export function ranked(documents: readonly (readonly string[])[], query: readonly string[]): number[] {
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const scores = documents.map(() => 0);
  for (const word of new Set(query)) {
    const counts = documents.map((words) => words.filter((one) => one === word).length);
    const having = counts.filter((count) => count > 0).length;
    const rarity = logarithm(1 + (documents.length - having + 0.5) / (having + 0.5));
    counts.forEach((count, place) => {
      const length = documents[place].length / mean;
      scores[place] += (rarity * count * (K + 1)) / (count + K * (1 - B + B * length));
    });
  }
  const places = scores.map((_, place) => place).filter((place) => scores[place] > 0);
  return places.sort((a, b) => scores[b] - scores[a] || a - b);
}
