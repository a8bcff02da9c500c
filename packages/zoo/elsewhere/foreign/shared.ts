/** What the maps of several trainers share: rewards by name, rows, adapters. */
import type { Json } from '../../../../src/options/json.ts';
import { REWARD_NAMES } from '../rewards.ts';
import { type Computed, computed, type Fate, type ForeignValues, none } from './fate.ts';

export const ONE_PROCESS = none('one process on one machine trains');
export const ONE_ENGINE = none('rollouts run in the same engine as the update, so there is no vLLM');
export const FLOAT32 = none('all arithmetic is float32');
export const OWN_LOG = none('every step is logged in the run directory');
export const ONE_ATTENTION = none('there is one attention kernel, and batches have no padding');
export const BY_TIME = none(
  'checkpoints are written by time (save_seconds), and the best evaluation is kept beside them',
);
export const NO_UPLOAD = none('nothing is uploaded; `rlvr-train export` writes the model');
export const NO_WANDB = none(
  'there is no tracker of Weights & Biases; the run directory has all of it, or set report_to',
);

/** The name of a data set: of the hub, or of files on this disk. */
export const rows = (split?: string): Fate =>
  computed('rows of files are named by data_files, those of the hub by dataset_name', (value) => rowsOf(value, split));

/** What names a value as rows. */
export function rowsOf(value: Json, split?: string): Computed {
  const names = [value].flat().filter((name) => typeof name === 'string');
  if (names.length === 0) return 'no name of rows; set data_files, or dataset_name';
  if (names.every((name) => /\.(jsonl?|csv|tsv|parquet)(\.gz|\.zst)?$/.test(name))) {
    return { data_files: names.length === 1 ? names[0] : names };
  }
  const [name] = names;
  if (/^[\w.-]+\/[\w.-]+$/.test(name) && !name.startsWith('.')) {
    return { dataset_name: name, dataset_train_split: split };
  }
  if (/^[\w.-]+$/.test(name) && !['json', 'csv', 'parquet', 'text', 'arrow'].includes(name)) {
    return `a data set of the hub without its owner; write dataset_name: owner/${name}`;
  }
  return 'a folder, or a way to load rows; name its files by data_files: rows.jsonl';
}

/** Where a reward that is not here is to be written. */
export const OWN_REWARDS = 'rewards.py';

/** Our entry of `reward_funcs` for a name of theirs: one of ours, else a function in Python. */
function rewardNamed(name: string, all: ForeignValues, known: (name: string) => boolean): Json {
  if (name === 'cosine' || REWARD_NAMES['{name: cosine, max_len: 1000}'].includes(name)) return cosine(all);
  if (name === 'repetition_penalty' || REWARD_NAMES.repetition.includes(name)) {
    return withOptions('repetition', { ngram_size: 'repetition_n_grams', max_penalty: 'repetition_max_penalty' }, all);
  }
  if (/soft_overlong/.test(name)) {
    const most = all.get('max_completion_len') ?? all.get('max_completion_length') ?? 512;
    const cache = all.get('soft_punish_cache') ?? Math.ceil(Number(most) / 5);
    return { name: 'soft_overlong', max_tokens: most, cache };
  }
  if (known(name)) return name;
  const [ours] =
    Object.entries(REWARD_NAMES).find(([, names]) => names.includes(name) || names.includes(`${name}_reward`)) ?? [];
  if (ours !== undefined && !ours.startsWith('{')) return ours;
  const [, module, fn] = /^([\w.]+)\.(\w+)$/.exec(name) ?? [];
  if (module === undefined) return { name: 'python', file: OWN_REWARDS, function: name };
  return { name: 'python', file: `${module.replaceAll('.', '/')}.py`, function: fn ?? name };
}

const cosine = (all: ForeignValues): Json => {
  const options = {
    min_value_correct: 'cosine_min_value_correct',
    max_value_correct: 'cosine_max_value_correct',
    min_value_wrong: 'cosine_min_value_wrong',
    max_value_wrong: 'cosine_max_value_wrong',
  };
  const most = all.get('cosine_max_len') ?? all.get('max_completion_length') ?? 1000;
  return { name: 'cosine', max_len: most, ...given(options, all) };
};

function withOptions(name: string, options: Readonly<Record<string, string>>, all: ForeignValues): Json {
  const values = given(options, all);
  return Object.keys(values).length === 0 ? name : { name, ...values };
}

function given(options: Readonly<Record<string, string>>, all: ForeignValues): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([ours, theirs]) => {
      const value = all.get(theirs);
      return value === undefined || value === null ? [] : [[ours, value]];
    }),
  );
}

/** `reward_funcs` and `reward_weights`. Two of theirs may be one of ours: the first stays. */
export function rewards(known: (name: string) => boolean): Readonly<Record<'reward_funcs' | 'reward_weights', Fate>> {
  const listed = (all: ForeignValues): readonly (readonly [entry: Json, place: number])[] => {
    const names = [all.get('reward_funcs') ?? []].flat();
    const entries = names.map((name, i) => [rewardNamed(String(name), all, known), i] as const);
    const texts = entries.map(([entry]) => JSON.stringify(entry));
    return entries.filter((_, i) => texts.indexOf(texts[i]) === i);
  };
  return {
    reward_funcs: computed('by their names here; what is not here is a function in Python', (value, all) => {
      const entries = listed(all).map(([entry]) => entry);
      return { reward_funcs: Array.isArray(value) || entries.length !== 1 ? entries : (entries[0] ?? []) };
    }),
    reward_weights: computed('those of the rewards that stay', (value, all) =>
      Array.isArray(value) && all.has('reward_funcs')
        ? { reward_weights: listed(all).map(([, place]) => value[place] ?? 1) }
        : { reward_weights: value },
    ),
  };
}

/** `target_modules` of PEFT: all of them in any order are all-linear. */
export const targets: Fate = computed('a list of the seven modules is all-linear', (value) => {
  const all = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
  const isAll = Array.isArray(value) && all.every((name) => value.includes(name));
  return { lora_target_modules: isAll ? 'all-linear' : value };
});

/** A dropout of an adapter. */
export const noDropout: Fate = computed('sampler and trainer must be one policy, so there is no dropout', () => ({}));

/** Recomputing activations. */
export const checkpointing: Fate = computed(
  'activations are kept where there is room, and the bits are the same',
  () => ({}),
);
