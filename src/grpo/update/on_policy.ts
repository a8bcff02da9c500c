/** On-policy, the scorer's log-probs are the sampler's, bit for bit; otherwise no step is taken. */
import { NumericsError } from '../../errors.ts';
import type { UpdateTotals } from '../../methods/records.ts';
import type { Engine } from '../engine.ts';
import type { Step } from '../step.ts';

/**
 * @param totals  of tokens sampled from the weights that score them
 * @throws RlvrError if a sampling worker returned wrong results; NumericsError if the engine disagrees with itself
 */
export async function assertOnPolicy(
  { policy, generator }: Pick<Engine, 'policy' | 'generator'>,
  { number }: Pick<Step, 'number'>,
  { logprobDifferenceMax: largest, entropyDifferenceMax }: UpdateTotals,
): Promise<void> {
  const { backend, samplerTolerance: limit } = policy.engine;
  // An engine that promises the bits of log-probs promises those of entropies, too.
  if (!(largest <= limit) || (limit === 0 && entropyDifferenceMax > 0)) await generator.recheck?.();
  if (largest <= limit) return;
  throw new NumericsError(
    'off-policy',
    `step ${number + 1}: sampler and scorer disagree by ${largest} nats on the same weights — the ` +
      `${backend} backend promises ${limit === 0 ? '0' : `at most ${limit}`}. Please report this with the run's fingerprint.`,
    { largest },
  );
}
