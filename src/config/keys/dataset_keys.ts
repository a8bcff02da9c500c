/**
 * TRL's keys for rows of one's own: `dataset_name: json` with `data_files`. At the top level they are the task, as
 * `task: {name: dataset, train: …}` writes it out; in a supervised stage they are what that stage is shown instead of
 * the task's demonstrations.
 */
import { z } from 'zod';
import { DATASET } from '../../data/datasets/card.ts';
import type { ShownRows } from '../../methods/stage.ts';
import { key, type Plugin, type Values } from '../../options/keys.ts';
import { optional, text } from '../../options/schemas.ts';

/** Files by split. */
export interface DataSplits {
  readonly train: string[];
  readonly test?: string[] | undefined;
}

const EXAMPLE = 'questions.jsonl';
/** A file, where the name of a data set was asked for. */
const DATA_FILE = /\.(csv|jsonl?|parquet)$/;
const error = `must be a file, a list of files, or {train: …, test: …}; for example ${EXAMPLE}`;
const one = text(EXAMPLE);
const files = z.union([one.transform((file) => [file]), z.array(one, { error }).min(1, { error })], { error });
const bySplit = z.strictObject({ train: files, test: files.optional() }, { error });

export const DATASET_KEYS = {
  datasetName: key(
    'dataset_name',
    optional(
      text('json').regex(/^(json|parquet|[\w.-]+\/[\w.-]+(@[\w./-]+)?)$/, {
        error:
          'must be json or parquet, or owner/name@revision of the hub (a file goes into data_files); for example json',
      }),
    ).describe('What data_files are: json or parquet on this disk, or owner/name@revision of the hub. Default json.'),
  ),
  dataFiles: key(
    'data_files',
    optional(z.union([files.transform((train): DataSplits => ({ train })), bySplit], { error })).describe(
      'Files of rows: prompt and answer or completion, or messages. A file, a list of files, or {train, test}. Beside a ' +
        'task, in an sft stage, they are what it shows. Default: none.',
    ),
  ),
};

/** What is read of a section that has these keys among others. */
interface DatasetSection {
  readonly values: Values<typeof DATASET_KEYS>;
  sound(...names: readonly (keyof typeof DATASET_KEYS)[]): boolean;
  refuse(name: keyof typeof DATASET_KEYS, rule: string): void;
}

/** The task that the top level's keys mean; undefined where they are not given. */
export function datasetTask(section: DatasetSection): Plugin | undefined {
  const rows = rowsOf(section);
  if (rows === undefined) return undefined;
  const { test } = section.values.dataFiles ?? {};
  return { name: DATASET, ...rows, train: [...rows.train], ...(test && { held_out: test }) };
}

/** What a supervised stage shows; undefined: the task's demonstrations. */
export function shownRows(section: DatasetSection): ShownRows | undefined {
  if (section.sound('dataFiles') && section.values.dataFiles?.test !== undefined) {
    section.refuse('dataFiles', 'a supervised stage holds no rows out; give the files of train alone');
  }
  return rowsOf(section);
}

function rowsOf(section: DatasetSection): ShownRows | undefined {
  const { datasetName = 'json', dataFiles } = section.values;
  if (!section.sound('datasetName', 'dataFiles')) return undefined;
  if (dataFiles === undefined) {
    const isNamed = section.values.datasetName !== undefined;
    if (DATA_FILE.test(datasetName)) section.refuse('datasetName', `a file; write data_files: ${datasetName}`);
    else if (isNamed) section.refuse('datasetName', `which of its files is not guessed; add data_files: ${EXAMPLE}`);
    return undefined;
  }
  return { train: dataFiles.train, ...(datasetName.includes('/') && { hub: datasetName }) };
}
