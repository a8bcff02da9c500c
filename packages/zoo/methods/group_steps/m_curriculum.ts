/** A source that asks what is neither too easy nor too hard has most groups in the middle. */
import { type GroupStep, isRight, meanOf, method } from '../kit.ts';

/** Names of the four parts of the solve rate, lowest first. */
const QUARTERS = ['below_25', 'below_50', 'below_75', 'from_75'] as const;

export const mCurriculum = method({
  id: 'm-curriculum',
  about: {
    does: 'Measures the solve rates and levels of the problems that are asked, and the share of replays; changes nothing.',
    names: ['solve-rate histogram'],
    formula:
      'share of groups with solve rate in [0, ¼), [¼, ½), [½, ¾), [¾, 1]; mean solve rate, mean level where problems have one, and replayed: completions with an age / all',
    source: 'own',
    certainty: 'own',
    when: 'To see whether a prompt source asks problems of a useful difficulty; look at it before changing the source.',
  },
  onlyMeasures: true,
  create: (): GroupStep => ({
    scope: 'group',
    apply(groups, { metric }) {
      if (groups.length === 0) return groups;
      const rates = groups.map(({ rollouts }) => rollouts.filter(isRight).length / rollouts.length);
      QUARTERS.forEach((name, part) => {
        const own = rates.filter((rate) => Math.min(QUARTERS.length - 1, Math.floor(QUARTERS.length * rate)) === part);
        metric(name, own.length / groups.length);
      });
      metric('solve_rate', meanOf(rates));
      const levels = groups.flatMap(({ item: { level } }) => level ?? []);
      if (levels.length > 0) metric('level', meanOf(levels));
      const all = groups.flatMap(({ rollouts }) => rollouts);
      metric('replayed', all.filter(({ age }) => age !== undefined).length / all.length);
      return groups;
    },
  }),
});
