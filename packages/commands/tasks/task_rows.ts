/**
 * `rlvr-train tasks export` and `score`: problems as rows of JSON Lines, and the verdicts of completions of such rows. A
 * row says all that its score needs, so that completions may come from anywhere.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { print, printError } from '../../../src/cli/display/output.ts';
import { bindTask } from '../../../src/data/create_task.ts';
import { verdictsOf } from '../../../src/data/judging/judged.ts';
import { canonicalJSON } from '../../../src/data/split.ts';
import type { AnyTaskDefinition, Task, TaskItem } from '../../../src/data/task.ts';
import { ConfigError } from '../../../src/errors.ts';
import type { FinishReason } from '../../../src/finish_reason.ts';
import type { Json } from '../../../src/options/json.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { givenKnobs, type TaskFlags, withTask } from './named_task.ts';

export interface ExportFlags extends TaskFlags {
  readonly split?: 'train' | 'eval';
}

/** Prints problems as rows, one a line: `prompt`, `answer`, and what the verifier needs. */
export async function exportTask(name: string, flags: ExportFlags): Promise<void> {
  await withTask(
    name,
    (definition) => {
      const { style: _, ...knobs } = givenKnobs(flags);
      const task = bindTask(definition, givenKnobs(flags));
      const { count = 100, seed = 0, split = 'train' } = flags;
      const items =
        split === 'train'
          ? Array.from({ length: count }, (_, index) => task.trainItem(seed, index))
          : task.heldOutItems().slice(0, count);
      for (const item of items) print(JSON.stringify(rowOf(task, knobs, item)));
    },
    givenKnobs(flags),
  );
}

/** @param knobs  those that were given, as a config has them below `task:` */
function rowOf({ name, version, style }: Task, knobs: object, { weight: _, ...item }: TaskItem): object {
  return { task: name, version, knobs, style, ...item };
}

const rowSchema = z.object({
  id: z.string().default(''),
  version: z.int(),
  knobs: z.record(z.string(), z.unknown()),
  style: z.enum(['compact', 'plain']).default('compact'),
  prompt: z.string().default(''),
  identity: z.custom<Json>((value) => value !== undefined, { error: 'is missing' }),
  completion: z.string({ error: 'must be a text: what is to be scored' }),
  finish_reason: z.enum(['eos', 'length', 'stop']).default('eos'),
});

export interface ScoreFlags {
  readonly file: string;
}

/** Prints the verdict of each row's `completion`, one a line; how many are right goes to standard error. */
export async function scoreTask(name: string, { file }: ScoreFlags): Promise<void> {
  await withTask(name, async (definition) => {
    const bound = new Map<string, Task>();
    let right = 0;
    let rows = 0;
    for (const [index, line] of linesOf(file).entries()) {
      if (line.trim() === '') continue;
      const place = `${file}:${index + 1}`;
      const row = readRow(line, place, definition);
      const { id, knobs, style, prompt, identity, completion, finish_reason: finishReason } = row;
      const setting = canonicalJSON({ ...(knobs as Record<string, Json>), style }); // read from JSON
      const task = bound.get(setting) ?? bindTask(definition, { ...knobs, style }, { path: place });
      bound.set(setting, task);
      const item: TaskItem = { id, key: '', split: 'eval', prompt, answer: '', identity, weight: 1 };
      const verdict = await judged(task, item, completion, finishReason, place);
      print(JSON.stringify({ id, ...verdict }));
      rows++;
      if (verdict.score === 1) right++;
    }
    printError(`${right} of ${rows} are right`);
  });
}

/** @throws ConfigError where the identity is that of no problem of the task */
async function judged(
  task: Task,
  item: TaskItem,
  completion: string,
  finishReason: FinishReason,
  place: string,
): Promise<Verdict> {
  try {
    const [verdict] = await verdictsOf(task, [{ item, completion, context: { finishReason } }]);
    return verdict;
  } catch (error) {
    const rule = `identity — no problem of ${task.name} (${String(error)}); leave it as tasks export wrote it`;
    throw new ConfigError('bad-rows', `${place}  ${rule}.`, { place });
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ConfigError('bad-rows', `--file ${file} — cannot be read: ${reason}; name a file of rows.`, { file });
  }
}

/** @throws ConfigError naming file, line and key */
function readRow(line: string, place: string, { name, version }: AnyTaskDefinition): z.infer<typeof rowSchema> {
  const refuse = (rule: string): never => {
    throw new ConfigError('bad-rows', `${place}  ${rule}.`, { place });
  };
  let written: unknown;
  try {
    written = JSON.parse(line);
  } catch (error) {
    return refuse(`not a row of JSON: ${(error as Error).message}; write one object a line, as tasks export does`);
  }
  const read = rowSchema.safeParse(written);
  if (!read.success) {
    const { path, message } = read.error.issues[0] as z.core.$ZodIssue; // a failure has one
    return refuse(`${path.join('.') || 'row'} — ${message}; add completion to the rows of tasks export ${name}`);
  }
  if (read.data.version === version) return read.data;
  return refuse(
    `version: ${read.data.version} — ${name} is version ${version} here, with other problems or verdicts; export again`,
  );
}
