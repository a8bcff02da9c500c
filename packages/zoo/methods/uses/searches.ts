/** Tasks whose answers can search: a figure of their tries would be 0 elsewhere, and not say why. */
import type { Use } from '../../../../src/methods/uses/use.ts';

const NO_RUN = -3;

/** `StepContext.searchSpace`, and the same of an evaluation's problems. */
export const searches: Use = {
  id: 'searches',
  says: 'a task whose answers search',
  refuses({ shares, name }) {
    if (shares.some(({ task }) => task.searchSpace?.(task.trainItem(NO_RUN, 0)) !== undefined)) return undefined;
    return {
      code: 'no-search',
      rule: `reads the tries of answers, and those of ${name} do not search`,
      remedy: 'use countdown with answer: search, a task of yours with searchSpace(), or another method',
      facts: { task: name },
    };
  },
};
