/** What a run was asked to do, as far as pages say it: its tasks and its stages. */
import { z } from 'zod';
import { readTree } from '../../src/config/yaml/yaml_tree.ts';
import { CheckpointError, ConfigError } from '../../src/errors.ts';
import { changedSteps } from '../../src/run/checkpoint/setting_changes.ts';
import { readFingerprint } from '../../src/run/fingerprint/fingerprint.ts';
import type { Store } from '../../src/run/store/store.ts';
import { shownTaskName } from '../../src/run/task_names.ts';

const taskSchema = z.union([z.string(), z.object({ name: z.string() }).loose()]);

/** What the page says of the config; anything else of it is shown as text. */
const outlineSchema = z.object({
  task: taskSchema.optional(),
  tasks: z.array(taskSchema).optional(),
  stages: z.array(z.object({ stage: z.string(), max_steps: z.number(), eval_steps: z.number().optional() })),
});

type TaskOutline = z.infer<typeof taskSchema>;

export type Outline = Readonly<z.infer<typeof outlineSchema>>;

export interface RunOutline {
  readonly configYaml: string;
  readonly outline: Outline;
}

/**
 * What the run was asked to do.
 * @throws CheckpointError `no-run` where the directory holds none, `run-malformed` where its config is not one
 */
export async function readOutline(store: Store): Promise<RunOutline> {
  const config = await store.read('config.yaml');
  if (config === undefined) {
    throw new CheckpointError('no-run', 'holds no run (no config.yaml). Give the directory that a training printed.');
  }
  const configYaml = new TextDecoder().decode(config);
  const outline = outlineSchema.safeParse(yamlTree(configYaml));
  if (!outline.success) throw malformedConfig(outline.error.issues[0]?.message);
  const fingerprint = await readFingerprint(store).catch(() => undefined); // the page says so where it shows it
  const { task, tasks } = outline.data;
  const steps = await changedSteps(store);
  const stages = outline.data.stages.map((stage, i, all) =>
    steps !== undefined && i === all.length - 1 ? { ...stage, max_steps: steps } : stage,
  );
  const named = (of: TaskOutline): TaskOutline =>
    typeof of === 'string' ? shownTaskName(of, fingerprint) : { ...of, name: shownTaskName(of.name, fingerprint) };
  return {
    configYaml,
    outline: {
      ...outline.data,
      ...(task !== undefined && { task: named(task) }),
      ...(tasks !== undefined && { tasks: tasks.map(named) }),
      stages,
    },
  };
}

/** A config that somebody edited may be no YAML, or hold what no config has, such as an alias. */
function yamlTree(text: string): unknown {
  try {
    const { values, problems } = readTree(text, 'config.yaml');
    problems.throwIfAny();
    return values;
  } catch (error) {
    if (error instanceof ConfigError) throw malformedConfig(error.message);
    throw error;
  }
}

function malformedConfig(reason: string | undefined): CheckpointError {
  const [line] = (reason ?? '').split('\n');
  return new CheckpointError('run-malformed', `config.yaml is not one that a training wrote (${line}). Restore it.`);
}
