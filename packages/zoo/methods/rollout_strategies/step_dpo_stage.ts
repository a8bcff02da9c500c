/**
 * Pairs of one stage for another: a stage that samples keeps of each group a right completion beside the wrong one that agrees
 * with it for longest, so that the pair shows the step at which one goes wrong, and the stage after it trains on such pairs
 * without sampling. GRPO, DPO on its pairs, GRPO again: the loop of arXiv:2505.19000.
 *
 *   sampled   every group as it is; of each that has both kinds, its pair goes to the back of the queue
 *   stored    the pairs at the front of the queue are the groups, and go to its back; where there are fewer than were asked for, the rest is sampled, and kept
 *
 * What a pair has in common cancels in DPO's margin, so only what follows the parting counts (arXiv:2406.18629). A stage takes
 * over the pairs of the stage just before it, where that has this strategy too; one that samples begins with none.
 */
import type { Json, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { choice, integer, keys, meanOf, method, usesMethod } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { replayedGroup, requireStored, type StoredGroup, stored } from '../support/rollouts/stored_groups.ts';

/** What goes from step to step. */
interface Kept {
  /** Optimizer steps of the stages before whose pairs were taken over, and of this one when it was last asked. */
  readonly before: number;
  readonly last: number;
  /** The first is the next to be trained on. */
  readonly pairs: readonly StoredGroup[];
}

export const stepDpoStage = method({
  id: 'step-dpo-stage',
  about: {
    does: 'Keeps pairs of right and wrong completions, and gives them to the next stage, which trains on them without sampling.',
    names: ['VerIPO', 'Step-DPO', 'pairs of an earlier stage'],
    formula:
      'sampled: pair of a group = its right and wrong completions with the longest common beginning; stored: groups ← pairs, oldest first',
    source: '2505.19000',
    certainty: 'after the paper',
    when: 'Where sampling is dear and a later stage is to learn from what was sampled; the pairs go stale.',
  },
  options: keys({
    pairsFrom: choice(['sampled', 'stored'])
      .default('sampled')
      .describe('sampled: sample, and keep the pairs; stored: train on those that are kept.'),
    pairsKept: integer({ min: 1, max: 4096, example: 512 })
      .default(512)
      .describe('Pairs that are kept; beyond, the oldest are forgotten.'),
    ...SOLVED_OPTIONS,
  }),
  samplesOffPolicy: ({ pairsFrom }) => pairsFrom === 'stored',
  warn: ({ pairsFrom }, methods) =>
    pairsFrom === 'stored' && !usesMethod(methods, 'dpo-pairs')
      ? 'gives groups of one right and one wrong completion, which objective: dpo-pairs learns from as pairs'
      : undefined,
  tells: ['replays'],
  create: ({ pairsFrom, pairsKept, ...solved }): RolloutStrategy => {
    const solves = solvedBy(solved);
    let kept: Kept = { before: 0, last: 0, pairs: [] };
    return {
      async rollOut(requests, next, { step, regroup, metric }) {
        const now = kept.before + step;
        const given = pairsFrom === 'stored' ? kept.pairs.slice(0, requests.length) : [];
        const asked = requests.slice(given.length);
        const groups = asked.length === 0 ? [] : await next(asked);
        const found = groups.flatMap((group) => {
          const pair = partingPair(group, solves);
          return pair === undefined ? [] : [stored(regroup(group, pair), now)];
        });
        const pairs = [...kept.pairs.slice(given.length), ...given, ...found].slice(-pairsKept);
        kept = { ...kept, last: step, pairs };
        metric('kept', pairs.length);
        metric('replayed', given.length / requests.length);
        if (given.length > 0) metric('age', meanOf(given.map((pair) => now - pair.step)));
        return [...given.map((pair) => replayedGroup(pair, now)), ...groups];
      },
      state: () => kept as unknown as Json, // plain data
      restore(state) {
        kept = requireKept(state);
      },
      takeOver(state) {
        const { before, last, pairs } = requireKept(state);
        // A stage that samples makes pairs of the policy as it is now.
        kept = { before: before + last + 1, last: 0, pairs: pairsFrom === 'stored' ? pairs : [] };
      },
    };
  },
});

/** @throws TypeError where that is nothing that `state` wrote */
function requireKept(state: Json): Kept {
  const { before, last, pairs } = state as unknown as Kept;
  if (!Number.isInteger(before) || !Number.isInteger(last)) throw new TypeError('stored pairs of another form');
  return { before, last, pairs: requireStored(pairs as unknown as Json) };
}

/**
 * The right and the wrong completion that agree for longest; of several pairs the first. Under the problem's own prompt:
 * others have answered something else. Undefined where all are right, or none.
 */
function partingPair(
  { rollouts }: RolloutGroup,
  solves: ReturnType<typeof solvedBy>,
): readonly [right: Rollout, wrong: Rollout] | undefined {
  const own = rollouts.filter(({ prompt, inLoss }) => prompt === undefined && inLoss !== false);
  const wrong = own.filter((one) => !solves(one));
  const pairs = own
    .filter(solves)
    .flatMap((one) => wrong.map((other) => ({ pair: [one, other] as const, common: common(one, other) })));
  if (pairs.length === 0) return undefined;
  return pairs.reduce((best, one) => (one.common > best.common ? one : best)).pair;
}

/** Tokens of the beginning that two completions have in common. */
function common({ tokens: one }: Rollout, { tokens: other }: Rollout): number {
  const parting = one.findIndex((token, t) => token !== other[t]);
  return parting < 0 ? one.length : parting;
}
