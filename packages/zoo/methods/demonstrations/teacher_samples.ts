/** Sequence-level distillation (arXiv:1606.07947): a supervised stage on what the run's teacher writes, verified. */
import { teacher } from '../../../../src/methods/uses/models.ts';
import { type DemonstrationMethod, type DemonstrationSource, flag, key, keys, method, number } from '../kit.ts';

export const teacherSamples: DemonstrationMethod = method({
  id: 'teacher-samples',
  about: {
    does: 'Shows what models.teacher writes to the problems of the stage, by default only what is right.',
    names: ['sequence-level distillation', 'rejection sampling'],
    formula: '−Σ_t log π(y_t), y from the teacher and right',
    source: '1606.07947',
    certainty: 'after the paper',
    when: 'Before a stage with teacher-kl, where the policy does not write as the teacher does yet.',
  },
  options: keys({
    verifiedAlone: key('verified', flag().default(true).describe('Whether only right completions are shown.')),
    writtenAt: key(
      'temperature',
      number({ above: 0, example: 0.7 }).default(1).describe('Temperature at which the teacher writes.'),
    ),
  }),
  uses: () => [teacher],
  create: ({ verifiedAlone, writtenAt }): DemonstrationSource => ({
    taught: () => ({ model: 'teacher', temperature: writtenAt, verified: verifiedAlone }),
  }),
});
