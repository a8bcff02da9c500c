/** Jobs for a pretrained model: the YAML of the command line, to be changed before a click. */

const ADAPTER = (model: string): string => `model_name_or_path: ${model}
dtype: auto
use_peft: true
lora_r: 16`;

/** That of configs/smollm2.yaml. */
const SORTING = 'task: {name: number_sorting, numbers: 3, max: 9, direction: up, examples: 2}';

/** How it learns: it tries and is told, or it is shown. */
export type Learns = 'reward' | 'examples';

/** Rows of the visitor's, and what is asked of an answer. */
export interface OwnRows {
  /** Name of the file that they are given as. */
  readonly file: string;
  readonly verify: string;
  readonly system: string;
}

/** What configs/smollm2.yaml trains. @param model  name of a kept one */
export function sortingJob(model: string): string {
  return `${ADAPTER(model)}
${SORTING}
max_completion_length: 10
num_generations: 10
generation_batch_size: 80
learning_rate: 3.0e-4
lr_scheduler_type: linear
lr_scheduler_kwargs: {min_lr_rate: 0.3}
warmup_steps: 3
scale_rewards: group
eval_steps: 20
eval_samples: 64
num_generations_eval: 1
max_steps: 60
per_device_train_batch_size: 20
`;
}

/** The same task from right answers. */
export function shownSortingJob(model: string): string {
  return `${ADAPTER(model)}
${SORTING}
${shown(20)}`;
}

/** @param rows  those of a data set */
export function rowsJob(model: string, { file, verify, system }: OwnRows, learns: Learns): string {
  const asked = system === '' ? '' : `, system: ${JSON.stringify(system)}`;
  const task = `task: {name: dataset, train: ${file}, verify: ${verify}, examples: 2${asked}}`;
  if (learns === 'examples') return `${ADAPTER(model)}\n${task}\n${shown(40)}`;
  return `${ADAPTER(model)}
${task}
num_generations: 8
generation_batch_size: 32
learning_rate: 3.0e-4
warmup_steps: 3
scale_rewards: group
eval_steps: 10
eval_samples: 40
num_generations_eval: 1
max_steps: 40
per_device_train_batch_size: 16
`;
}

function shown(steps: number): string {
  return `stages:
  - stage: sft
    max_steps: ${steps}
    per_device_train_batch_size: 8
    learning_rate: 3.0e-4
    warmup_steps: 3
    eval_steps: 10
    eval_samples: 32
`;
}

/** The name that says how pasted rows are read: JSON by its first letter, else cells between tabs or commas. */
export function fileNameOf(rows: string): string {
  if (/^\s*[[{]/.test(rows)) return 'rows.jsonl';
  return rows.trimStart().split('\n', 1)[0]?.includes('\t') ? 'rows.tsv' : 'rows.csv';
}
