/**
 * Branches where the policy hesitates between two tokens, and keeps a branch only if it leads elsewhere: a completion
 * is sampled whole; at each place where the second token is nearly as likely as the first, one that takes the other
 * token looks ahead a few tokens, and is pruned where these are much the same as those of its sibling. The others are
 * sampled to their end, and branch in turn, until the group has its leaves; what is then missing is sampled plainly.
 *
 *   share of groups that are trees: 1, ¾, ½, ¼, 0 from the steps of `schedule` on
 *
 * What a branch inherits, the token that it is forced to take included, carries no loss: it is trained on where it was
 * sampled. Places come in their order. The paper branches while it samples; here a trunk is scored once it is there.
 */
import { isPlain } from '../../../../src/methods/group_request.ts';
import type { GroupRequest, Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { integer, keys, meanOf, method, number } from '../kit.ts';
import { continued, isOpen } from '../support/rollouts/continued.ts';
import { editDistance } from '../support/rollouts/edit_distance.ts';
import { membersOf } from '../support/rollouts/request_members.ts';
import { likeliestTokens } from '../uses/likeliest_tokens.ts';

/** Shares of trees, and the optimizer steps of the stage from which they hold, as parts of the last of them. */
const SHARES = [1, 0.75, 0.5, 0.25, 0] as const;
const FROM = [0, 0.05, 0.1, 0.4, 1] as const;

/** Generations of branches: those of a completion, of its branches, and so on. */
const GENERATIONS = 4;

export const latr = method({
  id: 'latr',
  about: {
    does: 'Branches where two tokens are nearly as likely, and prunes branches that come out alike.',
    names: ['LATR', 'lookahead tree-based rollouts'],
    formula:
      'branch where p_2 > least_probability and p_1 − p_2 < most_gap; prune where edits over lookahead tokens/lookahead < least_distance; n leaves',
    source: '2510.24302',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'entropy-collapse'],
  options: keys({
    leastProbability: number({ min: 0, max: 0.5, example: 0.25 }).default(0.25).describe('τ_abs, of the second token.'),
    mostGap: number({ min: 0, max: 1, example: 0.15 })
      .default(0.15)
      .describe('τ_rel, between the two likeliest tokens; 0 never branches.'),
    lookahead: integer({ min: 1, max: 1_000_000, example: 20 })
      .default(20)
      .describe('Tokens that a branch is compared by.'),
    leastDistance: number({ min: 0, max: 1, example: 0.4 })
      .default(0.4)
      .describe('Edits for each of these tokens below which a branch is pruned.'),
    treeSteps: integer({ min: 0, example: 200 })
      .default(200)
      .describe('Optimizer steps of the stage over which fewer and fewer groups are trees; 0: none is.'),
  }),
  uses: () => [likeliestTokens],
  warn: (_, { groupSteps }) =>
    groupSteps.length > 0
      ? 'group_steps see a completion and its branches apart, in rounds of sampling; use one whose result does not depend on the others of a group'
      : undefined,
  work: (_, { batch: { numGenerations } }, { prompt, completion }) => ({
    rows: prompt + (numGenerations / 2) * completion,
  }),
  create: (options): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const { treeSteps, mostGap, lookahead } = options;
      const { step, rng, regroup, metric, mostTokens } = tools;
      const share = treeShare(step, treeSteps);
      const isTree = requests.map((request) => {
        const isDrawn = rng.float() < share; // one draw for each
        return isDrawn && mostGap > 0 && isPlain(request, 'each');
      });
      if (!isTree.includes(true)) return next(requests);
      const first = await next(requests.map((request, i) => (isTree[i] ? membersOf(request, 0, 1) : request)));
      const trees = requests.flatMap((request, i) => (isTree[i] ? [new Tree(request, first[i])] : []));
      let [candidates, pruned] = [0, 0];
      for (let generation = 0; generation < GENERATIONS; generation++) {
        const growing = trees.filter((tree) => tree.missing > 0 && tree.unscored.length > 0);
        if (growing.length === 0) break;
        const places = await branchesOf(growing, options, tools);
        const asked = growing.flatMap((tree, i) => (places[i].length === 0 ? [] : [{ tree, branches: places[i] }]));
        if (asked.length === 0) break;
        const ahead = await next(
          asked.map(({ tree, branches }) => ({
            ...tree.begun(branches.map(({ begun }) => begun)),
            turnTokens: lookahead,
          })),
        );
        const kept = asked.map(({ tree, branches }, i) => {
          const apart = ahead[i].rollouts.filter((rollout, k) => differs(rollout, branches[k], options));
          candidates += branches.length;
          pruned += branches.length - apart.length;
          return { tree, rollouts: apart.slice(0, tree.missing) };
        });
        const open = kept.flatMap(({ tree, rollouts }) => {
          const unended = rollouts.filter((rollout) => isOpen(rollout, mostTokens));
          return unended.length === 0 ? [] : [{ tree, unended }];
        });
        const ends =
          open.length === 0
            ? []
            : await next(open.map(({ tree, unended }) => tree.begun(unended.map(({ tokens }) => tokens))));
        const whole = new Map(
          open.flatMap(({ unended }, i) =>
            unended.map((rollout, k) => [rollout, continued(rollout, ends[i].rollouts[k])] as const),
          ),
        );
        for (const { tree, rollouts } of kept) tree.grow(rollouts.map((rollout) => whole.get(rollout) ?? rollout));
      }
      const short = trees.filter(({ missing }) => missing > 0);
      const rest = short.length === 0 ? [] : await next(short.map((tree) => tree.rest()));
      short.forEach((tree, i) => {
        tree.grow(rest[i].rollouts);
      });
      metric('trees', trees.length / requests.length);
      metric('pruned', pruned / Math.max(1, candidates));
      metric('branches', meanOf(trees.map(({ leaves }) => leaves.filter(({ origin }) => origin === 'branch').length)));
      const grown = [...trees];
      return first.map((group, i) => {
        const tree = isTree[i] ? grown.shift() : undefined;
        return tree === undefined ? group : regroup(group, tree.leaves);
      });
    },
  }),
});

/** Share of the groups that are trees. */
function treeShare(step: number, treeSteps: number): number {
  if (treeSteps === 0) return 0;
  const at = FROM.findLastIndex((from) => step >= from * treeSteps);
  return SHARES[at];
}

/** The completions of one problem. */
class Tree {
  readonly leaves: Rollout[] = [];
  /** Those whose places have not been looked at. */
  unscored: Rollout[] = [];
  readonly #request: GroupRequest;
  readonly prompt: Int32Array;

  constructor(request: GroupRequest, group: RolloutGroup) {
    this.#request = request;
    this.prompt = request.prompt ?? group.prompt;
    this.grow(group.rollouts);
  }

  get missing(): number {
    return this.#request.samples - this.leaves.length;
  }

  grow(leaves: readonly Rollout[]): void {
    this.leaves.push(...leaves);
    this.unscored.push(...leaves);
  }

  begun(prefixes: readonly Int32Array[]): GroupRequest {
    return { ...this.#request, samples: prefixes.length, prefixes, origin: 'branch' };
  }

  /** What is missing, sampled plainly. */
  rest(): GroupRequest {
    return membersOf(this.#request, this.leaves.length, this.missing);
  }
}

/** A branch: what it begins with, the other token last, and what its sibling has written from there. */
interface Branch {
  readonly begun: Int32Array;
  readonly sibling: Int32Array;
}

interface Thresholds {
  readonly leastProbability: number;
  readonly mostGap: number;
  readonly lookahead: number;
  readonly leastDistance: number;
}

/** [trees] the branches of what has not been looked at, at most twice as many as are missing; it then has been. */
async function branchesOf(
  trees: readonly Tree[],
  { leastProbability, mostGap, lookahead }: Thresholds,
  { likeliest }: RolloutTools,
): Promise<Branch[][]> {
  const found: Branch[][] = [];
  for (const tree of trees) {
    const trunks = tree.unscored;
    tree.unscored = [];
    const choices = await likeliest(
      tree.prompt,
      trunks.map(({ tokens }) => tokens),
      2,
    );
    const own = trunks.flatMap(({ tokens, labels }, i) => {
      const begin = (labels?.findLastIndex((label) => label !== 0) ?? -1) + 1; // what is inherited has branched already
      return Array.from(tokens.subarray(begin), (token, k): Branch | undefined => {
        const t = begin + k;
        const [one, two] = choices[i][t];
        if (two === undefined || two.probability <= leastProbability || one.probability - two.probability >= mostGap)
          return undefined;
        const other = [one, two].find((choice) => choice.token !== token);
        if (other === undefined) return undefined;
        const begun = Int32Array.from([...tokens.subarray(0, t), other.token]);
        return { begun, sibling: tokens.subarray(t, t + 1 + lookahead) };
      }).flatMap((branch) => branch ?? []);
    });
    found.push(own.slice(0, 2 * tree.missing));
  }
  return found;
}

/** Whether a branch has come out otherwise than its sibling. @param rollout  the branch, looked ahead */
function differs({ tokens }: Rollout, { begun, sibling }: Branch, { leastDistance }: Thresholds): boolean {
  const own = tokens.subarray(begun.length - 1);
  return editDistance(own, sibling) / Math.max(own.length, sibling.length) >= leastDistance;
}
