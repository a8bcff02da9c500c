/** The tasks of a config: registered ones, files of the user's, and rows; and the rows that a supervised stage shows. */
import { bindTask, createTask } from '../../../src/data/create_task.ts';
import { DATASET } from '../../../src/data/data_files.ts';
import { takeKnobs } from '../../../src/data/knobs.ts';
import { limitPrompts } from '../../../src/data/prompts/prompt_limit.ts';
import { cardOf } from '../../../src/data/registered_task.ts';
import type { Task } from '../../../src/data/task.ts';
import { type TaskSet, taskSet } from '../../../src/data/task_set.ts';
import { requireTools } from '../../../src/data/tools/tool_limit.ts';
import type { Connect } from '../../../src/http/servers.ts';
import type { ShownRows } from '../../../src/methods/stage.ts';
import type { Plugin } from '../../../src/options/keys.ts';
import { isModuleFile, MODULE_ENDINGS } from '../../../src/rewards/module_file.ts';
import { asksInWords, type Codec } from '../../../src/text/codec.ts';
import { isInTokensOf } from '../../../src/text/shared_vocabulary.ts';
import type { DatasetTask } from '../../zoo/data/datasets/dataset.ts';
import { SESSIONS } from '../../zoo/data/sessions/name.ts';
import { refusal } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import { entriesOf, type InnerFile, innerFile, verifierOf } from '../named_entries.ts';
import { type Opening, openTried, orReport } from './opening.node.ts';

/** Each task of the config; undefined where one of them, or their vocabularies, are a problem. */
export async function openTasks(opening: Opening): Promise<TaskSet | undefined> {
  const { config, problems } = opening.loaded;
  const opened: { task: Task; weight: number }[] = [];
  for (const { kind, plugin, place, index } of entriesOf(opening.loaded)) {
    if (kind !== 'task') continue;
    const task = await orReport(opening, place, plugin.name, async () => {
      const task = await openTask(opening, plugin, place, index);
      // The set asks again, and knows no line.
      const { codec } = opening.options;
      if (task !== undefined && codec !== undefined)
        isInTokensOf([{ tokenizer: task.language.tokenizer, label: task.name }], codec);
      return task;
    });
    if (task !== undefined) opened.push({ task, weight: config.tasks[index].weight });
  }
  if (opened.length < config.tasks.length) return undefined;
  const each = opened.map(({ task }) => task);
  await orReport(opening, 'max_tool_calling_iterations', '', async () => requireTools(each, config));
  const list = problems.written('tasks', 'task.parts') ?? 'tasks';
  const shown = new Map<number, TaskSet>();
  const tasks = await orReport(opening, list, '', async () =>
    taskSet(opened, opening.options.codec, shown, config.maxPromptLength),
  );
  if (tasks === undefined) return undefined;
  for (const [index, stage] of config.stages.entries()) {
    if (stage.stage !== 'sft' || stage.rows === undefined) continue;
    const { rows } = stage;
    const place = `stages.${index}`;
    const of = await orReport(opening, `${place}.data_files`, '', () =>
      openShownRows(opening, rows, tasks.codec, place),
    );
    if (of !== undefined) shown.set(index, of);
  }
  return limitPrompts(tasks, config);
}

const connect: Connect = async (...given) => (await import('../../http/websocket.node.ts')).connectWebSocket(...given);

/** What only files of the user's need: most configs name none. */
async function ofOwnFiles() {
  const [{ loadOwnTask, loadVerifier }, { repeatWithin }, { refuseImpure }, { freezePlain }] = await Promise.all([
    import('../own_exports.node.ts'),
    import('../calls.node.ts'),
    import('../check/pure_task.ts'),
    import('../plain_data.ts'),
  ]);
  return { loadOwnTask, loadVerifier, repeatWithin, refuseImpure, freezePlain };
}

/** Undefined where what is wrong was reported with its place. */
async function openTask(opening: Opening, entry: Plugin, key: string, index: number): Promise<Task | undefined> {
  const { name, ...knobs } = entry;
  const path = key.replace(/\.(?:name|task)$/, '');
  if (name === DATASET || name === SESSIONS) return openDatasetTask(opening, entry, path);
  const { rewardTimeout, maxToolCallingIterations } = opening.loaded.config;
  const options = { path, codec: opening.options.codec, maxToolCallingIterations };
  if (isModuleFile(name)) {
    const { export: exported, ...own } = knobs;
    const { definition, reference } = await openDefinition(opening, { name, export: exported }, key);
    const judge = definition.takesTime && opening.judges.ofFile(reference, rewardTimeout);
    const judged = judge && definition.judge === undefined ? { ...definition, judge } : definition;
    const { freezePlain, refuseImpure, repeatWithin } = await ofOwnFiles();
    const task = bindTask(judged, own, { ...options, repeat: repeatWithin(rewardTimeout) });
    freezePlain(task.knobs);
    refuseImpure(task, reference.shown);
    return task;
  }
  if (/[/\\.]/.test(name))
    throw refusal(`neither a task nor a file that ends in ${MODULE_ENDINGS}; give its full name`);
  const { tasks } = opening.loaded.registries;
  const token = cardOf(tasks, name)?.reaches?.token; // the variable with the secret of its server
  const openenv = {
    connect,
    token: token === undefined ? undefined : process.env[token],
    answers: opening.options.answers?.(index),
  };
  const inner = innerFile(entry);
  if (inner !== undefined) {
    return orReport(opening, `${path}.of`, inner.task, () => openTaskOfFile(opening, entry, inner, options));
  }
  return createTask({ ...knobs, name }, tasks, { ...options, openenv, threads: opening.judges });
}

async function openDefinition(
  opening: Opening,
  { name, export: exported }: { readonly name: string; readonly export?: unknown },
  path: string,
) {
  const { reference, inRun } = await openTried(opening, name, exported, path);
  const { loadOwnTask } = await ofOwnFiles();
  return { definition: await loadOwnTask(reference, opening.loaded.config.rewardTimeout), reference, inRun };
}

/**
 * A task of the package that is made of one of a file. Its knobs name that by what it calls itself, so that problems do not
 * depend on where the file lies.
 */
async function openTaskOfFile(
  opening: Opening,
  entry: Plugin,
  { task: file, export: exported, ...own }: InnerFile,
  options: { readonly path: string; readonly codec: Codec | undefined },
): Promise<Task> {
  const place = `${options.path}.of`;
  const { definition, reference, inRun } = await openDefinition(opening, { name: file, export: exported }, place);
  if (definition.takesTime)
    throw refusal('its verdicts take time, and are asked for in the middle of an episode; name another task');
  opening.datasets.set(entry, {
    inRun: { of: { task: inRun, ...(exported !== undefined && { export: exported }), ...own } },
    hashes: [],
  });
  const { rewardTimeout } = opening.loaded.config;
  const { freezePlain, refuseImpure, repeatWithin } = await ofOwnFiles();
  const knobs = { ...entry, of: { ...own, task: definition.name } };
  const task = await createTask(knobs, opening.loaded.registries.tasks, {
    ...options,
    inner: definition,
    repeat: repeatWithin(rewardTimeout),
  });
  freezePlain(task.knobs);
  takeKnobs(definition, own, place);
  refuseImpure(task, reference.shown);
  return task;
}

/** What reads rows, for configs that name some. */
async function ofRows() {
  const [{ findDataset }, { openDataset, requireWritable }, { ALL_ROWS }] = await Promise.all([
    import('../dataset_files.node.ts'),
    import('../../zoo/data/datasets/dataset.ts'),
    import('../../zoo/data/datasets/parts.ts'),
  ]);
  return { findDataset, openDataset, requireWritable, parts: ALL_ROWS };
}

async function openDatasetTask(opening: Opening, entry: Plugin, path: string): Promise<Task> {
  const { loaded, options, datasets, notes } = opening;
  const { findDataset, openDataset, requireWritable, parts } = await ofRows();
  const found = await findDataset(loaded, options, entry, path);
  const { name: _, ...knobs } = found.entry;
  const comparison = verifierOf(entry);
  const tried = comparison && (await openTried(opening, comparison, undefined, `${path}.verify`));
  const own = tried ? await ofOwnFiles() : undefined;
  const verifier = tried ? await own?.loadVerifier(tried.reference, loaded.config.rewardTimeout) : undefined;
  const given = { path, codec: options.codec, files: found.files, parts };
  const opened = async (): Promise<DatasetTask> => {
    if (entry.name === SESSIONS)
      return (await import('../../zoo/data/sessions/sessions.ts')).openSessions(knobs, given);
    const task = await openDataset(knobs, {
      ...given,
      verifier,
      repeat: own?.repeatWithin(loaded.config.rewardTimeout),
    });
    if (options.codec !== undefined && !asksInWords(options.codec)) requireWritable(task, options.codec);
    return task;
  };
  const task = await opened();
  const inRun = { ...found.inRun, ...(tried && { verify: tried.inRun }) };
  datasets.set(entry, { inRun, hashes: await found.hashes() });
  notes.push(...task.notes);
  return task;
}

/** Rows that a supervised stage shows, in the run's tokens. */
async function openShownRows(opening: Opening, rows: ShownRows, codec: Codec, place: string): Promise<TaskSet> {
  const { loaded, options, datasets, notes } = opening;
  const { findDataset, openDataset, requireWritable, parts } = await ofRows();
  const found = await findDataset(loaded, options, rows, place);
  const task = await openDataset(
    { ...found.entry },
    {
      path: place,
      files: found.files,
      parts,
      codec: options.codec,
      isShown: true,
    },
  );
  if (!asksInWords(options.codec)) requireWritable(task, codec);
  datasets.set(rows, { inRun: found.inRun, hashes: await found.hashes() });
  notes.push(...task.notes);
  return taskSet([{ task, weight: 1 }], codec);
}
