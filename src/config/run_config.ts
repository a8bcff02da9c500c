/** The whole run: task, model, stages, and what belongs to none of them. */
import type { PromptLimit } from '../data/prompts/prompt_limit.ts';
import type { TaskList } from '../data/registered_task.ts';
import type { ToolLimit } from '../data/tools/tool_limit.ts';
import type { Storage } from '../kernels/storage.ts';
import type { MethodList } from '../methods/method_list.ts';
import type { Remark } from '../methods/remark.ts';
import { remarksOn } from '../methods/remarks.ts';
import type { GrpoStageConfig, StageConfig } from '../methods/stage.ts';
import type { AdapterConfig } from '../model/adapter_config.ts';
import type { Json } from '../options/json.ts';
import type { KeyTable, Plugin, Values } from '../options/keys.ts';
import { type ADAPTER_KEYS, resolveAdapter } from './keys/adapter_keys.ts';
import { refuseKeptOtherwise } from './keys/base_keys.ts';
import { DATASET_KEYS, datasetTask } from './keys/dataset_keys.ts';
import { GRPO_KEYS } from './keys/grpo_keys.ts';
import { RUN_KEYS } from './keys/run_keys.ts';
import { MIXTURE, readMixture, type TaskEntry } from './mixture.ts';
import { KEYS_OF_RANDOM_WEIGHTS, MODEL_KEYS, type ModelConfig, resolveModel } from './model_config.ts';
import { hasPasses } from './passes.ts';
import { MISSING, type Problems } from './problems.ts';
import type { Registries } from './registries.ts';
import { noteOtherTrackers } from './report_to.ts';
import { type Given, type GivenKeys, Section } from './section.ts';
import { resolveGrpo, resolveSft, STAGE_KEYS } from './stage_config.ts';
import { resolveMethods } from './stage_methods.ts';
import { type KeyGuide, type KeysElsewhere, refuseUnknown } from './unknown_keys.ts';
import { isMapping } from './yaml/yaml_tree.ts';

/**
 * A run with every default filled in: plain JSON. `outputDir` and `threads` are absent where the command decides.
 * `tasks` holds the knobs as written; the tasks check them.
 */
export type RunConfig = Omit<
  Values<typeof RUN_KEYS>,
  | 'task'
  | 'tasks'
  | 'outputDir'
  | 'threads'
  | 'modelNameOrPath'
  | 'adapterNameOrPath'
  | 'chatTemplateKwargs'
  | 'models'
  | keyof ToolLimit
  | keyof PromptLimit
  | keyof typeof ADAPTER_KEYS
> &
  ToolLimit &
  PromptLimit & {
    /** At least one; `task:` of the file is a list of one. */
    readonly tasks: readonly TaskEntry[];
    readonly outputDir?: string;
    readonly threads?: number;
    /** The model, or the run, that the weights are from; `model` then says what its files say, once they are read (`OpenedBase.configured`). */
    readonly modelNameOrPath?: string;
    /** An adapter to continue; `adapter` then says what its files say. */
    readonly adapterNameOrPath?: string;
    readonly chatTemplateKwargs?: Readonly<Record<string, Json>>;
    /** Models beside the policy, by name; those that methods use are opened. */
    readonly models?: Readonly<Record<string, { readonly path: string }>>;
    /** What is trained beside the weights of `modelNameOrPath`; absent: the weights themselves. */
    readonly adapter?: AdapterConfig;
    /** How its frozen matrices are kept, by name, where not in float32, once the files are read. */
    readonly frozenStorage?: Readonly<Record<string, Storage>>;
    readonly model: ModelConfig;
    /** At least one, in the order they run. */
    readonly stages: readonly StageConfig[];
  };

type Mapping = Readonly<Record<string, unknown>>;

const spellings = (table: KeyTable): Set<string> => new Set(Object.values(table).map((entry) => entry.yaml));
const runKeys = spellings(RUN_KEYS);
const modelKeys = spellings(MODEL_KEYS);
const stageKeys = { sft: spellings(STAGE_KEYS.sft), grpo: spellings(STAGE_KEYS.grpo) };

const sameRule = (keys: Iterable<string>, rule: string): [string, string][] => [...keys].map((name) => [name, rule]);
const ofTheRun = sameRule([...runKeys, 'model', 'stages'], 'belongs to the whole run; move it to the top level');
const ofTheModel = sameRule(modelKeys, 'belongs to the model; move it under model:');
const ofGrpo = sameRule(stageKeys.grpo, 'an sft stage samples nothing and has no rewards; move it to a grpo stage');

const guides = {
  run: {
    known: new Set([...runKeys, 'model', 'stages', ...stageKeys.sft, ...stageKeys.grpo]),
    of: 'run',
    elsewhere: new Map([...ofTheModel, ['stage', 'belongs to an entry of stages; flat keys are one grpo stage']]),
  },
  model: {
    known: modelKeys,
    of: 'model',
    elsewhere: new Map(sameRule([...runKeys, ...stageKeys.grpo], 'not a key of the model; move it to the top level')),
  },
  sft: {
    known: new Set(['stage', ...stageKeys.sft]),
    of: 'run',
    elsewhere: new Map([...ofTheRun, ...ofTheModel, ...ofGrpo]),
  },
  grpo: {
    known: new Set(['stage', ...stageKeys.grpo]),
    of: 'run',
    elsewhere: new Map([...ofTheRun, ...ofTheModel]),
  },
} satisfies Record<string, KeyGuide>;

/** What is known of the keys at the top of a file, the knobs of the tasks that it names included. */
function topGuide({ loaded }: TaskList): KeyGuide {
  const knobs = Object.values(loaded).flatMap(({ card }) => [...spellings(card.knobs)]);
  const ofTheTask = sameRule(new Set(knobs), 'a knob of the task; write task: {name: …, …} with it');
  return { ...guides.run, elsewhere: new Map([...ofTheTask, ...guides.run.elsewhere]) };
}

/** Whether a key belongs to the top level of a file, or to a stage, which inherits it. */
export function isTopLevelKey(name: string): boolean {
  return guides.run.known.has(name);
}

/** Whether stages of a kind read a key. */
export function stageReads(kind: StageConfig['stage'], name: string): boolean {
  return stageKeys[kind].has(name);
}

export interface ResolvedRun {
  readonly config: RunConfig;
  /** [stages] the key that a remark on a stage is about. */
  readonly pathsOf: readonly ((remark: Remark) => string)[];
}

/** Validates the values of a whole file and fills in the defaults. Mistakes go to `problems`. */
export function resolveRun(values: Mapping, problems: Problems, registries: Registries): ResolvedRun {
  const { keysElsewhere } = registries;
  const top = givenKeys(values, '', topGuide(registries.tasks), problems, keysElsewhere);
  const model = readMapping(values.model ?? undefined, 'model', problems);
  const section = new Section(RUN_KEYS, top, '', problems);
  const {
    task,
    tasks,
    datasetName,
    datasetConfig,
    trainSplit,
    testSplit,
    dataFiles,
    systemPrompt,
    usePeft,
    loraR,
    loraAlpha,
    useRslora,
    useDora,
    loraTargetModules,
    loraDropout,
    ...ofRun
  } = section.values;
  const adapter = resolveAdapter(section);
  refuseKeptOtherwise(section);
  refuseFrozenTwice(section);
  const resolved = resolveStages(values.stages ?? undefined, top, problems, registries);
  const stages = resolved.map(({ stage }) => stage);
  refuseBestOfNone(section, stages);
  noteOtherTrackers(top.get('report_to')?.value, problems);
  refuseSecondModel(section, model, problems);
  const shares = resolveTasks({ task, tasks, dataset: rowsOf(section) }, top, problems);
  refuseEndlessPasses(resolved, shares, problems);
  const config = {
    ...ofRun,
    ...(adapter && { adapter }),
    tasks: shares,
    model: resolveModel(
      new Section(MODEL_KEYS, givenKeys(model, 'model.', guides.model, problems, keysElsewhere), 'model.', problems),
    ),
    stages,
  };
  return { config, pathsOf: resolved.map(({ pathOf }) => pathOf) };
}

/** The task that the keys of rows mean, with the message before each. */
function rowsOf(section: Section<typeof RUN_KEYS>): Plugin | undefined {
  const rows = datasetTask(section);
  const { systemPrompt: system } = section.values;
  if (system === undefined) return rows;
  if (rows !== undefined) return { ...rows, system };
  section.refuse('systemPrompt', 'the system message belongs to the task; write task: {name: …, system: …}');
  return undefined;
}

/** Only rows have an end. */
function refuseEndlessPasses(resolved: readonly ResolvedStage[], tasks: RunConfig['tasks'], problems: Problems): void {
  for (const { stage, pathOf } of resolved) {
    const { epochs } = stage.optimizer;
    if (epochs === undefined || hasPasses(stage, tasks)) continue;
    const rule = 'problems that are drawn have no end, and so no passes; use max_steps';
    problems.add(
      pathOf({ level: 'conflict', at: { key: 'num_train_epochs' }, value: epochs, text: rule }),
      epochs,
      rule,
    );
  }
}

/** Beside an adapter everything else stays as it is. */
function refuseFrozenTwice(section: Section<typeof RUN_KEYS>): void {
  if (!section.sound('freeze', 'usePeft')) return;
  const { freeze, usePeft, adapterNameOrPath } = section.values;
  if (freeze === undefined || !(usePeft || adapterNameOrPath !== undefined)) return;
  section.refuse('freeze', 'beside an adapter all weights stay as they are; leave it out, or use_peft');
}

/** Where nothing is evaluated between steps, there is no best to choose: only the start and the end. */
function refuseBestOfNone(section: Section<typeof RUN_KEYS>, stages: readonly StageConfig[]): void {
  const isWanted = section.sound('loadBestModelAtEnd') && section.values.loadBestModelAtEnd;
  if (!isWanted || stages.some(({ evaluation }) => evaluation.evalSteps > 0)) return;
  section.refuse('loadBestModelAtEnd', 'needs evaluations to choose from; set eval_strategy: steps, or leave it out');
}

/** Weights that are there already are not drawn, and random ones have no chat template. */
function refuseSecondModel(section: Section<typeof RUN_KEYS>, model: Mapping, problems: Problems): void {
  const { modelNameOrPath, adapterNameOrPath, chatTemplateKwargs } = section.values;
  if (modelNameOrPath === undefined) {
    if (adapterNameOrPath !== undefined) {
      section.refuse('adapterNameOrPath', 'belongs to the weights of a model; add model_name_or_path');
    }
    if (chatTemplateKwargs === undefined) return;
    section.refuse('chatTemplateKwargs', 'only a pretrained model has a chat template; leave it out');
    return;
  }
  // Keys of the shape say what the files say, or are refused once those are read.
  for (const key of KEYS_OF_RANDOM_WEIGHTS) {
    const text = 'is for random weights, and these are those of model_name_or_path';
    if (model[key] !== undefined) problems.note(`model.${key}`, model[key], text);
  }
}

/** `task: X` is a list of one, or of the parts of a mixture. */
function resolveTasks(
  {
    task,
    tasks,
    dataset,
  }: { task: Plugin | undefined; tasks: readonly TaskEntry[] | undefined; dataset: Plugin | undefined },
  top: GivenKeys,
  problems: Problems,
): readonly TaskEntry[] {
  const isGiven = (name: string): boolean => (top.get(name)?.value ?? null) !== null;
  if (isGiven('task') && isGiven('tasks')) {
    problems.add('tasks', top.get('tasks')?.value, 'task is given too; keep one');
  }
  const rows = ['data_files', 'dataset_name'].find(isGiven);
  if (rows !== undefined) {
    const rule = 'task is given too; keep one, or move these rows to an sft stage, which then shows them';
    if (isGiven('task') || isGiven('tasks')) problems.add(rows, top.get(rows)?.value, rule);
    else if (dataset !== undefined) return [{ task: dataset, weight: 1 }];
  } else if (!isGiven('task') && !isGiven('tasks')) {
    problems.add('task', MISSING, 'must be a name, or a mapping with a name; for example countdown');
  }
  if (task?.name === MIXTURE) return readMixture(task, problems);
  if (task !== undefined) return [{ task, weight: 1 }];
  for (const [index, { task: one }] of (tasks ?? []).entries()) {
    if (one.name === MIXTURE)
      problems.add(`tasks.${index}.name`, MIXTURE, 'this list is a mixture already; write its parts here');
  }
  return tasks ?? [];
}

/** The keys of a mapping that its section knows; the others are reported. */
function givenKeys(
  values: Mapping,
  prefix: string,
  guide: KeyGuide,
  problems: Problems,
  others: KeysElsewhere | undefined,
): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const [name, value] of Object.entries(values)) {
    const path = prefix + name;
    if (guide.known.has(name)) given.set(name, { path, value });
    else refuseUnknown(guide, path, value, problems, others);
  }
  return given;
}

function readMapping(value: unknown, path: string, problems: Problems): Mapping {
  if (isMapping(value)) return value;
  const remedy = Array.isArray(value) ? 'remove the dash before its keys' : 'for example {hidden_size: 128}';
  if (value !== undefined) problems.add(path, value, `must be a mapping; ${remedy}`);
  return {};
}

const MOST_STAGES = 100;
const EXAMPLE_STAGES = 'for example [{stage: grpo, max_steps: 300}]';

interface ResolvedStage {
  readonly stage: StageConfig;
  pathOf(remark: Remark): string;
}

function resolveStages(
  written: unknown,
  top: GivenKeys,
  problems: Problems,
  { methods: list, keysElsewhere, stageForms = {} }: Registries,
): ResolvedStage[] {
  if (written === undefined) return [resolveStage('grpo', top, new Map(), '', problems, list)];
  if (!Array.isArray(written) || written.length === 0) {
    const remedy = isMapping(written) ? 'begin each stage with a dash: "- stage: grpo"' : EXAMPLE_STAGES;
    problems.add('stages', written, `must be a list of at least one stage; ${remedy}`);
    return [];
  }
  if (written.length > MOST_STAGES) {
    problems.add('stages', `${written.length} stages`, `must be at most ${MOST_STAGES}; join those that are alike`);
    return [];
  }
  const kinds = written.map((stage, index) => readKind(stage, `stages.${index}`, Object.keys(stageForms), problems));
  if (kinds.every((kind) => kind === 'sft')) refuseUnread(top, problems);
  return kinds.flatMap((kind, index) => {
    if (kind === undefined) return [];
    const prefix = `stages.${index}.`;
    const form = isKind(kind) ? undefined : stageForms[kind];
    const guide = isKind(kind) ? guides[kind] : withKeys(guides.grpo, form?.keys);
    const own = givenKeys(written[index], prefix, guide, problems, keysElsewhere);
    const meant = form?.asGrpo(own, `stages.${index}`, problems) ?? own;
    return [resolveStage(isKind(kind) ? kind : 'grpo', top, meant, prefix, problems, list)];
  });
}

/** Keys that are the task at the top level, and what is shown in a supervised stage: that does not inherit them. */
const ofTaskAlone = spellings(DATASET_KEYS);

/** A stage sees the top level's keys, and its own over them. */
function resolveStage(
  kind: StageConfig['stage'],
  top: GivenKeys,
  own: GivenKeys,
  prefix: string,
  problems: Problems,
  list: MethodList,
): ResolvedStage {
  const given = new Map([...[...top].filter(([name]) => !ofTaskAlone.has(name)), ...own]);
  const pathOfKey = (key: string): string => given.get(key)?.path ?? prefix + key;
  const isGiven = (key: string): boolean => (given.get(key)?.value ?? null) !== null;
  if (isGiven('num_train_epochs') && isGiven('max_steps')) {
    problems.note(
      pathOfKey('num_train_epochs'),
      given.get('num_train_epochs')?.value,
      'max_steps is given, and decides',
    );
  }
  if (kind === 'sft') {
    const stage = resolveSft(new Section(STAGE_KEYS.sft, given, prefix, problems), list);
    return { stage, pathOf: ({ at }) => pathOfKey('key' in at ? at.key : 'stage') };
  }
  const before = problems.count;
  const { methods, pathOf: pathOfMethod } = resolveMethods(given, prefix, problems, list);
  const stage = resolveGrpo(new Section(GRPO_KEYS, given, prefix, problems), methods);
  const pathOf = ({ at }: Remark): string => ('key' in at ? pathOfKey(at.key) : pathOfMethod(at));
  // Methods are asked about a stage that is sound by itself.
  if (problems.count === before) refuseConflicts(stage, list, pathOf, problems);
  return { stage, pathOf };
}

function refuseConflicts(
  stage: GrpoStageConfig,
  list: MethodList,
  pathOf: (remark: Remark) => string,
  problems: Problems,
): void {
  for (const remark of remarksOn(stage, list)) {
    if (remark.level === 'conflict') problems.add(pathOf(remark), remark.value, remark.text);
  }
}

const isKind = (kind: unknown): kind is StageConfig['stage'] => kind === 'sft' || kind === 'grpo';

const withKeys = (guide: KeyGuide, keys: readonly string[] = []): KeyGuide => ({
  ...guide,
  known: new Set([...guide.known, ...keys]),
});

/** @param forms  further names of grpo stages */
function readKind(stage: unknown, path: string, forms: readonly string[], problems: Problems): string | undefined {
  if (!isMapping(stage)) {
    problems.add(path, stage, 'must be a mapping; for example {stage: grpo, max_steps: 300}');
    return undefined;
  }
  const { stage: kind } = stage;
  if (isKind(kind) || (typeof kind === 'string' && forms.includes(kind))) return kind;
  const others =
    forms.length === 0 ? 'sft or grpo' : `${['sft', 'grpo', ...forms.slice(0, -1)].join(', ')} or ${forms.at(-1)}`;
  problems.add(`${path}.stage`, kind ?? MISSING, `not a kind of stage; use ${others}`);
  return undefined;
}

/** Top-level keys that only a grpo stage reads, where there is none. */
function refuseUnread(top: GivenKeys, problems: Problems): void {
  for (const [name, { path, value }] of top) {
    if (value === null || !stageKeys.grpo.has(name) || stageKeys.sft.has(name)) continue;
    problems.add(path, value, 'no stage reads it, as all are sft; leave it out, or add a grpo stage');
  }
}
