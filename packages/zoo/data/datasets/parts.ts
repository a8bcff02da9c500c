/** Every kind of file that rows are read from, and every comparison of their answers. */
import { COMPARISONS } from '../../../../src/data/datasets/answers.ts';
import { piecesOf } from '../../../../src/data/datasets/data_files.ts';
import { readJsonLines } from '../../../../src/data/datasets/json_lines.ts';
import type { DatasetParts } from '../../../../src/data/datasets/parts.ts';
import type { RowFile, RowFormat } from '../../../../src/data/datasets/row.ts';
import { choice, list, math } from './comparisons.ts';
import { readCsv } from './csv.ts';
import { unpacked } from './gzip.ts';
import { json } from './json_records.ts';

/** Files whose rows are separated cells. */
const CSV = /\.(csv|tsv)(\.gz)?$/i;

const parquet: RowFormat = {
  tells: [0x50, 0x41, 0x52, 0x31], // PAR1
  async *read(file) {
    const { readParquet } = await import('./parquet.ts');
    yield* readParquet(file);
  },
};

const gzip: RowFormat = {
  tells: [0x1f, 0x8b],
  read(file) {
    const read = CSV.test(file.path) ? readCsv : readJsonLines;
    return read(unpacked(pieces(file), file.path), file.path);
  },
};

const csv: RowFormat = { tells: CSV, read: (file) => readCsv(pieces(file), file.path) };

function pieces({ files, path, size }: RowFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return piecesOf(files, path, size);
}

export const ALL_ROWS: DatasetParts = {
  formats: [parquet, gzip, csv],
  kinds: 'JSON Lines (.jsonl), CSV (.csv, .tsv), both also as .gz, and Parquet',
  comparisons: { ...COMPARISONS, choice, list, math, json },
};
