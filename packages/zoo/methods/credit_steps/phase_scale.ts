/** The weight of a phase such as that of `prerl`, which trains its first steps with 0.01. */
import { type CreditStep, integer, keys, method, number } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';

export const phaseScale = method({
  id: 'phase-scale',
  about: {
    does: 'Multiplies the advantages of the first steps of a stage.',
    names: ['PreRL coefficient', 'phase weight'],
    formula: 'A ← phase_factor·A while step < phase_steps',
    source: 'own',
    certainty: 'after the paper',
    when: 'For a stage whose first advantages cannot be trusted, as after a change of reward; Adam divides a constant factor out.',
  },
  options: keys({
    phaseFactor: number({ min: 0, example: 0.01 }).default(0.01).describe('Factor of the first steps.'),
    phaseSteps: integer({ min: 0, max: 1_000_000, example: 20 })
      .default(20)
      .describe('Optimizer steps of the stage with that factor.'),
  }),
  create: ({ phaseFactor, phaseSteps }): CreditStep => ({
    apply: (groups, { step }) =>
      step < phaseSteps ? mapAdvantages(groups, (advantage) => phaseFactor * advantage) : groups,
  }),
});
