/** What a reward logged of a completion, in a line below it. */
import type { TriedCompletion } from 'rlvr-train/web';
import { element } from '../../packages/report/page/dom.ts';

/** Empty where nothing was logged. */
export function loggedValues(extra: TriedCompletion['extra']): HTMLElement[] {
  const columns = Object.entries(extra ?? {}).filter(([, value]) => value !== null);
  if (columns.length === 0) return [];
  return [element('p', { class: 'quiet' }, columns.map(([column, value]) => `${column} ${value}`).join(' · '))];
}
