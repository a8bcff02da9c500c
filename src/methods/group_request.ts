/** What is asked of sampling: a problem, and how its group comes to be. */
import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';

/** A problem that is to be sampled. */
export interface GroupRequest {
  readonly item: TaskItem;
  /** Completions: the size of the group. */
  readonly samples: number;
  /** They are sampled under this prompt, and trained under it unless a strategy changes that; absent: the problem's own. */
  readonly prompt?: Int32Array;
  /** [samples] tokens that each completion begins with; they are not sampled, and carry no loss. */
  readonly prefixes?: readonly Int32Array[];
  /**
   * Share of an expert's turns that he plays in each episode before the policy does, all but the last at most: tokens that
   * carry no loss. Absent, or where the problem is answered by one text: none.
   */
  readonly expertShare?: number;
  /**
   * [samples] at which each completion is sampled, 0: greedy; absent: that of the stage. One at another temperature than
   * the stage's is off-policy.
   */
  readonly temperatures?: readonly number[];
  /** Most tokens that are sampled after its beginnings; one that stops there ends by `length`. Absent: to the end. */
  readonly turnTokens?: number;
  /** What metrics and logs call its rollouts; absent: its kind, or nothing. */
  readonly origin?: string;
  /**
   * What is asked where it is not to solve the problem: `verify`. Its groups are judged by `judge`, normalised by
   * themselves, and are no visits of the problem; other strategies and group steps do not see them.
   */
  readonly kind?: string;
  /** Judges a text in the place of the task; the score is its reward. */
  readonly judge?: (text: string) => Verdict;
}

/** `each`: given for each completion. `aids`: the policy is not alone with the whole problem. */
type Trait = 'each' | 'aids';

/** What it says of a request to have a member. */
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
 * Whether a problem is asked as a stage asks it, with nothing else said. Some strategies can do with less: that nothing is said
 * of a trait.
 *
 * - no `each`: all of its completions are asked alike, so that others may be asked as they are
 * - no `aids`: what comes of it says how well the policy solves the problem
 */
export function isPlain(request: GroupRequest, without?: Trait): boolean {
  return Object.entries(TRAITS).every(([member, traits]) => {
    const value = request[member as keyof typeof TRAITS];
    return value === undefined || value === 0 || (without !== undefined && !traits.includes(without));
  });
}

const GIVEN_FOR_EACH = Object.keys(TRAITS).filter((member) => TRAITS[member as keyof typeof TRAITS].includes('each'));

/** The request with these of its completions, each with what is given for it. @param places  of completions, from 0 */
export function withPlaces(request: GroupRequest, places: readonly number[]): GroupRequest {
  const given = Object.entries(request).filter(([member, own]) => own !== undefined && GIVEN_FOR_EACH.includes(member));
  const taken = given.map(([member, own]) => [member, places.map((i) => (own as readonly unknown[])[i])] as const);
  return { ...request, samples: places.length, ...Object.fromEntries(taken) };
}
