/** `rlvr-train env serve TASK...`: tasks for other people's trainers, over OpenEnv, until Ctrl-C. */
import { print } from '../../../src/cli/display/output.ts';
import { OfferedTask } from '../../serve/tasks/offered_task.ts';
import { startTaskServer } from '../../serve/tasks/task_server.node.ts';
import { ended } from '../process/ended.ts';
import { givenKnobs, type TaskFlags, withTask } from '../tasks/named_task.ts';

export interface EnvironmentFlags extends TaskFlags {
  readonly port: number;
  readonly host?: string;
  readonly key?: string;
  readonly sessions: number;
}

/** @throws RlvrError where a task or a knob is not known, or the port is taken */
export async function serveTasks(names: readonly string[], flags: EnvironmentFlags): Promise<void> {
  const tasks: OfferedTask[] = [];
  const serveFrom = async (at: number): Promise<void> => {
    if (at < names.length) {
      const given = givenKnobs(flags);
      await withTask(
        names[at],
        async (definition, repeat) => {
          tasks.push(new OfferedTask(definition, given, repeat));
          await serveFrom(at + 1);
        },
        given,
      );
      return;
    }
    const server = await startTaskServer({ ...flags, tasks });
    const offered = tasks.map(({ definition: { name } }) => name).join(', ');
    print(`${offered}: ${server.url}; Ctrl-C ends it (docs/environments.md)`);
    await ended();
    await server.close();
  };
  await serveFrom(0);
}
