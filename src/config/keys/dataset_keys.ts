/**
 * TRL's keys for rows of one's own: `dataset_name: json` with `data_files`, or a data set of the hub with its splits. At the top level they are the task, as
 * `task: {name: dataset, train: …}` writes it out; in a supervised stage they are what that stage is shown instead of
 * the task's demonstrations.
 */
import { z } from 'zod';
import { DATASET } from '../../data/data_files.ts';
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
      text('json').regex(/^(json|csv|parquet|[\w.-]+\/[\w.-]+(@[\w./-]+)?)$/, {
        error:
          'must be json, csv or parquet, or owner/name@revision of the hub (a file goes into data_files); for example json',
      }),
    ).describe(
      'What data_files are: json, csv or parquet on this disk, or owner/name@revision of the hub, whose splits need no files. Default json.',
    ),
  ),
  datasetConfig: key(
    'dataset_config',
    optional(text('main')).describe(
      'Which configuration of a data set of the hub, which its page calls a subset. Default: its default one.',
    ),
  ),
  trainSplit: key(
    'dataset_train_split',
    optional(text('train')).describe('The split of a data set of the hub that is trained on. Default train.'),
  ),
  testSplit: key(
    'dataset_test_split',
    optional(text('test')).describe(
      'The split of a data set of the hub that is evaluated. Default: a fifth of the split that is trained on.',
    ),
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
  const { dataFiles, testSplit } = section.values;
  const test = dataFiles?.test ?? (rows.hub !== undefined && testSplit ? [testSplit] : undefined);
  return { name: DATASET, ...rows, train: [...rows.train], ...(test && { held_out: test }) };
}

/** What a supervised stage shows; undefined: the task's demonstrations. */
export function shownRows(section: DatasetSection): ShownRows | undefined {
  const held = section.values.dataFiles?.test !== undefined ? 'dataFiles' : 'testSplit';
  if (section.sound(held) && (held === 'dataFiles' || section.values.testSplit !== undefined)) {
    section.refuse(held, 'a supervised stage holds no rows out; give the files of train alone');
  }
  return rowsOf(section);
}

function rowsOf(section: DatasetSection): ShownRows | undefined {
  const { datasetName = 'json', datasetConfig, trainSplit, testSplit, dataFiles } = section.values;
  if (!section.sound('datasetName', 'dataFiles', 'datasetConfig', 'trainSplit', 'testSplit')) return undefined;
  const isHub = datasetName.includes('/');
  if (!isHub) {
    const onDisk = 'files of this disk have no splits; name them by data_files, or {train: …, test: …}';
    if (datasetConfig !== undefined) section.refuse('datasetConfig', onDisk);
    if (trainSplit !== undefined && trainSplit !== 'train') section.refuse('trainSplit', onDisk);
    if (testSplit !== undefined && testSplit !== 'test') section.refuse('testSplit', onDisk);
  } else if (dataFiles !== undefined && trainSplit !== undefined) {
    section.refuse('trainSplit', 'data_files are given too; keep one');
  }
  if (dataFiles === undefined && !isHub) {
    const isNamed = section.values.datasetName !== undefined;
    if (isNamed) section.refuse('datasetName', `which of its files is not guessed; add data_files: ${EXAMPLE}`);
    return undefined;
  }
  if (isHub && DATA_FILE.test(datasetName)) {
    section.refuse('datasetName', `a file; write data_files: ${datasetName}`);
    return undefined;
  }
  return {
    train: dataFiles?.train ?? [trainSplit ?? 'train'],
    ...(isHub && { hub: datasetName, ...(datasetConfig !== undefined && { hub_config: datasetConfig }) }),
  };
}
