/**
 * How good several binary verifiers are, and what is true, from their votes alone (Dawid and Skene 1979): expectation
 * maximization over two classes, verifiers independent within each. Votes come as patterns with counts, so that a long
 * memory costs no more than a short one.
 */

/** `1`, `0`, or `-` where the verifier does not apply, one character for each verifier. */
export type VotePattern = string;

const MOST_ROUNDS = 200;
const CLOSE_ENOUGH = 1e-9;

/** Adding one vote of each kind keeps a rate off 0 and 1. */
const rate = (hits: number, all: number): number => (hits + 1) / (all + 2);

/**
 * The chance that a completion with each pattern of votes is right.
 *
 * @param counts     how often each pattern was seen, above 0
 * @param verifiers  places of the pattern that are read
 */
export function posteriors(
  counts: ReadonlyMap<VotePattern, number>,
  verifiers: readonly number[],
): ReadonlyMap<VotePattern, number> {
  const patterns = [...counts.keys()];
  let right = patterns.map((pattern) => shareOfVotes(pattern, verifiers));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = expected(patterns, counts, verifiers, right);
    const moved = Math.max(...next.map((value, i) => Math.abs(value - right[i])));
    right = next;
    if (moved < CLOSE_ENOUGH) break;
  }
  return new Map(patterns.map((pattern, i) => [pattern, right[i]]));
}

/** Share of the votes that are 1; ½ without votes. */
export function shareOfVotes(pattern: VotePattern, verifiers: readonly number[]): number {
  const votes = verifiers.map((j) => pattern[j]).filter((vote) => vote !== '-');
  return votes.length === 0 ? 0.5 : votes.filter((vote) => vote === '1').length / votes.length;
}

/** One round: the rates of the verifiers from the chances, and the chances from the rates. */
function expected(
  patterns: readonly VotePattern[],
  counts: ReadonlyMap<VotePattern, number>,
  verifiers: readonly number[],
  right: readonly number[],
): number[] {
  const total = (of: (pattern: VotePattern, chance: number) => number): number =>
    patterns.reduce((sum, pattern, i) => sum + (counts.get(pattern) ?? 0) * of(pattern, right[i]), 0);
  const prior = rate(
    total((_, chance) => chance),
    total(() => 1),
  );
  const rates = verifiers.map((j) => {
    const says = (vote: string, chanceOf: (chance: number) => number): number =>
      total((pattern, chance) => (pattern[j] === vote ? chanceOf(chance) : 0));
    const chances = [(chance: number) => chance, (chance: number) => 1 - chance] as const;
    const [ifRight, ifWrong] = chances.map((of) => rate(says('1', of), says('1', of) + says('0', of)));
    return { ifRight, ifWrong };
  });
  return patterns.map((pattern) => {
    let logOdds = Math.log(prior / (1 - prior));
    verifiers.forEach((j, k) => {
      const { ifRight, ifWrong } = rates[k];
      if (pattern[j] === '1') logOdds += Math.log(ifRight / ifWrong);
      if (pattern[j] === '0') logOdds += Math.log((1 - ifRight) / (1 - ifWrong));
    });
    return 1 / (1 + Math.exp(-logOdds));
  });
}
