/** The run as it is between two batches: what fails within one takes back what it has drawn. */

import type { StageMethods } from '../methods/create.ts';
import { methodStates, restoreMethods } from '../methods/part_states.ts';
import { ledger as ledgerUse } from '../methods/uses/ledger.ts';
import type { Journal, RunState } from './journal.ts';
import type { Step } from './step.ts';

/** What a batch changes before its update has changed the weights. */
export interface RestPoint {
  readonly counters: Pick<RunState, 'itemsDrawn' | 'rolloutsDrawn' | 'tokens' | 'deadBatches' | 'buffer' | 'queue'>;
  readonly methods: ReturnType<typeof methodStates> | undefined;
}

/** @param methods  of the stage; undefined in an sft stage */
export function restPoint({ state }: Journal, methods: StageMethods | undefined): RestPoint {
  const { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer, queue } = state;
  return {
    counters: { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer, queue },
    methods: methods && methodStates(methods),
  };
}

/** Takes back what was drawn since, with the state of the methods. */
export function goBack({ state }: Journal, methods: StageMethods | undefined, rest: RestPoint): void {
  Object.assign(state, rest.counters);
  if (methods && rest.methods) restoreMethods(methods, rest.methods);
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
    goBack(journal, methods, rest);
    throw error;
  }
}

/**
 * Where credit or update fail, the weights are still those of the step before: the run returns to it, and can be saved.
 * Only a ledger cannot go back; its run stays at the last checkpoint. What was said of the batch stays said.
 */
export async function orGoBack<T>(
  journal: Journal,
  { methods }: Pick<Step, 'methods'>,
  rest: RestPoint,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!methods.uses.has(ledgerUse())) goBack(journal, methods, rest);
    throw error;
  }
}
