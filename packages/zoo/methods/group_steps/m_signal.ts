/** Where mixed groups are many and live ones few, the reward does not tell right from wrong. */
import { counts, type GroupStep, hasEqualRewards, isRight, method } from '../kit.ts';

export const mSignal = method({
  id: 'm-signal',
  about: {
    does: 'Measures which share of the groups is all right, all wrong or mixed, and how much of the batch can teach; changes nothing.',
    names: ['signal shares', 'effective batch'],
    formula:
      'all_right + all_wrong + mixed = 1 over groups, by verdict; live: share of groups whose rewards differ; real_batch: completions with a reward in live groups / all completions',
    source: 'own',
    certainty: 'own',
    when: 'To see how much of a batch can teach at all, before raising num_generations or adding a filter.',
  },
  onlyMeasures: true,
  create: (): GroupStep => ({
    scope: 'group',
    apply(groups, { metric }) {
      if (groups.length === 0) return groups;
      const share = (count: number): number => count / groups.length;
      const allRight = groups.filter(({ rollouts }) => rollouts.every(isRight)).length;
      const allWrong = groups.filter(({ rollouts }) => !rollouts.some(isRight)).length;
      const live = groups.filter((group) => !hasEqualRewards(group));
      const completions = groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
      metric('all_right', share(allRight));
      metric('all_wrong', share(allWrong));
      metric('mixed', share(groups.length - allRight - allWrong));
      metric('live', share(live.length));
      metric('real_batch', live.reduce((sum, { rollouts }) => sum + rollouts.filter(counts).length, 0) / completions);
      return groups;
    },
  }),
});
