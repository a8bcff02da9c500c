/** Completions whose tokens could not be any: log-probs of the policy among those that could (`../../../../src/model/support.ts`). */
import type { Member } from '../../../../src/methods/method.ts';
import { distributions } from '../../../../src/methods/uses/distributions.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/** `TokenControl.allowed` and `isTruncated`. */
export const tokenSupport: Use = {
  id: 'token-support',
  says: 'whole distributions at each token that is sampled and trained on, old and new and under the reference',
  takesDistributions: true,
};

/** Why a method that narrows what may be sampled cannot be beside others of the stage: these read the policy without it. */
export function readsWholeDistributions(members: readonly Member[]): string | undefined {
  const reading = members.find(({ uses }) =>
    uses.some(({ id, implies = [] }) => [id, ...implies.map((use) => use.id)].includes(distributions.id)),
  );
  return reading === undefined
    ? undefined
    : `narrows what could be sampled, and ${reading.method.id} reads the whole distribution; leave one of them out`;
}
