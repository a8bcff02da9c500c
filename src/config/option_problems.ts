/** Mistakes in the knobs of a task and in the options of what a config names, with the line where they are written. */
import { type KnobDeclaration, readKnobs } from '../data/knobs.ts';
import { cardOf, type TaskList } from '../data/registered_task.ts';
import { ConfigError } from '../errors.ts';
import { type OptionProblem, optionProblems, problemLine } from '../options/read.ts';
import { placeOfTask } from './mixture.ts';
import type { Problems } from './problems.ts';
import { isTopLevelKey, type RunConfig } from './run_config.ts';

const TASK_PATH = /^tasks?\b/;

/** @param path  the key of whatever takes the options */
export function addOptionProblems(problems: Problems, path: string, found: readonly OptionProblem[]): void {
  for (const problem of found) {
    const { key, kind, value } = problem;
    const isMisplaced = kind === 'unknown' && TASK_PATH.test(problem.path) && isTopLevelKey(key);
    if (isMisplaced) problems.add(problem.path, value, 'not a knob of the task; move it to the top level');
    else
      problems.addMessage(
        problems.written(`${path.replace(/\.(?:name|task)$/, '')}.${key}`) ?? path,
        problemLine(problem),
      );
  }
}

/** The mistakes in knobs of tasks of the list, which would else show only when the tasks are opened. */
export function addKnobProblems({ tasks }: Pick<RunConfig, 'tasks'>, problems: Problems, list: TaskList): void {
  for (const [index, { task }] of tasks.entries()) {
    const { name, ...knobs } = task;
    const card = cardOf(list, name);
    if (card === undefined) continue;
    const place = placeOfTask(problems, index);
    addOptionProblems(problems, place, problemsOf(card, knobs, place));
  }
}

function problemsOf(
  card: KnobDeclaration,
  knobs: Readonly<Record<string, unknown>>,
  place: string,
): readonly OptionProblem[] {
  try {
    const read = readKnobs(card, knobs, place);
    return read.ok ? [] : read.problems;
  } catch (error) {
    if (error instanceof ConfigError) return optionProblems(error); // a level that there is not
    throw error;
  }
}
