/** A request for a group of completions of a problem. */
import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';

/** A problem that is to be sampled. */
export interface GroupRequest {
  readonly item: TaskItem;
  /** Completions, the size of the group. */
  readonly samples: number;
  /**
   * Completions are sampled under this prompt, and trained under it unless a strategy changes that; absent: the
   * problem's own.
   */
  readonly prompt?: Int32Array;
  /** [samples] given first tokens of each completion, which carry no loss. */
  readonly prefixes?: readonly Int32Array[];
  /**
   * Share of an expert's turns played in each episode before the policy, at most all but the last; their tokens carry
   * no loss. Absent, or for a single answer: none.
   */
  readonly expertShare?: number;
  /**
   * [samples] temperature of each completion, 0: greedy; absent: the stage's. Another temperature makes a completion
   * off-policy.
   */
  readonly temperatures?: readonly number[];
  /** Most tokens sampled after the given ones; a completion that stops there ends by `length`. Absent: no limit. */
  readonly turnTokens?: number;
  /** Name of its rollouts in metrics and logs; absent: its kind, or nothing. */
  readonly origin?: string;
  /**
   * What is asked other than to solve the problem: `verify`. Its groups are judged by `judge`, normalised separately,
   * and do not count as visits of the problem; other strategies and group steps do not see them.
   */
  readonly kind?: string;
  /** Judges a text instead of the task; the score is its reward. */
  readonly judge?: (text: string) => Verdict;
}

/** `each`: given per completion. `aids`: the policy has help, or only part of the problem. */
type Trait = 'each' | 'aids';

/** The traits that each member gives a request. */
const TRAITS: Readonly<Record<Exclude<keyof GroupRequest, 'item' | 'samples'>, readonly Trait[]>> = {
  prompt: ['aids'],
  prefixes: ['each', 'aids'],
  expertShare: ['aids'],
  temperatures: ['each'],
  turnTokens: ['aids'],
  origin: [],
  kind: ['aids'],
  judge: [],
};

/**
 * Whether a problem is asked exactly as the stage asks it. Some strategies need only the absence of a trait:
 *
 * - no `each`: all completions are asked alike, so that more may be asked the same way
 * - no `aids`: the result shows how well the policy solves the problem
 */
export function isPlain(request: GroupRequest, without?: Trait): boolean {
  return Object.entries(TRAITS).every(([member, traits]) => {
    const value = request[member as keyof typeof TRAITS];
    return value === undefined || value === 0 || (without !== undefined && !traits.includes(without));
  });
}

const GIVEN_FOR_EACH = Object.keys(TRAITS).filter((member) => TRAITS[member as keyof typeof TRAITS].includes('each'));

/** The request for some of its completions. @param places  indices of completions, from 0 */
export function withPlaces(request: GroupRequest, places: readonly number[]): GroupRequest {
  const given = Object.entries(request).filter(([member, own]) => own !== undefined && GIVEN_FOR_EACH.includes(member));
  const taken = given.map(([member, own]) => [member, places.map((i) => (own as readonly unknown[])[i])] as const);
  return { ...request, samples: places.length, ...Object.fromEntries(taken) };
}
