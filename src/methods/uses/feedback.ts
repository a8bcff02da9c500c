/** Verdicts that say what is wrong. */
import type { Use } from './use.ts';

const WANTED: Use = { id: 'feedback' };

const REQUIRED: Use = {
  id: 'feedback-required',
  implies: [WANTED],
  refuses({ shares, name }) {
    if (shares.some(({ task }) => task.givesFeedback)) return undefined;
    return {
      code: 'no-feedback',
      rule: `shows what was wrong, and ${name} does not say it`,
      remedy: 'use countdown, a task of yours with feedback, or another method',
      facts: { task: name },
    };
  },
};

/** Verdicts that say what is wrong. @param how  `required`: the task must give some; otherwise used if it does */
export function feedback(how: { readonly required?: boolean } = {}): Use {
  return how.required ? REQUIRED : WANTED;
}
