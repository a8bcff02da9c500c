/** Jobs for a pretrained model: the YAML of the command line, to be changed before a click. */

export interface ModelPreset {
  readonly title: string;
  readonly about: string;
  /** @param model  name of a kept one */
  readonly yaml: (model: string) => string;
}

/** That of configs/smollm2.yaml. */
const SORTING = 'task: {name: number_sorting, numbers: 3, max: 9, direction: up, examples: 2}';

const ADAPTER = (model: string): string => `model_name_or_path: ${model}
dtype: auto
use_peft: true
lora_r: 16`;

/** The first is chosen. */
export const MODEL_PRESETS: Readonly<Record<string, ModelPreset>> = {
  reinforce: {
    title: 'Sort three numbers, by reward',
    about:
      'What configs/smollm2.yaml trains: two examples before each question, an answer is right or it is not. SmolLM2-135M begins near 12 % and ends near 94 %.',
    yaml: (model) => `${ADAPTER(model)}
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
`,
  },
  examples: {
    title: 'Sort three numbers, by examples',
    about:
      'Supervised: right answers are shown. Each step takes seconds, and twenty of them are enough to see a change.',
    yaml: (model) => `${ADAPTER(model)}
${SORTING}
stages:
  - stage: sft
    max_steps: 20
    per_device_train_batch_size: 8
    learning_rate: 3.0e-4
    warmup_steps: 3
    eval_steps: 10
    eval_samples: 32
`,
  },
};
