import { type GroupStep, meanOf, method } from '../kit.ts';
import { BEHAVIOURS, type Behaviour, behavioursOf } from '../support/figures/behaviours.ts';
import { triesReader } from '../support/figures/read_tries.ts';
import { searches } from '../uses/searches.ts';

export const mTries = method({
  id: 'm-tries',
  about: {
    does: 'Measures how the answers of a batch search, each behaviour of m-search; changes nothing.',
    names: ['search behaviour'],
    formula: 'the count of an answer, or 1 where it does it; mean over the answers of the batch that have it',
    source: '2404.03683',
    certainty: 'own',
    when: 'For answers that search, to see at each step what m-search shows at each evaluation.',
  },
  onlyMeasures: true,
  uses: () => [searches],
  create: (): GroupStep => ({
    scope: 'group',
    apply(groups, { metric, searchSpace }) {
      const read = groups.flatMap(({ item, rollouts }) => {
        const space = searchSpace(item);
        const reader = space && triesReader(space);
        return reader ? rollouts.map(({ text, verdict }) => behavioursOf(reader(text), verdict)) : [];
      });
      for (const name of Object.keys(BEHAVIOURS) as Behaviour[]) {
        const values = read.flatMap((behaviours) => behaviours[name] ?? []);
        if (values.length > 0) metric(name, meanOf(values));
      }
      return groups;
    },
  }),
});
