/** How a task of the zoo becomes a definition, by what its file exports. */
import type { RegisteredTask } from '../../src/data/registered_task.ts';
import type { AnyTaskDefinition, Knobs, ListedCard } from '../../src/data/task.ts';
import type { SandboxName } from '../../src/sandbox_engine.ts';
import { type Derivation, derived, innersOf, innerTask, type TaskOfTask } from './data/derived/derived_task.ts';

/**
 * What the file of a task exports: a definition, what makes one of the sandbox that its card names, or how it is made of the
 * task that its knob `of` names.
 */
export type TaskExport = AnyTaskDefinition | ((sandbox: never) => AnyTaskDefinition) | Derivation | TaskOfTask;

/** @param open  loads the task's file, and gives what that exports */
export function registered(card: ListedCard<Knobs>, open: () => Promise<TaskExport>): RegisteredTask {
  const load: RegisteredTask['load'] = async (given, innerOf) => {
    const [exported, sandbox] = await Promise.all([open(), card.sandbox && SANDBOXES[card.sandbox]?.()]);
    if (typeof exported === 'function') return exported(sandbox as never); // its card names the sandbox that it takes
    if ('draw' in exported) return derived(card, exported, given, innerOf);
    if (!('play' in exported)) return exported;
    const { of, inner } = await innerTask(card, given, innerOf);
    return exported.play(card, inner, innersOf(card, of.task, inner));
  };
  return { card, load };
}

const SANDBOXES: Readonly<Partial<Record<SandboxName, () => Promise<unknown>>>> = {
  javascript: async () => (await import('./sandbox/javascript.ts')).openJavaScript(),
  sql: async () => (await import('./sandbox/sql.ts')).openSql(),
  regex: async () => (await import('./sandbox/regex.ts')).openRegex(),
  'json-schema': async () => (await import('./sandbox/json_schema.ts')).openSchemaChecker(),
};
