/** Gradients of right answers on a slice of the parameters: `SourceTools.solutionGradient`. */
import type { Use } from '../../../../src/methods/uses/use.ts';

export const solutionGradients: Use = {
  id: 'solution-gradients',
  says: 'now and then a forward and backward pass of right answers before a batch is asked, which trains nothing',
  scoresBeforeUpdate: true,
  refuses: ({ environment, name }) =>
    environment.maxTurns === 1
      ? undefined
      : {
          code: 'played-in-turns',
          rule: `compares gradients of right answers, and problems of ${name} are played in turns`,
          remedy: 'leave the method out, or take tasks that are answered by one text',
        },
};
