import type { Member } from '../../../../../src/methods/method.ts';

/** What a method says that learns from failures more than from successes, where nothing holds the policy's entropy. */
export function unguarded(members: readonly Member[]): string | undefined {
  const isHeld = members.some(({ point, method: { holdsPolicy = point === 'lossTerms' } }) => holdsPolicy);
  return isHeld ? undefined : 'punishing alone flattens a small policy, and nothing holds it; set beta';
}
