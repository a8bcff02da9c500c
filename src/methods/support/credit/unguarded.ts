import type { MethodsConfig } from '../../stage.ts';

/** What a method says that learns from failures more than from successes, where nothing holds the policy's entropy. */
export function unguarded({ lossTerms, creditSteps }: MethodsConfig): string | undefined {
  const holds =
    lossTerms.some(({ name }) => name !== 'm-ratio') || creditSteps.some(({ name }) => name === 'kl-reward');
  return holds ? undefined : 'punishing alone flattens a small policy, and nothing holds it; set beta';
}
