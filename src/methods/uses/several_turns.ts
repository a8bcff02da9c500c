/** Completions of several turns: `VerifiedCompletion.turns`. */
import type { Use } from './use.ts';

/** A task that is played in turns. */
export const severalTurns: Use = {
  id: 'several-turns',
  says: 'a task that is played in turns',
  refuses({ environment, name }) {
    if (environment.maxTurns > 1) return undefined;
    return {
      code: 'no-turns',
      rule: `tells the turns of an episode apart, and ${name} is answered in one`,
      remedy: 'use guess_number, another environment of `tasks ls`, or another method',
      facts: { task: name },
    };
  },
};
