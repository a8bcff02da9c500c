import { searchKnobs } from '../../search_task.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';
import { starKnobs } from '../path_star/card.ts';

export const starSearchCard = taskCard({
  name: 'star_search',
  does: 'Find the way from the middle of a star to the end of one of its arms by trying one arm after the other.',
  example: ['3 9 , 1 5 , 5 4 , 7 6 , 1 7 , 6 8 , 1 10 , 4 2 , 10 3 : 1 8 ?', '5 ( 4 ( 2 n ) ) , 7 ( 6 ( 8 y , 1 7 6 8'],
  version: 2,
  category: 'graphs',
  tier: 2,
  knobs: { ...starKnobs(2), ...searchKnobs(64) },
  checkKnobs({ length, max_tokens }) {
    const least = 3 * length + 3; // a word and a bracket or mark an edge, a comma, the way, EOS
    return max_tokens >= least ? [] : [{ key: 'max_tokens', rule: `must be ${least} or more here; raise it` }];
  },
  levels: [{ length: 2 }, {}, { arms: 4, length: 5, max_tokens: 100 }, { arms: 6, length: 8, max_tokens: 200 }],
});

export type StarSearchKnobs = KnobsOf<typeof starSearchCard>;
