/** Several tasks or levels to choose among: where a stage has one, it says that there is no choice. */
import { categoryOf } from '../../../../src/methods/ledger.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/** Several tasks or levels to choose among. */
export const taskChoice: Use = {
  id: 'task-choice',
  says: 'several tasks or levels to choose among',
  warns: (items) =>
    new Set(items.map(categoryOf)).size > 1
      ? undefined
      : 'chooses among tasks and levels, and this stage draws from one: it changes nothing; list several under tasks',
};
