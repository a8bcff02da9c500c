/**
 * The completions of a group form a trie of tokens; the value of a node is the mean reward of the completions below it.
 * From the last branch on, everything is 0, and the tokens of a completion that shares nothing add up to R − μ. In long
 * free text all credit lands on the first token that differs, so this is for short answers and for rollouts that branch.
 * Ours, after token-supervised value models (arXiv:2407.12863).
 */
import { type AdvantageEstimator, counts, meanOf, method, type RolloutGroup, rewardsOf, spreadOut } from '../kit.ts';

export const trieValue = method({
  id: 'trie-value',
  about: {
    does: 'Credits a token with the change in the mean reward of the completions that continue from there.',
    formula: "A_t = V(o_≤t) − V(o_<t), V = mean reward of the group's completions with this beginning",
    source: 'own',
    certainty: 'own',
  },
  create: (): AdvantageEstimator => ({ estimate: (groups) => groups.map(estimateOne) }),
});

function estimateOne(group: RolloutGroup) {
  const rewards = rewardsOf(group);
  const { rollouts } = group;
  const tokenAdvantages = rollouts.map(({ tokens }) => new Float32Array(tokens.length));
  const counted = rollouts.flatMap((rollout, i) =>
    counts(rollout) ? [{ tokens: rollout.tokens, reward: Math.fround(rollout.reward), out: tokenAdvantages[i] }] : [],
  );
  descend(counted);
  const center = meanOf(rewards);
  const advantages = spreadOut(
    rollouts,
    rewards.map((reward) => reward - center),
  );
  return { advantages, tokenAdvantages };
}

interface Leaf {
  readonly tokens: Int32Array;
  readonly reward: number;
  readonly out: Float32Array;
}

/**
 * Writes the steps in value of all leaves. A loop, not a recursion: a completion may be long. Rewards are float32, so the
 * mean of equal ones is exact in float64, and where nothing changes the step is exactly 0.
 */
function descend(leaves: readonly Leaf[]): void {
  const open = [{ below: leaves, depth: 0, value: meanOf(leaves.map(({ reward }) => reward)) }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const children = new Map<number, Leaf[]>();
    for (const leaf of node.below) {
      if (leaf.tokens.length === node.depth) continue; // it ends here
      const siblings = children.get(leaf.tokens[node.depth]);
      if (siblings) siblings.push(leaf);
      else children.set(leaf.tokens[node.depth], [leaf]);
    }
    for (const below of children.values()) {
      const value = meanOf(below.map(({ reward }) => reward));
      for (const { out } of below) out[node.depth] = value - node.value;
      open.push({ below, depth: node.depth + 1, value });
    }
  }
}
