/** What most completions of a group answer, and how far that is right: what votes share. */
import { choice, isRight, type Json, key, meanOf, type Rollout, type RolloutGroup } from '../../kit.ts';
import type { Target } from './reward_parts.ts';

/** Weight of the newest round in the moving average of the accuracy. */
const NEWEST = 0.1;

/** What most of a group say. */
export interface Vote {
  /** Undefined where no completion has an answer. */
  readonly answer: string | undefined;
  /** Share of the whole group. */
  readonly share: number;
  readonly isRight: boolean;
}

export const voteByOption = key(
  'vote_by',
  choice(['canonical', 'text'])
    .default('canonical')
    .describe(
      "What is counted: the verdict's normal form of an answer where it gives one, else its text; or always the text, of which the verifier decides nothing.",
    ),
);

export type AnswerOf = (rollout: Rollout) => string | undefined;

/** The answer of a completion; undefined for what is invalid or cut off. */
export function answerBy(by: 'canonical' | 'text'): AnswerOf {
  return ({ verdict, text }) => {
    if (verdict.status === 'invalid' || verdict.status === 'truncated') return undefined;
    return (by === 'canonical' ? verdict.canonical : undefined) ?? text.trim();
  };
}

/** The answer with the most votes; among equals, the one given first. */
export function voteOf({ rollouts }: RolloutGroup, answerOf: AnswerOf): Vote {
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
    isRight: most.some(isRight),
  };
}

/** A group whose completions are paid where they answer as the vote does, and have no reward where there was none. */
export function paidByVote(
  group: RolloutGroup,
  vote: Vote | undefined,
  answerOf: AnswerOf,
  { write }: Target,
): RolloutGroup {
  const rollouts = group.rollouts.map((rollout) => {
    if (vote === undefined) return write(rollout, null);
    const answer = answerOf(rollout);
    return write(rollout, Number(answer !== undefined && answer === vote.answer));
  });
  return { ...group, rollouts };
}

/** The share of the majority beside the accuracy that nothing is paid for, and how far the two fall apart. */
export class VoteWatch {
  #accuracy: number | null = null;
  #best = 0;

  log(groups: readonly RolloutGroup[], votes: readonly Vote[], metric: (name: string, value: number) => void): void {
    const share = meanOf(votes.map((vote) => vote.share));
    const right = groups.flatMap(({ rollouts }) => rollouts.map((one) => Number(isRight(one))));
    const accuracy = meanOf(right);
    const before = this.#accuracy ?? accuracy;
    this.#accuracy = before + NEWEST * (accuracy - before);
    this.#best = Math.max(this.#best, this.#accuracy);
    metric('share', share);
    metric('accuracy', accuracy);
    metric('label_accuracy', meanOf(votes.map(({ isRight }) => Number(isRight))));
    metric('collapse', share * Math.max(0, this.#best - this.#accuracy));
  }

  state(): Json {
    return { accuracy: this.#accuracy, best: this.#best };
  }

  restore(state: Json): void {
    const { accuracy, best } = state as { accuracy: number | null; best: number }; // written by `state`
    this.#accuracy = accuracy;
    this.#best = best;
  }
}
