/** The mean of several models of one shape: what is between checkpoints is often better than each of them. */

import { CheckpointError } from '../../../src/errors.ts';
import type { Policy } from '../../../src/model/policy.ts';
import { openTypedModel } from '../../models/run/model/configured_model.node.ts';
import type { OpenedModel } from './open_trained.ts';

/**
 * Replaces the weights of an opened model by the mean of them and of those of further models; sums are of float64.
 *
 * @param paths  as `--model` takes them
 * @returns the same model, its name with theirs
 * @throws CheckpointError where one is not there, or is of another shape; the opened model is then closed
 */
export async function averagedWith(opened: OpenedModel, paths: readonly string[]): Promise<OpenedModel> {
  if (paths.length === 0) return opened;
  try {
    await average(opened.model.engine.policy, paths);
  } catch (error) {
    await opened.close(); // threads that are left open keep the process alive
    throw error;
  }
  return { ...opened, from: `mean of ${[opened.from, ...paths].join(', ')}` };
}

async function average(policy: Policy, paths: readonly string[]): Promise<void> {
  if (policy.adapterParameters.length > 0) {
    const rule = 'averages whole models, and the run has an adapter';
    throw new CheckpointError('adapter-average', `--average — ${rule}; merge it first: rlvr-train merge.`, { paths });
  }
  const sums = new Map<string, Float64Array>();
  const add = async (): Promise<void> => {
    for (const parameter of policy.parameters) {
      const values = await policy.readParameter(parameter);
      const sum = sums.get(parameter.name) ?? new Float64Array(values.length);
      for (let i = 0; i < sum.length; i++) sum[i] += values[i];
      sums.set(parameter.name, sum);
    }
  };
  await add();
  for (const model of paths) {
    const other = await openTypedModel({ model });
    await other.loadWeights(policy);
    await add();
  }
  for (const parameter of policy.parameters) {
    const mean = sums.get(parameter.name)?.map((sum) => sum / (paths.length + 1)) ?? [];
    policy.writeParameter(parameter, mean);
  }
}
