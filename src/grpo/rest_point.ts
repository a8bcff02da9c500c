/** A run between two batches. A batch that fails takes back what it has drawn. */

import type { StageMethods } from '../methods/create.ts';
import { methodStates, restoreMethods } from '../methods/part_states.ts';
import { ledger as ledgerUse } from '../methods/uses/ledger.ts';
import type { Journal } from './journal.ts';

export interface RestPoint {
  /** Takes back what was drawn since, with the state of the methods. */
  goBack(): void;
  /** Whether a sampled batch can be undone completely: only a ledger cannot forget one. */
  readonly forgetsAll: boolean;
}

/** @param methods  of the stage; undefined in an sft stage */
export function restPoint({ state }: Journal, methods: StageMethods | undefined): RestPoint {
  const { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer, queue } = state;
  const counters = { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer, queue };
  const ofMethods = methods && methodStates(methods);
  return {
    goBack() {
      Object.assign(state, counters);
      if (methods && ofMethods) restoreMethods(methods, ofMethods);
    },
    forgetsAll: methods?.uses.has(ledgerUse()) !== true,
  };
}

/** If `work` fails, the run returns to the point before it. */
export async function takeBackOnFailure<T>(
  journal: Journal,
  methods: StageMethods | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const rest = restPoint(journal, methods);
  try {
    return await work();
  } catch (error) {
    rest.goBack();
    throw error;
  }
}

/**
 * If credit or update fail, the weights are still those of the step before, so the run returns there and can be saved.
 * A ledger cannot go back; such a run stays at the last checkpoint. Events of the batch are not taken back.
 */
export async function orGoBack<T>(rest: RestPoint, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (rest.forgetsAll) rest.goBack();
    throw error;
  }
}
