/**
 * Labels without labels: the answer that most of a group give counts as right. Completions without an answer (invalid, or
 * cut off) have no vote and no reward; of answers with equally many votes, the one given first counts. arXiv:2504.16084.
 *
 * Where the policy is more often right than wrong this is nearly the true reward; where it is not, the policy collapses to
 * one answer. So the true accuracy is logged beside the share of the majority, and `collapse` is above 0 where that share
 * is high while accuracy has fallen: share · (best accuracy − accuracy), both as moving averages.
 */
import type { Json } from '../../options/json.ts';
import { choice, key } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { GroupStep } from '../points.ts';
import type { Rollout, RolloutGroup } from '../records.ts';
import { meanOf } from '../statistics.ts';
import { changeConflict, changedReward, targetOf } from './reward_parts.ts';

/** Weight of the newest round in the moving average of the accuracy. */
const NEWEST = 0.1;

/** What most of a group say. */
interface Vote {
  /** Undefined where nobody has an answer. */
  readonly answer: string | undefined;
  /** Of the whole group. */
  readonly share: number;
  readonly isRight: boolean;
}

interface Watched {
  accuracy: number | null;
  best: number;
}

export const majority = method({
  id: 'majority',
  about: {
    does: 'Rewards the answer that most of a group give; needs no right answers.',
    formula: 'R = 1[answer = mode of the group]',
    source: '2504.16084',
    certainty: 'paper',
  },
  options: {
    votedReward: changedReward,
    votedBy: key(
      'vote_by',
      choice(['canonical', 'text'])
        .default('canonical')
        .describe(
          "What is counted: the verdict's normal form of an answer where it gives one, else its text; or always the text, of which the verifier decides nothing. Default canonical.",
        ),
    ),
  },
  conflict: changeConflict,
  create: ({ votedReward, votedBy }, stage): GroupStep => {
    const target = targetOf(stage, votedReward);
    const watched: Watched = { accuracy: null, best: 0 };
    const answerOf = ({ verdict, text }: Rollout): string | undefined => {
      if (verdict.status === 'invalid' || verdict.status === 'truncated') return undefined;
      return (votedBy === 'canonical' ? verdict.canonical : undefined) ?? text.trim();
    };
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const votes = groups.map((group) => voteOf(group, answerOf));
        const share = meanOf(votes.map((vote) => vote.share));
        const right = groups.flatMap(({ rollouts }) => rollouts.map(({ verdict }) => Number(verdict.score === 1)));
        watch(watched, meanOf(right));
        metric('share', share);
        metric('accuracy', meanOf(right));
        metric('label_accuracy', meanOf(votes.map(({ isRight }) => Number(isRight))));
        metric('collapse', share * Math.max(0, watched.best - (watched.accuracy ?? 0)));
        return groups.map((group, g) => ({
          ...group,
          rollouts: group.rollouts.map((rollout) => {
            const answer = answerOf(rollout);
            return target.write(rollout, Number(answer !== undefined && answer === votes[g].answer));
          }),
        }));
      },
      state: () => ({ ...watched }),
      restore(state: Json) {
        Object.assign(watched, state as unknown as Watched); // written by `state`
      },
    };
  },
});

function watch(watched: Watched, accuracy: number): void {
  const before = watched.accuracy ?? accuracy;
  watched.accuracy = before + NEWEST * (accuracy - before);
  watched.best = Math.max(watched.best, watched.accuracy);
}

function voteOf({ rollouts }: RolloutGroup, answerOf: (rollout: Rollout) => string | undefined): Vote {
  const voters = new Map<string, Rollout[]>(); // in the order of first votes
  for (const rollout of rollouts) {
    const answer = answerOf(rollout);
    if (answer !== undefined) voters.set(answer, [...(voters.get(answer) ?? []), rollout]);
  }
  let [answer, most]: [string | undefined, readonly Rollout[]] = [undefined, []];
  for (const [given, by] of voters) if (by.length > most.length) [answer, most] = [given, by];
  return {
    answer,
    share: most.length / Math.max(1, rollouts.length),
    isRight: most.some(({ verdict }) => verdict.score === 1),
  };
}
