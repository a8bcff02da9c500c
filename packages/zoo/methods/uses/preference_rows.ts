/** Rows of preferences, as a task has them. */
import type { Use } from '../../../../src/methods/uses/use.ts';

/** Pairs of chosen and rejected completions, or completions with a label. */
export const preferenceRows: Use = {
  id: 'preference-rows',
  says: 'rows of preferences: prompt, chosen and rejected, or prompt, completion and label',
  takesPreferences: true,
  refuses(tasks) {
    const other = tasks.shares.find(({ task }) => (task.preferred?.(task.trainItem(0, 0)) ?? []).length === 0);
    if (other === undefined) return undefined;
    return {
      code: 'no-preferences',
      rule: `learns from pairs, and ${other.label} has none`,
      remedy:
        'give rows with the columns prompt, chosen and rejected (or prompt, completion and label), or set pairs_from: samples, which pairs right and wrong samples of a task',
      facts: { task: other.label },
    };
  },
};
