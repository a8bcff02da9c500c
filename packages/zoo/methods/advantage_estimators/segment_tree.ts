/**
 * Credit by segment, for completions that form a tree: what leaves are worth is backed up to the segments above them,
 * and a segment is credited with its value beside what the leaves of its group are worth. A group whose completions
 * share no beginning is a tree of one level per segment, and every completion a path of its own. q is 1 of a leaf that
 * is right, else −1; right overrides wrong. Leaves are counted in their order in the group; where all are alike, A is
 * 0. What is right is read from verdicts or rewards (`solved_reward`).
 */
import type { AdvantageEstimator, RolloutGroup } from '../kit.ts';
import { counts, deviationOf, integer, key, keys, meanOf, method, number } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

export const segmentTree = method({
  id: 'segment-tree',
  about: {
    does: 'Credits segments of completions that form a tree, by what their leaves are worth.',
    names: ['DeepSearch', 'tree-based credit', 'node values'],
    formula:
      'A_t = (q_max·tanh(Q(s)/q_temperature) − mean q)/(std q + 1e-4), Q(s) = Σ over leaves below of max(depth(s)/depth(leaf), 0.1)·q',
    source: '2509.25454',
    certainty: 'after the paper',
    when: 'Beside mcts, whose tree it credits; without a tree every completion is a branch of its own.',
  },
  companions: [{ ids: ['mcts'], line: 'rollout_strategies: [mcts]', why: 'so that completions form a tree' }],
  agrees: ['segment_tokens'],
  options: keys({
    segmentTokens: integer({ min: 1, max: 1_000_000, example: 16 })
      .default(16)
      .describe('Tokens of a segment, as the search has them.'),
    mostValue: key('q_max', number({ above: 0, example: 1 }).default(1).describe('Bound of a value.')),
    valueTemperature: key(
      'q_temperature',
      number({ above: 0, example: 1 }).default(1).describe('How soon a value nears its bound.'),
    ),
    ...SOLVED_OPTIONS,
  }),
  create: ({ segmentTokens, mostValue, valueTemperature, ...solved }): AdvantageEstimator => {
    const solves = solvedBy(solved);
    return {
      estimate: (groups) =>
        groups.map((group) => {
          const values = segmentValues(group, segmentTokens, solves);
          const worths = group.rollouts.flatMap((one) => (counts(one) ? [solves(one) ? 1 : -1] : []));
          const [mean, deviation] = [meanOf(worths), deviationOf(worths)];
          // Leaves that are all alike say nothing of their segments.
          const credit = (value: number): number =>
            deviation === 0 ? 0 : (mostValue * Math.tanh(value / valueTemperature) - mean) / (deviation + 1e-4);
          const tokenAdvantages = group.rollouts.map((rollout, i) =>
            new Float32Array(rollout.tokens.length).map((_, t) =>
              counts(rollout) ? credit(values[i][Math.floor(t / segmentTokens)]) : 0,
            ),
          );
          const advantages = Float32Array.from(group.rollouts, (rollout) =>
            counts(rollout) ? credit(solves(rollout) ? 1 : -1) : 0,
          );
          return { advantages, tokenAdvantages };
        }),
    };
  },
});

/** [rollouts][segments] their values, backed up from the leaves in order; those that rollouts share are the same. */
function segmentValues(
  { rollouts }: RolloutGroup,
  segment: number,
  solves: ReturnType<typeof solvedBy>,
): readonly (readonly number[])[] {
  const found = new Map<string, number>();
  const paths = rollouts.map(({ tokens }) => {
    const depth = Math.ceil(tokens.length / segment);
    return Array.from({ length: depth }, (_, k) => tokens.subarray(0, (k + 1) * segment).join());
  });
  rollouts.forEach((rollout, i) => {
    if (!counts(rollout)) return;
    const worth = solves(rollout) ? 1 : -1;
    paths[i].forEach((node, k) => {
      const own = Math.max((k + 1) / paths[i].length, 0.1) * worth;
      const before = found.get(node) ?? 0;
      const isOverridden = worth > 0 && before < 0;
      if (isOverridden) found.set(node, own);
      else if (worth > 0 || before <= 0) found.set(node, before + own);
    });
  });
  return paths.map((path) => path.map((node) => found.get(node) ?? 0));
}
