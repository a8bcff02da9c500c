import { choice } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const kuhnPokerCard = taskCard({
  name: 'kuhn_poker',
  does: 'Play a hand of poker with three cards against an opponent whose habits are known.',
  example: ['Q 1 b3 c6>', 'p'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    opponents: choice(['extreme', 'some', 'all'])
      .default('all')
      .describe(
        'Whom one plays against: extreme always or never bluffs and calls, some does in 0, 3, 6 or 9 of 9 hands, all in any number of them.',
      ),
  },
  levels: [{ opponents: 'extreme' }, { opponents: 'some' }, {}],
  attributes: { opponents: ['extreme', 'some', 'all'] },
});

export type KuhnPokerKnobs = KnobsOf<typeof kuhnPokerCard>;
