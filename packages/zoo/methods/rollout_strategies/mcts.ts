/**
 * Searches instead of sampling: a problem's completions are grown as a tree of segments. Each time the open node of the
 * highest score gets some children, a segment each, until the tree has enough leaves; the leaves that differ most in
 * worth are the group.
 *
 *   Q(s)     ← Q(s) + max(depth(s)/depth(leaf), 0.1)·q for each leaf below, q = 1 where it is right, else −1; right overrides wrong
 *
 * H is the mean entropy of a segment. Where no leaf is right, the wrong one of least entropy is among those that are
 * kept: what the policy is sure of and is wrong about teaches most. DeepSearch, arXiv:2509.25454; siblings are all
 * sampled at once here, so that there is none to choose among. Every token of a leaf was sampled by the policy, and is
 * trained on with the log-prob that it had; tokens that leaves share come once in each. `segment-tree` credits
 * segments, `success-replay` remembers solutions.
 */
import { isPlain } from '../../../../src/methods/group_request.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import type { GroupRequest, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { integer, isRight, keys, lossTokens, meanOf, method, number, renamedKey } from '../kit.ts';
import { continued, isOpen } from '../support/rollouts/continued.ts';

export const mcts = method({
  id: 'mcts',
  about: {
    does: 'Grows the completions of a hard problem as a tree, where value and uncertainty say so.',
    names: ['DeepSearch', 'Monte Carlo tree search', 'tree search'],
    formula:
      'expand argmax value_weight·tanh(Q_parent) + entropy_weight·H + depth_weight·√(depth/deepest) by `width` segments; leaves are the group',
    source: '2509.25454',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  agrees: ['segment_tokens'],
  options: keys({
    segmentTokens: integer({ min: 1, max: 1_000_000, example: 16 }).default(16).describe('Tokens of a segment.'),
    width: integer({ min: 1, max: 64, example: 4 }).default(4).describe('Children of a node.'),
    expansions: integer({ min: 0, max: 4096, example: 8 })
      .default(8)
      .describe('Nodes that get children, besides the root, at most; 0 samples plainly.'),
    hardBelow: number({ min: 0, max: 1, example: 0.25 })
      .default(1)
      .describe(
        'Problems are searched whose known solve rate is not above this; one that was never asked plainly is not. Default {default}: all are.',
      ),
    valueWeight: number({ min: 0, example: 0.4 }).default(0.4).describe('Of the value of the parent.'),
    entropyWeight: renamedKey(
      'uncertainty_weight',
      'entropy_weight',
      number({ min: 0, example: 0.4 }).default(0.4).describe('Of the mean entropy of the segment.'),
    ),
    depthWeight: number({ min: 0, example: 0.2 }).default(0.2).describe('Of how deep the node is.'),
  }),
  uses: () => [ledger()],
  readsVerdicts: true,
  work: ({ expansions, width, segmentTokens }, { batch: { numGenerations } }, { completion }) => ({
    rows:
      expansions === 0
        ? 0
        : Math.max(0, (1 + expansions) * width - numGenerations) * Math.min(segmentTokens, completion),
  }),
  create: (options): RolloutStrategy => ({
    async rollOut(requests, next, { ledger: known, mostTokens, regroup, metric }) {
      const { expansions, hardBelow, segmentTokens, width } = options;
      const isHard = (request: GroupRequest): boolean =>
        isPlain(request, 'each') && (hardBelow === 1 || (known.get(request.item)?.solved ?? 1) <= hardBelow);
      if (expansions === 0 || !requests.some(isHard)) return next(requests);
      const easy = requests.filter((request) => !isHard(request));
      const plain = easy.length === 0 ? [] : [...(await next(easy))];
      const trees = requests.filter(isHard).map((request) => new Tree(request, options, mostTokens));
      for (let round = 0; round <= expansions; round++) {
        const growing = trees.filter((tree) => tree.grows());
        if (growing.length === 0) break;
        const children = await next(growing.map((tree) => ({ ...tree.expand(width), turnTokens: segmentTokens })));
        growing.forEach((tree, i) => {
          tree.take(children[i]);
        });
      }
      const ending = trees.filter((tree) => tree.missing > 0);
      const ends = ending.length === 0 ? [] : await next(ending.map((tree) => tree.finish()));
      ending.forEach((tree, i) => {
        tree.end(ends[i]);
      });
      const leaves = trees.flatMap((tree) => tree.leaves);
      metric('searched', trees.length / requests.length);
      metric('leaves', leaves.length / trees.length);
      metric('solved', meanOf(leaves.map((leaf) => Number(isRight(leaf)))));
      metric('tokens', trees.reduce((sum, tree) => sum + tree.tokens, 0) / trees.length);
      const found = trees.map((tree) => regroup(tree.group, tree.kept()));
      const inOrder = requests.map((request) => (isHard(request) ? found : plain).shift() as RolloutGroup);
      return [...inOrder, ...plain];
    },
  }),
});

/** A beginning of completions: the root, which has no tokens, or one that was sampled. */
interface Node {
  readonly parent: Node | undefined;
  readonly depth: number;
  /** Undefined: the root. */
  readonly rollout: Rollout | undefined;
  /** Mean entropy of its segment, in nats. */
  readonly entropy: number;
  value: number;
  isExpanded: boolean;
}

interface Weights {
  readonly valueWeight: number;
  readonly entropyWeight: number;
  readonly depthWeight: number;
}

/** The search of one problem. */
class Tree {
  group!: RolloutGroup;
  /** Completions at their end. */
  readonly leaves: Rollout[] = [];
  /** Sampled tokens, of leaves or not. */
  tokens = 0;
  readonly #request: GroupRequest;
  readonly #weights: Weights;
  readonly #mostTokens: number;
  readonly #nodes: Node[] = [
    { parent: undefined, depth: 0, rollout: undefined, entropy: 0, value: 0, isExpanded: false },
  ];
  #expanded: Node = this.#nodes[0];

  constructor(request: GroupRequest, weights: Weights, mostTokens: number) {
    this.#request = request;
    this.#weights = weights;
    this.#mostTokens = mostTokens;
  }

  /** Leaves that a group still lacks. */
  get missing(): number {
    return Math.max(0, this.#request.samples - this.leaves.length);
  }

  /** Whether there is something to expand, and a use for it. */
  grows(): boolean {
    return this.missing > 0 && this.#nodes.some(isFrontier);
  }

  /** The node of the highest score, with its children to come; of equal ones the first. */
  expand(width: number): GroupRequest {
    const deepest = Math.max(1, ...this.#nodes.map(({ depth }) => depth));
    const { valueWeight, entropyWeight, depthWeight } = this.#weights;
    const scoreOf = ({ parent, entropy, depth }: Node): number =>
      valueWeight * Math.tanh(parent?.value ?? 0) + entropyWeight * entropy + depthWeight * Math.sqrt(depth / deepest);
    this.#expanded = this.#nodes.filter(isFrontier).reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best));
    this.#expanded.isExpanded = true;
    return this.#from([...Array(width)].map(() => this.#expanded));
  }

  /** What was sampled from the node that was expanded last. */
  take(children: RolloutGroup): void {
    this.group ??= children;
    for (const piece of children.rollouts) this.#add(this.#expanded, piece);
  }

  /** As many completions as are missing, to their end, from the open nodes of most depth; from the root where none is open. */
  finish(): GroupRequest {
    const open = this.#nodes.filter(isFrontier).sort((a, b) => b.depth - a.depth);
    const from = open.length === 0 ? [this.#nodes[0]] : open;
    this.#ending = Array.from({ length: this.missing }, (_, i) => from[i % from.length]);
    return this.#from(this.#ending);
  }

  #ending: readonly Node[] = [];

  end(pieces: RolloutGroup): void {
    this.group ??= pieces;
    pieces.rollouts.forEach((piece, i) => {
      this.#add(this.#ending[i], piece);
    });
  }

  /** The group: right and wrong ones alike as far as there are, the surest of the wrong ones first. */
  kept(): readonly Rollout[] {
    const { samples } = this.#request;
    const right = this.leaves.filter(isRight);
    const wrong = this.leaves.filter((leaf) => !isRight(leaf)).sort((a, b) => meanEntropy(a, 0) - meanEntropy(b, 0));
    const ofRight = Math.min(right.length, Math.max(Math.ceil(samples / 2), samples - wrong.length));
    return [...right.slice(0, ofRight), ...wrong.slice(0, samples - ofRight)];
  }

  #from(nodes: readonly Node[]): GroupRequest {
    const prefixes = nodes.map(({ rollout }) => rollout?.tokens ?? new Int32Array());
    const isRoot = prefixes.every(({ length }) => length === 0);
    return { ...this.#request, samples: nodes.length, ...(!isRoot && { prefixes }), origin: 'searched' };
  }

  #add(parent: Node, piece: Rollout): void {
    this.tokens += lossTokens(piece);
    const rollout = parent.rollout === undefined ? piece : continued(parent.rollout, piece);
    const isLeaf = !isOpen(rollout, this.#mostTokens);
    const entropy = meanEntropy(rollout, parent.rollout?.tokens.length ?? 0);
    const node: Node = { parent, depth: parent.depth + 1, rollout, entropy, value: 0, isExpanded: isLeaf };
    this.#nodes.push(node);
    if (!isLeaf) return;
    this.leaves.push(rollout);
    backUp(node, isRight(rollout) ? 1 : -1);
  }
}

function isFrontier({ isExpanded }: Node): boolean {
  return !isExpanded;
}

/** Adds what a leaf is worth to all above it: less near the root, and nothing wrong to what has led to something right. */
function backUp(leaf: Node, worth: 1 | -1): void {
  for (let node: Node | undefined = leaf; node !== undefined; node = node.parent) {
    const own = Math.max(node.depth / leaf.depth, 0.1) * worth;
    if (worth > 0 && node.value < 0) node.value = own;
    else if (worth > 0 || node.value <= 0) node.value += own;
  }
}

function meanEntropy({ entropies }: Rollout, from: number): number {
  return meanOf([...entropies.subarray(from)]);
}
