/** What a config says of a data set: `task: {name: dataset, train: q.jsonl, …}`. */

import { z } from 'zod';
import { DATASET } from '../../../../src/data/data_files.ts';
import type { Knobs, ListedCard } from '../../../../src/data/task.ts';
import { type Key, options } from '../../../../src/options/keys.ts';
import * as schemas from '../../../../src/options/schemas.ts';
import { isModuleFile } from '../../../../src/rewards/module_file.ts';

/** Where in a completion the answer is. */
const EXTRACTIONS = ['whole', 'only', 'last', 'first', 'boxed', 'hash', 'line'] as const;
export type DatasetExtraction = (typeof EXTRACTIONS)[number];

/** How an answer is compared; anything else is a file of the user's. */
const COMPARISONS = ['exact', 'number', 'choice', 'list', 'math', 'json'] as const;

const files = () => {
  const error = 'must be a file, or a list of files; for example questions.jsonl';
  const one = schemas.text('questions.jsonl');
  return z
    .union([one.transform((file) => [file]), z.array(one, { error }).min(1, { error })], { error })
    .meta({ examples: ['questions.jsonl'] });
};

const columns = () => {
  const error = 'must be a column, or a list of columns; for example question';
  return z.union([schemas.text('question'), z.array(schemas.text('input'), { error }).min(1, { error })], { error });
};

const shareRule = 'must be a share of the rows, above 0 and below 1, or files; for example 0.4';
const share = z
  .number()
  .gt(0, { error: shareRule })
  .lt(1, { error: shareRule })
  .meta({ examples: [0.4] });

const verifyRule = `not a comparison; use ${COMPARISONS.join(', ')}, or a file of yours such as ./verify.ts`;

export const DATASET_KNOBS = options({
  train: files().describe(
    'Files of rows: JSON Lines, JSON or CSV (also .gz, .zst), or Parquet, relative to this file. No default.',
  ),
  held_out: z
    .union([share, files()], { error: shareRule })
    .optional()
    .describe(
      'What is evaluated: a share of the rows of train, by a hash of the prompt, or files of further rows. Default 0.2.',
    ),
  hub: schemas
    .text('openai/gsm8k@main')
    .regex(/^[\w.-]+\/[\w.-]+(@[\w./-]+)?$/, {
      error: 'must be owner/name or owner/name@revision; for example openai/gsm8k@main',
    })
    .optional()
    .describe(
      'A data set of the Hugging Face hub: train and held_out are then files in it, or splits such as train and test. ' +
        'Default: files of this disk.',
    ),
  hub_config: schemas
    .text('main')
    .optional()
    .describe('Which configuration of that data set has the splits. Default: its default one.'),
  prompt: columns()
    .default('prompt')
    .describe(
      'Column with the prompt: a text, or a list of messages; texts of several columns are joined by an empty line. ' +
        'Default {default}, else what the first row looks like, which a note says; rows of messages need none.',
    ),
  prompt_format: schemas
    .choice(['raw'])
    .optional()
    .describe(
      'raw: prompts are texts that a chat template has rendered already, and taken as they are, with their control ' +
        'tokens. Default: questions, which the template of the model renders.',
    ),
  answer: schemas
    .text('answer')
    .optional()
    .describe(
      'Column with the right answer; reward_model.ground_truth is a member of a column. Default: answer, else solution, ' +
        'else completion, else the last turn of messages, else what the first row looks like.',
    ),
  completion: schemas
    .text('solution')
    .optional()
    .describe('Column with what a supervised stage shows. Default: completion, else the answer as extract reads it.'),
  choices: schemas
    .text('choices')
    .optional()
    .describe('Column with the options of verify: choice. Default: letters alone.'),
  columns: z
    .array(schemas.text('level'), { error: 'must be a list of columns; for example [level]' })
    .optional()
    .describe('Further columns that rewards may read; others are not kept. Default: all.'),
  extract: schemas
    .choice(EXTRACTIONS)
    .default('whole')
    .describe(
      'Where a completion has its answer. whole: it is the answer; only, last, first: of its <answer> tags; boxed: the ' +
        'last \\boxed{}; hash: the last ####; line: the last line.',
    ),
  verify: schemas
    .text('number')
    .refine((value) => isModuleFile(value) || COMPARISONS.some((one) => one === value), { error: verifyRule })
    .default('exact')
    .describe(
      'How it is compared. exact: the same text; number: the same number; choice: the same option; list: the same ' +
        'elements in their order; math: the same number, expression, set, tuple or interval, however it is written; json: strict JSON of the same value, whose share of right fields is the part fields; or a file of yours.',
    ),
  on_bad_row: schemas
    .choice(['stop', 'skip'])
    .default('stop')
    .describe('A row that cannot be read stops the start, or is left out and counted.'),
});

type ValueOf<K> = K extends Key<infer V> ? V : never;
/** Its knobs with every default filled in. */
export type DatasetKnobs = { readonly [N in keyof typeof DATASET_KNOBS]: ValueOf<(typeof DATASET_KNOBS)[N]> };

export const datasetCard: ListedCard<Knobs> = {
  name: DATASET,
  does: 'Questions from a file of yours.',
  example: ['{"prompt": "17+25=", "answer": "42"}', '42'],
  version: 1,
  category: 'data sets',
  tier: 1,
  knobs: DATASET_KNOBS,
  levels: [],
};
