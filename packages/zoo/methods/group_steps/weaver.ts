/**
 * Only the agreement of the better verifiers is needed. Verifiers that nearly always say the same are left out; where
 * fewer than three are left, rates cannot be estimated, and the share of the votes is the reward.
 */
import { type GroupStep, type Json, keys, meanOf, method, number, type Rollout } from '../kit.ts';
import { posteriors, shareOfVotes, type VotePattern } from '../support/rewards/dawid_skene.ts';
import { rewardNames } from '../support/rewards/reward_names.ts';
import { mapRollouts, readerOf, unknownReward } from '../support/rewards/reward_parts.ts';

/** Fewest verifiers whose rates their votes can tell. */
const FEWEST = 3;

interface Seen {
  step: number;
  /** How often each pattern of votes was seen, older ones less. */
  counts: [VotePattern, number][];
}

export const weaver = method({
  id: 'weaver',
  about: {
    does: 'Joins weak verifiers by how good each turns out to be, without right answers.',
    formula: 'R = P(right | votes), by expectation maximization over the votes',
    source: '2506.18203',
    certainty: 'after the paper',
    when: 'Where there are several weak verifiers and no key; they must err independently of each other.',
  },
  options: keys({
    rewards: rewardNames(FEWEST, ['accuracy', 'positions', 'lcs']).describe(
      'The verifiers, by the names of their rewards.',
    ),
    votesFrom: number({ example: 0.5 }).default(0.5).describe('Reward from which a verifier says right.'),
    extreme: number({ min: 0, below: 0.5, example: 0.02 })
      .default(0.02)
      .describe('A verifier that says right less often, or wrong less often, is left out.'),
    memory: number({ min: 0, below: 1, example: 0.9 }).default(0.9).describe('What votes still weigh a step later.'),
  }),
  conflict: ({ rewards }, _, stage) => unknownReward(stage, ...(rewards as readonly string[])), // read by its schema
  pays: { does: 'makes' },
  create: ({ rewards, votesFrom, extreme, memory }, stage): GroupStep => {
    const readers = rewards.map((name) => readerOf(stage, name));
    const patternOf = (rollout: Rollout): VotePattern =>
      readers
        .map((read) => {
          const value = read(rollout);
          return value === null ? '-' : value >= votesFrom ? '1' : '0';
        })
        .join('');
    let seen: Seen = { step: 0, counts: [] };
    return {
      scope: 'group',
      apply(groups, { step, metric }) {
        const faded = step === seen.step ? 1 : memory;
        const counts = new Map(seen.counts.map(([pattern, count]) => [pattern, count * faded]));
        const patterns = groups.flatMap(({ rollouts }) => rollouts.map(patternOf));
        for (const pattern of patterns) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
        seen = { step, counts: [...counts].filter(([, count]) => count > 0) };
        const kept = readers.flatMap((_, j) => (isTelling(seen.counts, j, extreme) ? [j] : []));
        const all = readers.map((_, j) => j);
        const chances = kept.length < FEWEST ? undefined : posteriors(new Map(seen.counts), kept);
        const chanceOf = (pattern: VotePattern): number => chances?.get(pattern) ?? shareOfVotes(pattern, all);
        metric('verifiers', kept.length);
        metric('right', meanOf(patterns.map(chanceOf)));
        return mapRollouts(groups, (rollout) => {
          const pattern = patternOf(rollout);
          return { ...rollout, reward: /[01]/.test(pattern) ? chanceOf(pattern) : null };
        });
      },
      state: () => structuredClone(seen) as unknown as Json,
      restore(state: Json) {
        seen = structuredClone(state as unknown as Seen); // written by `state`
      },
    };
  },
});

/** Whether a verifier says both often enough. */
function isTelling(counts: readonly (readonly [VotePattern, number])[], place: number, extreme: number): boolean {
  const said = (vote: string): number =>
    counts.reduce((sum, [pattern, count]) => (pattern[place] === vote ? sum + count : sum), 0);
  const [right, wrong] = [said('1'), said('0')];
  return Math.min(right, wrong) > extreme * (right + wrong);
}
