/** What the page of several runs says of them problem by problem. */

import { RlvrError } from '../../../src/errors.ts';
import { type ComparedRun, compareRuns } from '../../compare/compare.ts';
import type { MadeComparison } from '../../report/compared.ts';
import type { ServedRun } from '../../report/data.ts';
import { openCompared } from '../runs/compared_runs.ts';
import type { FoundRun } from './folder.ts';

/** Groups beside the first that are compared: a page of a whole sweep would be long, and slow to make. */
const MOST = 8;

/**
 * The first group beside each of the others, by their last evaluations; a run that has none yet is left out.
 *
 * @param served  of `runs`, in the same order: finished runs that differ in the seed alone are a group
 */
export async function servedComparisons(
  runs: readonly FoundRun[],
  served: readonly ServedRun[],
): Promise<readonly MadeComparison[]> {
  const groups = new Map<string, ComparedRun[]>();
  const refused: MadeComparison[] = [];
  for (const [i, { title, group, isRunning }] of served.entries()) {
    if (isRunning) continue;
    try {
      const opened = await openCompared(title, runs[i].directory, 'final');
      groups.set(group, [...(groups.get(group) ?? []), opened]);
    } catch (error) {
      refused.push({ a: [], b: [title], reason: reasonOf(error) });
    }
  }
  const [first, ...others] = [...groups.values()].sort((one, two) => (one[0].name < two[0].name ? -1 : 1));
  const made = others.slice(0, MOST).map((other): MadeComparison => {
    try {
      return compareRuns(first, other);
    } catch (error) {
      return { a: first.map(({ name }) => name), b: other.map(({ name }) => name), reason: reasonOf(error) };
    }
  });
  return [...made, ...refused];
}

/** @throws what is no message for people */
function reasonOf(error: unknown): string {
  if (error instanceof RlvrError) return error.message;
  throw error;
}
