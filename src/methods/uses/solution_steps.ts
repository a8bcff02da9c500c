/** Verdicts with the steps of a solution: `VerifiedCompletion.steps`. */
import type { Use } from './use.ts';

/** A task whose verdicts have the steps of a solution. */
export const solutionSteps: Use = {
  id: 'solution-steps',
  says: 'a task whose verdicts have the steps of a solution',
  readsVerdicts: true,
  refuses({ shares, name }) {
    if (shares.some(({ task }) => task.givesSteps)) return undefined; // otherwise it would silently see only the outcome
    return {
      code: 'no-steps',
      rule: `reads the steps of a solution, and ${name} has none`,
      remedy: 'use countdown with answer: steps, a task of yours with givesSteps, or another method',
      facts: { task: name },
    };
  },
};
