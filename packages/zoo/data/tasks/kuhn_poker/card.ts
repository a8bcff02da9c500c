/** What kuhn_poker is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  opponents: choice(['extreme', 'some', 'all'])
    .default('all')
    .describe(
      'Whom one plays against: extreme always or never bluffs and calls, some does in 0, 3, 6 or 9 of 9 hands, all in any number of them.',
    ),
});

export type KuhnPokerKnobs = Values<typeof KNOBS>;

export const kuhnPokerCard = {
  name: 'kuhn_poker',
  does: 'Play a hand of poker with three cards against an opponent whose habits are known.',
  example: ['Q 1 b3 c6>', 'p'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  levels: [{ opponents: 'extreme' }, { opponents: 'some' }, {}],
  attributes: { opponents: ['extreme', 'some', 'all'] },
} satisfies TaskCard<KuhnPokerKnobs>;
