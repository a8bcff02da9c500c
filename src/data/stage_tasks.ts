/** The tasks of a stage: the run's, with the stage's weights. */
import { ConfigError } from '../errors.ts';
import { rngFor } from '../kernels/philox.ts';
import { delegating, type TaskSet } from './task_set.ts';

/** @param weights  by label; default 0 @throws ConfigError for an unknown name, or without a weight above 0 */
export function weightedTasks(tasks: TaskSet, weights: Readonly<Record<string, number>>, path: string): TaskSet {
  const labels = tasks.shares.map(({ label }) => label);
  const unknown = Object.keys(weights).find((label) => !labels.includes(label));
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  if (unknown !== undefined || total === 0) {
    const rule = unknown === undefined ? 'no task has a weight above 0' : `no task of the run is called ${unknown}`;
    throw new ConfigError('task-weights', `${path}: ${rule}; they are ${labels.join(', ')}.`, { path });
  }
  const shares = tasks.shares.flatMap((share) => {
    const weight = weights[share.label] ?? 0;
    return weight > 0 ? [{ ...share, weight }] : [];
  });
  return delegating(tasks, {
    trainItem(seed, index) {
      let place = rngFor(`task|${seed}|${index}`).float() * total;
      const drawn = shares.find(({ weight }) => {
        place -= weight;
        return place < 0;
      });
      const { task, label } = drawn ?? shares[shares.length - 1]; // rounding left the last end below the total
      return { ...task.trainItem(seed, index), ...(tasks.shares.length > 1 && { task: label }) };
    },
  });
}
