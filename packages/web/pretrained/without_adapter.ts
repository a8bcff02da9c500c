/** The base of an adapter, asked without opening it again. */
import { ConfigError } from '../../../src/errors.ts';
import type { ConfiguredModel } from '../../../src/grpo/run.ts';

/**
 * Does something while the adapter adds nothing: A and B are 0, and what they were before is put back afterwards, whatever
 * happens. So the answers are the bits of the base alone.
 *
 * @throws ConfigError where all weights are trained: there is no base beside them
 */
export async function withoutAdapter<T>(
  { engine: { policy } }: Pick<ConfiguredModel, 'engine'>,
  work: () => Promise<T>,
): Promise<T> {
  if (policy.adapterParameters.length === 0) {
    throw new ConfigError(
      'no-adapter',
      'use_peft: false — all weights are trained, so there is no base to ask beside them.',
    );
  }
  const weights = await policy.readVector('weights');
  policy.writeVector('weights', new Float32Array(weights.length));
  try {
    return await work();
  } finally {
    policy.writeVector('weights', weights);
  }
}
