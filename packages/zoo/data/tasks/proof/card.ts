import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const proofCard = taskCard({
  name: 'proof',
  does: 'Prove a letter from facts and rules, step by step.',
  example: ['prove a b|ab-c c-d x-d|d>', 'ab-c c-d'],
  version: 2,
  category: 'logic',
  tier: 3,
  knobs: {
    system: choice(['horn', 'resolution'])
      .default('horn')
      .describe('With horn, rules are applied to facts; with resolution, clauses are resolved until nothing is left.'),
    depth: integer({ min: 1, max: 6, example: 3 }).default(2).describe('Rules that a proof needs.'),
    distractors: integer({ min: 0, max: 6, example: 2 }).default(2).describe('Rules that no proof needs, at most.'),
  },
  levels: [{ depth: 1, distractors: 3 }, {}, { depth: 4, distractors: 3 }, { system: 'resolution', depth: 3 }],
  attributes: { system: ['horn', 'resolution'], depth: [1, 2, 4, 6], distractors: [0, 3, 6] },
});

export type ProofKnobs = KnobsOf<typeof proofCard>;
