/**
 * Each optimizer step shows some of the problems that the run has drawn so far, its supervised stages included, each
 * with the demonstration of its place in the stream. Costs a forward and a backward pass of theirs.
 */
import { BACKWARD, FORWARD, integer, key, type LossTerm, method, number } from '../kit.ts';
import { meanNll } from '../support/loss/mean_nll.ts';
import { demonstrations } from '../uses/room.ts';

export const sftReplay = method({
  id: 'sft-replay',
  about: {
    does: "Keeps the likelihood of the task's demonstrations up while the policy is reinforced.",
    formula: '−replay_coef·mean_t log π, over the tokens of replay_count demonstrations per optimizer step',
    source: 'own',
    certainty: 'own',
  },
  options: {
    replayWeight: key('replay_coef', number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the mean.')),
    replayedTexts: key(
      'replay_count',
      integer({ min: 1, example: 16 }).default(16).describe('Demonstrations per optimizer step.'),
    ),
  },
  uses: () => [demonstrations],
  work: ({ replayedTexts }, _, { prompt, completion }) => ({
    stepRows: replayedTexts * (FORWARD + BACKWARD) * (prompt + completion - 1),
  }),
  create: ({ replayWeight, replayedTexts }): LossTerm => {
    const nll = meanNll();
    return {
      coupling: 'token',
      device: {}, // it adds nothing to the rollouts' rows
      add() {},
      texts: ({ demonstrations }) => nll.begin(demonstrations(replayedTexts)),
      addTexts: (texts, gradients) => nll.add(texts, gradients, replayWeight),
      afterUpdate: () => nll.mean('sft-replay/nll'),
    };
  },
});
