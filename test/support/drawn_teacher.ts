/** A teacher of random weights for runs of any task: that of a config with `models: {teacher: {path: drawn}}`. */
import { withWordsOf } from '../../src/config/control_words.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import type { Task } from '../../src/data/task.ts';
import { oneTask, type TaskSet } from '../../src/data/task_set.ts';
import type { MethodList } from '../../src/methods/method_list.ts';
import { initialTensor } from '../../src/model/initialize.ts';
import { modelShape } from '../../src/planning/capacity.ts';
import type { OpenedModels } from '../../src/run/models.ts';

/** The line of a config that asks for it. */
export const DRAWN_TEACHER = 'models: {teacher: {path: drawn}}';

/** The shape of the policy, with other weights; undefined where the config asks for none. */
export function drawnTeacher(config: RunConfig, of: Task | TaskSet, list: MethodList): OpenedModels | undefined {
  if (config.models?.teacher?.path !== 'drawn') return undefined;
  const tasks = withWordsOf(config, 'shares' in of ? of : oneTask(of), list);
  const shape = modelShape(config, tasks);
  const recorded = { name: { name: 'drawn' }, shown: 'drawn', files: { drawn: 'a' }, sha256: 'a' };
  return {
    teacher: {
      name: 'drawn',
      codec: tasks.codec,
      notes: [],
      model: { shape, context: Number.POSITIVE_INFINITY },
      async loadWeights(policy) {
        for (const parameter of policy.parameters)
          policy.writeParameter(parameter, initialTensor(shape, parameter, config.seed + 1, 0.5));
      },
      recorded: async () => recorded,
    },
  };
}
