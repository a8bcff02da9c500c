/**
 * Samples long completions in segments, so that a step need not wait for the longest: some problems more than a batch
 * has are under way, all of them continue by a segment at a time, and a batch is made of the groups that are finished
 * first. The others continue at the next step, under the weights of then.
 *
 * Each token keeps the log-prob that it was sampled with, so the ratio of a token to its own sampler is what is
 * clipped: that of tokens of this step is 1. A completion with tokens of earlier steps is off-policy. Here groups stay
 * whole, for their baseline.
 */
import { isPlain } from '../../../../src/methods/group_request.ts';
import type { GroupRequest, Json, Rollout, RolloutGroup, RolloutStrategy } from '../kit.ts';
import { integer, keys, meanOf, method, number } from '../kit.ts';
import { continued, isOpen } from '../support/rollouts/continued.ts';
import { requireStored, restored, type StoredGroup, stored } from '../support/rollouts/stored_groups.ts';

export const segmentRollout = method({
  id: 'segment-rollout',
  about: {
    does: 'Samples long completions a segment at a time, and trains on the groups that are finished first.',
    names: ['UloRL', 'partial rollouts', 'APRIL'],
    formula:
      '(1 + ahead)·n problems under way, a segment of segment_tokens each in turn, until n groups are at their end; log-probs by token',
    source: '2507.19766',
    certainty: 'after the paper',
    when: 'Where a few long completions hold up a batch; at lengths that are alike it only makes rollouts stale.',
  },
  options: keys({
    segmentTokens: integer({ min: 0, max: 1_000_000, example: 64 })
      .default(64)
      .describe('Tokens of a segment; 0: completions are sampled whole.'),
    ahead: number({ min: 0, max: 8, example: 0.5 })
      .default(0.5)
      .describe('Problems that are under way besides those of a batch, for each of them.'),
  }),
  samplesOffPolicy: ({ segmentTokens, ahead }) => segmentTokens > 0 && ahead > 0,
  warn: (_, { groupSteps }) =>
    groupSteps.length > 0
      ? 'group_steps see a group again with each segment; use one whose result does not depend on the others of a group'
      : undefined,
  create: ({ segmentTokens, ahead }): RolloutStrategy => {
    let underWay: readonly StoredGroup[] = [];
    return {
      async rollOut(requests, next, { step, draw, regroup, mostTokens, metric }) {
        // What another strategy asks otherwise has to be there when that continues.
        if (segmentTokens === 0 || !requests.every((request) => isPlain(request))) return next(requests);
        const goesOn = (rollout: Rollout): boolean => isOpen(rollout, mostTokens);
        const isUnfinished = ({ group }: UnderWay): boolean => group.rollouts.some(goesOn);
        const segmented = async (asked: readonly GroupRequest[]) =>
          asked.length === 0 ? [] : next(asked.map((request) => ({ ...request, turnTokens: segmentTokens })));
        const withPieces = (one: UnderWay, { rollouts }: RolloutGroup): UnderWay => {
          const pieces = [...rollouts];
          const joined = one.group.rollouts.map((rollout) =>
            goesOn(rollout) ? longer(rollout, pieces.shift() as Rollout) : rollout,
          );
          return { ...one, group: { ...one.group, rollouts: joined } };
        };

        const more = Math.max(0, Math.round(ahead * requests.length) - underWay.length);
        const before = underWay.map((group) => ({ step: group.step, group: restored(group) }));
        const drawn = more === 0 ? [] : await draw(more);
        const begun = await segmented([...requests, ...drawn]);
        let all: UnderWay[] = [...before, ...begun.map((group) => ({ step, group }))];
        let open = before.filter(isUnfinished);
        let rounds = 1;
        for (; ; rounds++) {
          const pieces = await segmented(open.map(({ group }) => restOf(group, goesOn)));
          const gone = open.map((one, i) => withPieces(one, pieces[i]));
          all = all.map((one) => gone[open.indexOf(one)] ?? one);
          open = all.filter(isUnfinished);
          if (all.length - open.length >= requests.length) break;
        }
        const batch = all.filter((one) => !open.includes(one)).slice(0, requests.length);
        underWay = all.filter((one) => !batch.includes(one)).map(({ group, step: then }) => stored(group, then));
        metric('rounds', rounds);
        metric('under_way', underWay.length);
        metric('age', meanOf(batch.map((one) => step - one.step)));
        return batch.map(({ group, step: then }) => {
          const { rollouts } = group;
          return regroup(group, then === step ? rollouts : rollouts.map((one) => ({ ...one, isOffPolicy: true })));
        });
      },
      state: () => underWay as unknown as Json, // plain data
      restore(state) {
        underWay = requireStored(state);
      },
    };
  },
});

/** A group some of whose completions may not be at their end. */
interface UnderWay {
  /** Optimizer steps of the stage when its problem was asked. */
  readonly step: number;
  readonly group: RolloutGroup;
}

/** The next segment of what is not at its end. */
function restOf({ item, rollouts }: RolloutGroup, goesOn: (rollout: Rollout) => boolean): GroupRequest {
  const prefixes = rollouts.filter(goesOn).map(({ tokens }) => tokens);
  return { item, samples: prefixes.length, prefixes };
}

/** A completion with its next piece; of the weights that it was begun with, as far as one number says so. */
function longer(rollout: Rollout, piece: Rollout): Rollout {
  const { weightsVersion } = rollout;
  return { ...continued(rollout, piece), ...(weightsVersion !== undefined && { weightsVersion }) };
}
