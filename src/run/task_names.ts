/** Display names of tasks: users' tasks have the names that they declare. */
import { isModuleFile } from '../rewards/module_file.ts';
import type { Fingerprint } from './fingerprint/fingerprint.ts';

/** By the name in the run's config: the declared names of tasks that are files. */
export type TaskNames = NonNullable<Fingerprint['taskNames']>;

/** The declared name, or, if the run did not record it, the file name without folder and extension. */
export function shownTaskName(name: string, { taskNames = {} }: Pick<Fingerprint, 'taskNames'> = {}): string {
  if (!isModuleFile(name)) return name;
  return Object.hasOwn(taskNames, name) ? taskNames[name] : fileWords(name);
}

/** `../../rewards/near.ts` as `near`. */
export function fileWords(name: string): string {
  return name.replace(/^.*[/\\]/, '').replace(/\.\w+$/, '');
}
