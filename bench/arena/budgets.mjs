/**
 * A row and its baseline at equal numbers of sampled tokens, over the budget (m-vb-vf): what is solved in training at each share
 * of it, from the curves of the records. Of `rft` and GRPO it is the comparison of cloning solved answers with learning from
 * a verifier, which is said to grow with the budget (arXiv:2502.12118).
 */
import { meanOf } from './figures.mjs';

const SHARES = [0.25, 0.5, 0.75, 1];

/**
 * @param own  records of the row, by seed, and `theirs` those of its baseline by the same seeds; two or more
 * @param differenceOf  of the trainer
 * @returns at each share of the budget: tokens, what both solve, and own − theirs with its 95 % interval over the paired seeds
 */
export function overBudget(own, theirs, differenceOf) {
  const budget = Math.min(...[...own, ...theirs].map(({ tokens }) => tokens));
  return SHARES.map((share) => {
    const tokens = share * budget;
    const [mine, others] = [own, theirs].map((records) => records.map((record) => solvedAt(record, tokens)));
    // One problem, the training itself: what is uncertain is the runs.
    const side = (values) => ({ starts: values.map((_, i) => String(i)), values: values.map((value) => [value]) });
    const difference = differenceOf(side(others), side(mine), [1]);
    return { tokens, own: meanOf(mine), theirs: meanOf(others), difference };
  });
}

/** Between the points of a curve, by a line; before the first, the first. */
export function solvedAt({ curve }, tokens) {
  const after = curve.findIndex(([at]) => at >= tokens);
  if (after === 0) return curve[0][1];
  if (after < 0) return curve.at(-1)[1];
  const [[from, low], [to, high]] = [curve[after - 1], curve[after]];
  return low + ((high - low) * (tokens - from)) / (to - from);
}
