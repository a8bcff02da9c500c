/** The moments of Adam as a new optimizer has them. Its bias correction must begin again with them. */

import type { Policy } from '../model/policy.ts';

/** Sets both moments of all trained weights to 0. */
export function zeroMoments(policy: Policy): void {
  const zeros = new Float32Array(policy.slots.weights.trainable.shape[0]);
  for (const moment of ['firstMoment', 'secondMoment'] as const) policy.writeVector(moment, zeros);
}
