/** Keys of other trainers' configs: each is taken, or named with what does the same here, and never "leave it out" alone. */
import { expect, it } from 'vitest';
import { parseConfig } from '../../../../test/support/everything.ts';

function said(...lines: readonly string[]): string {
  try {
    const { notes } = parseConfig(['task: sort_digits', 'max_steps: 10', ...lines].join('\n'), { file: 'c.yaml' });
    return `taken: ${notes.map(({ text }) => text).join()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const RIGHT: readonly (readonly [line: string, words: RegExp])[] = [
  ['warmup_ratio: 0.03', /^taken: $/],
  ['num_train_epochs: 2', /^taken: max_steps is given, and decides$/],
  ['epochs: 2', /here it is called num_train_epochs/],
  ['run_name: mine', /^taken: a run is named by its directory$/],
  ['system_prompt: Think.', /write task: \{name: …, system: …\}/],
  ['data: {train_files: x.parquet}', /verl .*data_files for train_files/],
  ['actor_rollout_ref: {model: {path: x}}', /verl .*model_name_or_path for model\.path/],
  ['algorithm: {adv_estimator: grpo}', /verl .*advantage_estimator for adv_estimator/],
  ['trainer: {total_training_steps: 3}', /verl .*max_steps for total_training_steps/],
  ['base_model: x', /here it is called model_name_or_path/],
  ['sequence_len: 512', /max_prompt_length and max_completion_length/],
  ['micro_batch_size: 4', /here it is called per_device_train_batch_size/],
  ['adapter: lora', /use use_peft: true/],
  ['max_seq_length: 512', /max_prompt_length and max_completion_length/],
  ['max_lora_rank: 16', /here it is called lora_r/],
  ['r: 16', /here it is called lora_r/],
  ['target_modules: [q_proj]', /here it is called lora_target_modules/],
  ['dataset_id_or_path: x', /here it is called data_files/],
  ['steps: 3', /a knob of the task; .*, or max_steps if that is meant/],
];

it.each(RIGHT)('%s', (line, words) => {
  expect(said(line)).toMatch(words);
});
