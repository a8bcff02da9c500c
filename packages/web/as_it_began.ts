/** The policy that a run began with, asked without opening it again. */
import { ConfigError } from '../../src/errors.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { writeInitialWeights } from '../../src/model/initialize.ts';

/**
 * Does something with the weights of before the first step: those that the seed gives or, with an adapter, the base's
 * alone. The weights of now are put back afterwards, whatever happens, so later bits are the same.
 *
 * @throws ConfigError where all weights of a pretrained model are trained: nothing here still has the first ones
 */
export async function asItBegan<T>(
  { config, engine: { policy } }: Pick<TrainingRun, 'config' | 'engine'>,
  work: () => Promise<T>,
): Promise<T> {
  const isFromSeed = config.modelNameOrPath === undefined;
  if (!isFromSeed && policy.adapterParameters.length === 0) {
    const rule = 'all weights of the model are trained, and those of before are not kept; an adapter leaves them';
    throw new ConfigError('no-adapter', `use_peft: false — ${rule}.`);
  }
  const weights = await policy.readVector('weights');
  if (isFromSeed) writeInitialWeights(policy, config.seed, config.model.initializerRange);
  else policy.writeVector('weights', new Float32Array(weights.length));
  try {
    return await work();
  } finally {
    policy.writeVector('weights', weights);
  }
}
