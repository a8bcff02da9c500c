/** How far the policy is from the reference, for controllers that act on it. */
import type { StepLevers, StepMetrics } from '../../kit.ts';

/** Nats per token: what a term of the step has measured already, or a scoring pass. */
export async function klOf({ kl, kl_exact: exact }: StepMetrics, levers: StepLevers): Promise<number> {
  const measured = typeof kl === 'number' ? kl : exact;
  return typeof measured === 'number' ? measured : levers.kl('reference');
}
