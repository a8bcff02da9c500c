/**
 * `least_played` and `most_played` may fall, so that the policy begins near the end first. The expert's turns carry no
 * loss; what follows is sampled and trained on as usual. After VeriGUI, arXiv:2508.04026.
 */
import { EXPERT_TURN } from '../../../../src/data/environment.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { type GroupRequest, keys, meanOf, method, number, type RolloutStrategy, shareRight } from '../kit.ts';

const BEGUN = 'begun';

export const startAnywhere = method({
  id: 'start-anywhere',
  about: {
    does: 'Lets the policy begin episodes at states on the way of an expert.',
    names: ['reverse curriculum', 'backward curriculum'],
    formula:
      'with probability begun_share a group begins after the first min(n − 1, ⌊u·n⌋) of the n turns of an expert, u uniform in [least_played, most_played]',
    source: '2508.04026',
    certainty: 'after the paper',
    when: 'For long episodes that are seldom won from the start, where an expert can be played; else starts are unlike those in use.',
  },
  options: keys({
    begunShare: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the groups that an expert begins.'),
    leastPlayed: number({ min: 0, max: 1, example: 0.5 })
      .default(0)
      .describe('Share of his turns that he plays at least.'),
    mostPlayed: number({ min: 0, max: 1, example: 0.9 })
      .default(1)
      .describe('Share of his turns that he plays at most; the last turn is always left.'),
  }),
  complete(options, refuse) {
    if (options.leastPlayed > options.mostPlayed) {
      refuse('leastPlayed', `above most_played (${options.mostPlayed}); give a share up to it`);
    }
    return options;
  },
  uses: () => [severalTurns],
  helps: [BEGUN],
  create: ({ begunShare, leastPlayed, mostPlayed }): RolloutStrategy => ({
    async rollOut(requests, next, { rng, metric }) {
      const asked = requests.map((request): GroupRequest => {
        const [isBegun, expertShare] = [
          rng.float() < begunShare,
          leastPlayed + (mostPlayed - leastPlayed) * rng.float(),
        ];
        return isBegun ? { ...request, expertShare, origin: BEGUN } : request;
      });
      const groups = await next(asked);
      const begun = groups.slice(0, asked.length).filter((_, i) => asked[i].expertShare !== undefined);
      const rollouts = begun.flatMap((group) => group.rollouts);
      if (rollouts.length > 0) {
        metric('played', meanOf(rollouts.map(({ turns = [] }) => turns.filter(isExperts).length)));
        metric('solved', shareRight(begun));
      }
      return groups;
    },
  }),
});

const isExperts = ({ label }: { readonly label: string }): boolean => label === EXPERT_TURN;
