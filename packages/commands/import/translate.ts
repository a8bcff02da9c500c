/** Another trainer's config in our keys: what became of each key, and the text of a config that the schema takes. */
import { stringify } from 'yaml';
import { parseConfig } from '../../../src/config/load.ts';
import type { Problem } from '../../../src/config/problems.ts';
import type { Library } from '../../../src/config/registries.ts';
import { ConfigError } from '../../../src/errors.ts';
import type { Json } from '../../../src/options/json.ts';
import { computed, entryOf, type Fate, type ForeignMap, type ForeignValues } from '../../zoo/elsewhere/foreign/fate.ts';
import { IN_STAGE, OF_PREFERENCES } from '../../zoo/elsewhere/foreign/preferences.ts';
import { OWN_REWARDS, rewards } from '../../zoo/elsewhere/foreign/shared.ts';
import { TRL, trlFate } from '../../zoo/elsewhere/foreign/trl.ts';
import { type ForeignKey, Unread } from './foreign_file.ts';
import type { ReadConfig } from './read_foreign.ts';

export type Became = 'kept' | 'renamed' | 'computed' | 'no meaning' | 'refused';

/** What became of a key. */
export interface ImportedKey {
  readonly path: string;
  readonly value: Json;
  readonly line: number;
  readonly became: Became;
  /** Keys of ours that it decides, with their values. */
  readonly ours: Readonly<Record<string, Json>>;
  readonly why: string;
}

export interface Imported {
  readonly trainer: ForeignMap['trainer'];
  readonly keys: readonly ImportedKey[];
  /** The config, with a comment on each line that says where it is from. */
  readonly text: string;
  /** What is left to whoever imports it, as `what is so; remedy`. */
  readonly toDo: readonly string[];
}

/** A problem for each key that the schema refuses may show the next ones. */
const MOST_ROUNDS = 6;

/** @param name  of the file, for the first line */
export async function translate(read: ReadConfig, name: string, library: Library): Promise<Imported> {
  const rewardNames = (await library.naming()).rewards.names;
  const values: ForeignValues = new Map(
    read.keys.flatMap(({ path, value }) => (value instanceof Unread ? [] : [[path, value] as const])),
  );
  const known = (reward: string): boolean => reward !== 'python' && rewardNames.includes(reward);
  const withoutDefault = asTrlSees(values, read.map);
  let keys = read.keys.map((key) => becameOf(key, fateOf(read, key.path, known), withoutDefault));
  let toDo: string[] = [];
  for (let round = 0; ; round++) {
    const written = assembled(keys, read);
    toDo = leftOver(written);
    const problems = await problemsOf(yamlOf(written), library);
    const refused = keys.map((key) => ({ key, problem: problems.find(({ path }) => decides(key, path)) }));
    const isStuck = refused.every(({ problem }) => problem === undefined) || round === MOST_ROUNDS;
    if (isStuck)
      return {
        trainer: read.map.trainer,
        keys,
        text: textOf(keys, read, written, name, toDo),
        toDo: [...toDo, ...problems.map(({ path, rule }) => `${path}: ${rule}`)],
      };
    keys = refused.map(({ key, problem }) =>
      problem === undefined ? key : { ...key, became: 'refused', ours: {}, why: problem.rule },
    );
  }
}

/** Whether a key of theirs decides what a problem is about. */
function decides({ ours }: ImportedKey, path: string): boolean {
  return Object.keys(ours).some((own) => path === own || path.startsWith(`${own}.`) || own.startsWith(`${path}.`));
}

function asTrlSees(values: ForeignValues, map: ForeignMap): ForeignValues {
  if (map.trainer !== 'axolotl') return values;
  const below = [...values].filter(([path]) => path.startsWith('trl.'));
  return new Map([...values, ...below.map(([path, value]) => [path.slice('trl.'.length), value] as const)]);
}

/** A step of a supervised stage is one batch. */
const OF_BATCHES: Readonly<Record<string, Fate>> = {
  per_device_train_batch_size: computed('a step is one batch', (value, all) => ({
    per_device_train_batch_size: Number(value) * Number(all.get('gradient_accumulation_steps') ?? 1),
  })),
  gradient_accumulation_steps: computed('it is in the batch', () => ({})),
};

/** What the maps say of a key; undefined: it is no key of that trainer. */
export function fateOf(
  { map, isSupervised, form }: Pick<ReadConfig, 'map' | 'isSupervised' | 'form'>,
  path: string,
  known: (reward: string) => boolean,
): Fate | undefined {
  const name = path.replace(/^trl\./, '');
  if (name === 'reward_funcs' || name === 'reward_weights') return rewards(known)[name];
  const ofStage = form !== undefined && Object.hasOwn(OF_PREFERENCES, name) ? OF_PREFERENCES[name] : undefined;
  const own = ofStage ?? ((isSupervised && OF_BATCHES[name]) || entryOf(map, path));
  if (own !== undefined || map.isTrl !== true) return own;
  return Object.hasOwn(TRL.keys, name) ? TRL.keys[name] : trlFate(name);
}

function becameOf({ path, value, line }: ForeignKey, fate: Fate | undefined, all: ForeignValues): ImportedKey {
  const said = (became: Became, why: string, ours: ImportedKey['ours'] = {}): ImportedKey => ({
    path,
    value: value instanceof Unread ? value.source : value,
    line,
    became,
    ours,
    why,
  });
  if (fate === undefined)
    return said('refused', 'not a key of that trainer that is known here; leave it out, or look for a name like it');
  if (fate.kind === 'none') return said('no meaning', fate.why);
  if (value instanceof Unread) return said('refused', 'its own program works it out; write the value');
  if (value === null) return said('no meaning', 'null: not given');
  const name = path.replace(/^.*\./, '');
  switch (fate.kind) {
    case 'kept':
      return said('kept', '', { [name]: value });
    case 'renamed':
      return said('renamed', fate.ours, { [fate.ours]: value });
    case 'refused':
      return fate.agrees.some((one) => JSON.stringify(one) === JSON.stringify(value))
        ? said('no meaning', fate.because.split('; ')[0] ?? '')
        : said('refused', fate.because);
    case 'computed': {
      const of = fate.of(value, all);
      if (typeof of === 'string') return said('refused', of);
      const given = Object.entries(of).filter((entry): entry is [string, Json] => entry[1] !== undefined);
      const isSame =
        given.length === 1 && given[0]?.[0] === name && JSON.stringify(given[0][1]) === JSON.stringify(value);
      if (isSame) return said('kept', '', Object.fromEntries(given));
      const why = given.length === 0 ? `${fate.why}; nothing to write` : fate.why;
      return said('computed', why, Object.fromEntries(given));
    }
  }
}

/** A key of ours, its value, and the keys of theirs that it is from; none: the trainer's default. */
interface Written {
  readonly name: string;
  readonly value: Json;
  readonly from: readonly ImportedKey[];
}

type Entry = { value: Json; from: ImportedKey[] };

function assembled(keys: readonly ImportedKey[], { map, isSupervised, form }: ReadConfig): Written[] {
  const flat = new Map<string, Entry>();
  for (const key of keys) {
    for (const [name, value] of Object.entries(key.ours)) {
      const from = flat.get(name)?.from ?? [];
      flat.set(name, { value, from: [...from, key] });
    }
  }
  const length = ['max_steps', 'num_train_epochs'].some((name) => flat.has(name));
  const defaults = {
    ...(map.isTrl && { num_train_epochs: 3 }),
    ...(form !== undefined && { learning_rate: 1e-6 }),
    ...map.defaults,
  };
  for (const [name, value] of Object.entries(defaults)) {
    const isSaid =
      flat.has(name) || (name === 'num_train_epochs' && length) || (isSupervised && name !== 'num_train_epochs');
    if (!isSaid) flat.set(name, { value, from: [] });
  }
  if (flat.has('max_steps')) flat.delete('num_train_epochs');
  if (flat.get('lr_scheduler_type')?.value === 'constant' && Number(flat.get('warmup_steps')?.value ?? 0) > 0) {
    flat.set('lr_scheduler_type', { ...(flat.get('lr_scheduler_type') as Entry), value: 'constant_with_warmup' });
  }
  const stage = form === undefined ? [] : taken(flat, IN_STAGE);
  intoTask(flat);
  intoSections(flat);
  const written = [...flat].map(([name, entry]) => ({ name, ...entry }));
  if (isSupervised) written.push({ name: 'stages', value: [{ stage: 'sft' }], from: [] });
  if (form !== undefined) {
    const value = { stage: form, ...Object.fromEntries(stage.map(([name, entry]) => [name, entry.value])) };
    written.push({ name: 'stages', value: [value], from: stage.flatMap(([, { from }]) => from) });
  }
  return written;
}

/** Takes out what begins with this. */
function taken(flat: Map<string, Entry>, prefix: string): (readonly [name: string, entry: Entry])[] {
  const own = [...flat].filter(([name]) => name.startsWith(prefix));
  for (const [name] of own) flat.delete(name);
  return own.map(([name, entry]) => [name.slice(prefix.length), entry]);
}

/** What only a task can say of its rows makes them one: `task: {name: dataset, …}`. */
function intoTask(flat: Map<string, Entry>): void {
  const own = [...flat].filter(([name]) => name.startsWith('task.'));
  if (own.length === 0) return;
  const take = (name: string): Entry | undefined => {
    const entry = flat.get(name);
    flat.delete(name);
    return entry;
  };
  const [hub, config, split, test] = [
    'dataset_name',
    'dataset_config',
    'dataset_train_split',
    'dataset_test_split',
  ].map(take);
  const [files, testFiles] = ['data_files', 'data_files.test'].map(take);
  const train = files ?? split ?? (hub && { value: 'train', from: [] });
  if (train === undefined) {
    for (const [name] of own) flat.delete(name);
    return;
  }
  const knobs: Record<string, Entry | undefined> = { train, held_out: testFiles ?? test, hub, hub_config: config };
  for (const [name, entry] of own) knobs[name.slice('task.'.length)] = entry;
  for (const [name] of own) flat.delete(name);
  const given = Object.entries(knobs).flatMap(([name, entry]) => (entry === undefined ? [] : [[name, entry] as const]));
  const value: Json = { name: 'dataset', ...Object.fromEntries(given.map(([name, entry]) => [name, entry.value])) };
  flat.set('task', { value, from: given.flatMap(([, { from }]) => from) });
}

/** `data_files.test` and `lr_scheduler_kwargs.min_lr_rate` below their keys. */
function intoSections(flat: Map<string, Entry>): void {
  for (const [name, entry] of [...flat]) {
    const [above = '', inner] = name.split('.');
    if (inner === undefined) continue;
    flat.delete(name);
    const held = flat.get(above);
    const before = above === 'data_files' && held !== undefined ? { train: held.value } : (held?.value ?? {});
    flat.set(above, {
      value: { ...(before as object), [inner]: entry.value },
      from: [...(held?.from ?? []), ...entry.from],
    });
  }
}

const hasRows = (written: readonly Written[]): boolean =>
  written.some(({ name }) => ['task', 'data_files', 'dataset_name'].includes(name));

function leftOver(written: readonly Written[]): string[] {
  const given = (name: string): Json | undefined => written.find((one) => one.name === name)?.value;
  const todo: string[] = [];
  const own = [given('reward_funcs') ?? []].flat().filter((one) => isPython(one) && one.file === OWN_REWARDS);
  const names = own.map((one) => (isPython(one) ? one.function : '')).join(', ');
  if (own.length > 0)
    todo.push(`${OWN_REWARDS}, with the functions ${names} as they are there; it runs with your rights`);
  if (!hasRows(written)) {
    todo.push('no rows: name a task (`rlvr-train tasks ls`), or rows of yours, data_files: rows.jsonl');
  } else if (given('dataset_name') !== undefined || isHubTask(given('task'))) {
    todo.push(
      'rows of the hub: `rlvr-train fetch --dataset NAME`, then `rlvr-train data show FILE` shows what is read of them',
    );
  } else todo.push('rows of files: `rlvr-train data show FILE` shows what is read of them');
  const model = given('model_name_or_path');
  if (model === undefined) todo.push('no model: name one in model_name_or_path, or its shape under model:');
  else if (/^[\w.-]+\/[\w.-]+(@.*)?$/.test(String(model)))
    todo.push(`the model: \`rlvr-train fetch ${String(model)}\``);
  return todo;
}

const isPython = (entry: Json): entry is { readonly file: Json; readonly function: Json } =>
  typeof entry === 'object' && entry !== null && 'function' in entry;

const isHubTask = (task: Json | undefined): boolean => typeof task === 'object' && task !== null && 'hub' in task;

/** As the schema is asked: with rows, which decide whether there are passes, where there are none yet. */
function yamlOf(written: readonly Written[]): string {
  const tree = Object.fromEntries(written.map(({ name, value }) => [name, value]));
  return stringify(hasRows(written) ? tree : { ...tree, data_files: 'rows.jsonl' });
}

async function problemsOf(text: string, library: Library): Promise<readonly Problem[]> {
  try {
    parseConfig(text, { file: 'imported', registries: await library.naming(text) });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'invalid-config') throw error;
    return error.facts.problems as readonly Problem[]; // as `Problems` throws it
  }
}

const COMMENT_COLUMN = 44;

function textOf(
  keys: readonly ImportedKey[],
  { map }: ReadConfig,
  written: readonly Written[],
  name: string,
  toDo: readonly string[],
): string {
  const head = [
    `# ${name}, a config of ${map.trainer}, in the keys of rlvr-train.`,
    ...toDo.map((line) => `# To do: ${line}.`),
  ];
  const lines = written.map(({ name: ours, value, from }) => {
    const [first = '', ...more] = stringify({ [ours]: value }, { lineWidth: 0 })
      .trimEnd()
      .split('\n');
    const source =
      ours === 'stages'
        ? 'supervised'
        : from.length === 0
          ? `${map.trainer}'s default`
          : [...new Set(from.map(({ path, line }) => `line ${line}${path === ours ? '' : ` ${path}`}`))].join(', ');
    return [`${first.padEnd(COMMENT_COLUMN - 1)} # ${source}`, ...more].join('\n');
  });
  const dropped = keys.filter(({ became, ours }) => became === 'refused' || Object.keys(ours).length === 0);
  const notes = dropped.map(
    ({ path, line, became, why }) => `#   line ${line}  ${path}: ${became === 'refused' ? 'refused: ' : ''}${why}`,
  );
  return [...head, ...lines, ...(notes.length === 0 ? [] : ['# Not taken over:', ...notes]), ''].join('\n');
}
