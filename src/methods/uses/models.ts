/** Models of the run besides the policy (`models` in the config), and what is computed under them. */
import { distributions } from './distributions.ts';
import type { Use } from './use.ts';

/** `models.teacher`: weights that stay as they are, and room to score under them. */
export const teacher: Use = {
  id: 'model:teacher',
  says: 'a second model (models.teacher), under which what was sampled is scored',
  model: 'teacher',
};

/** `LossSequence.teacher`: log-probs of the tokens under it. */
export const teacherScores: Use = { id: 'teacher-scores', implies: [teacher] };

/** The same with whole distributions. */
export const teacherDistributions: Use = {
  id: 'teacher-distributions',
  says: 'the same under the teacher',
  implies: [distributions, teacherScores],
  takesDistributions: true,
};
