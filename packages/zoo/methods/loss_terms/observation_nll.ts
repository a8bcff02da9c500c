/**
 * In an episode, tokens of others carry no loss elsewhere; here each does, after everything that came before it,
 * whatever the episode was paid. Costs a forward and a backward pass of the episodes. After the implicit world modelling
 * of arXiv:2510.08558.
 */
import { EXPERT_TURN, POLICY_TURN } from '../../../../src/data/environment.ts';
import { turnsOf } from '../../../../src/methods/support/rollouts/turns.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { BACKWARD, FORWARD } from '../../../estimate/rows.ts';
import { type CreditedGroup, key, type LossTerm, method, number, type Rollout, type TrainedText } from '../kit.ts';
import { meanNll } from '../support/loss/mean_nll.ts';

export const observationNll = method({
  id: 'observation-nll',
  about: {
    does: 'Teaches the policy to foresee what its environment answers to its own actions.',
    names: ['implicit world modelling', 'Early Experience', 'feedback-nll'],
    formula: '−observation_coef·mean_t log π(o_t | all tokens before it), over the tokens of observations of a step',
    source: '2510.08558',
    certainty: 'after the paper',
    when: 'For environments whose answers can be foreseen; noise in observations is learned too.',
  },
  options: {
    observationWeight: key(
      'observation_coef',
      number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the mean.'),
    ),
  },
  uses: () => [severalTurns],
  work: (_, { batch: { completionsPerStep, promptsPerStep } }, { prompt, completion }) => ({
    stepRows: (FORWARD + BACKWARD) * (promptsPerStep * prompt + completionsPerStep * completion),
  }),
  create: ({ observationWeight }): LossTerm => {
    let groups: readonly CreditedGroup[] = [];
    const nll = meanNll();
    return {
      coupling: 'token',
      device: {}, // it adds nothing to the rollouts' rows
      add() {},
      begin(ofStep) {
        groups = ofStep;
      },
      texts: () => nll.begin(groups.flatMap(foreseen)),
      addTexts: (texts, gradients) => nll.add(texts, gradients, observationWeight),
      afterUpdate: () => nll.mean('observation-nll/nll'),
    };
  },
});

/** The episodes of a group that were answered, with a loss where the environment wrote. */
function foreseen({ prompt, rollouts }: CreditedGroup): TrainedText[] {
  return rollouts.flatMap((rollout): TrainedText[] => {
    const labels = labelsOf(rollout);
    if (rollout.inLoss === false || !labels.includes(TOKEN.reference)) return [];
    return [{ prompt: rollout.prompt ?? prompt, tokens: rollout.tokens, labels }];
  });
}

/** [tokens] of TOKEN: what the environment wrote is learned, actions are given. */
function labelsOf(rollout: Rollout): Uint8Array {
  const labels = new Uint8Array(rollout.tokens.length).fill(TOKEN.given);
  let begin = 0;
  for (const { tokens, label } of turnsOf(rollout)) {
    const end = begin + tokens.length;
    if (label !== POLICY_TURN && label !== EXPERT_TURN) labels.fill(TOKEN.reference, begin, end);
    begin = end;
  }
  return labels;
}
