/** What in_context_kg is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';
import type { BrokenRule } from '../../../../../src/options/read.ts';

/** Steps of a way at most. */
export const MOST_HOPS = 5;

const KNOBS = options({
  hops: integer({ min: 1, max: MOST_HOPS, example: 2 })
    .default(2)
    .describe('Steps of a way from entity to entity, at most.'),
  least_hops: integer({ min: 1, max: MOST_HOPS, example: 1 }).default(1).describe('Steps of a way, at least.'),
  train_hops: integer({ min: 1, max: MOST_HOPS, example: 2 })
    .optional()
    .describe(
      'Training problems have ways of 1 to this many steps instead, to see whether longer ones come by themselves.',
    ),
  distractors: integer({ min: 0, max: 20, example: 4 }).default(4).describe('Facts that are on no way, at most.'),
  names: integer({ min: 12, max: 26, example: 12 })
    .default(26)
    .describe('Entities that there are: A to Z, or the first of them.'),
  branches: integer({ min: 1, max: 2, example: 2 })
    .default(1)
    .describe('Ways of a question; of two, the entity is asked that both lead to.'),
  hidden: integer({ min: 0, max: 50, example: 25 })
    .default(0)
    .describe('Percentage of problems with a fact of the way left out: `none` is then right.'),
});

export type InContextKgKnobs = Values<typeof KNOBS>;

function checkKnobs({ hops, least_hops, train_hops }: InContextKgKnobs): BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (least_hops > hops) broken.push({ key: 'least_hops', rule: `must be hops (${hops}) or less; lower it` });
  if (train_hops !== undefined && train_hops > hops)
    broken.push({ key: 'train_hops', rule: `must be hops (${hops}) or less; lower it` });
  return broken;
}

export const inContextKgCard = {
  name: 'in_context_kg',
  does: 'Follow relations from entity to entity in a graph of facts that is shown.',
  example: ['kg QmX AfB BnQ: Afn>', 'Q'],
  version: 2,
  category: 'knowledge',
  tier: 2,
  knobs: KNOBS,
  checkKnobs,
  levels: [
    { hops: 1, distractors: 1, names: 12 },
    {},
    { hops: 3, least_hops: 3, train_hops: 2 },
    { branches: 2, distractors: 6, hidden: 20 },
  ],
  attributes: { hops: [1, 2, 3, 4, 5], distractors: [0, 4, 12], branches: [1, 2], hidden: [0, 25] },
} satisfies ListedCard<InContextKgKnobs>;
