import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const ticTacToeCard = taskCard({
  name: 'tic_tac_toe',
  does: 'Play tic-tac-toe from a given position to at least what it is worth: a win where it is won, else a draw.',
  example: ['x8o24>', '6'],
  version: 2,
  category: 'environments',
  tier: 1,
  knobs: {
    moves: integer({ min: 0, max: 6, example: 4 })
      .default(4)
      .describe(
        'Most moves that were made at random before the policy is asked; it then plays the side to move, as x.',
      ),
    opponent: choice(['perfect', 'random'])
      .default('perfect')
      .describe('Who plays the other side: one who never errs, or one who takes any free cell.'),
  },
  levels: [{ moves: 6, opponent: 'random' }, { moves: 6 }, {}, { moves: 2 }],
  attributes: { moves: [6, 4, 2], opponent: ['random', 'perfect'] },
});

export type TicTacToeKnobs = KnobsOf<typeof ticTacToeCard>;
