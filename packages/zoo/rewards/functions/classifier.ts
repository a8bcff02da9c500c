/** Scores of a text-classification or embedding model in a folder of this machine, in a thread of its own. Node alone opens it. */
import { ConfigError } from '../../../../src/errors.ts';
import { choice, integer, keys, number, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

/** What it is called in a config. */
export const CLASSIFIER = 'classifier';

export const CLASSIFIER_OPTIONS = keys({
  model: text('./judge').describe('Folder with config.json, tokenizer.json and onnx/model.onnx, from the config.'),
  label: text('POSITIVE')
    .optional()
    .describe('Whose probability is paid; a model of one label pays its output as it is.'),
  pays: choice(['label', 'likeness'])
    .default('label')
    .describe(
      'What is paid: the probability of the label, or the cosine of the embeddings of completion and right answer (likeness; with reads: both, of completion and prompt).',
    ),
  reads: choice(['completion', 'both', 'reference'])
    .default('completion')
    .describe(
      'What the model reads: the completion, prompt and completion as a pair of texts (both), or the right answer and the completion (reference).',
    ),
  batchSize: integer({ min: 1, max: 4096, example: 32 }).default(32).describe('Completions at once, at most.'),
  timeout: number({ above: 0, max: 86400, example: 60 }).default(60).describe('Seconds for these.'),
});

export const classifierReward = defineReward({
  does: 'The probability that a text-classification model of yours gives a label, or likeness to the right answer by an embedding model, by @huggingface/transformers, from local files.',
  reads: 'model',
  options: CLASSIFIER_OPTIONS,
  create: ({ model }) => {
    const rule = 'a model in a folder is opened by openPlugins of rlvr-train/node; a page has none';
    throw new ConfigError('no-classifier', `reward_funcs: ${CLASSIFIER}.model: ${JSON.stringify(model)} — ${rule}.`);
  },
});
