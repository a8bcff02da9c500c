/** Every kind of file that rows are read from, and every comparison of their answers. */

import { badFile, piecesOf, rangeOf } from '../../../../src/data/data_files.ts';
import { COMPARISONS } from './answers.ts';
import { choice, list, math } from './comparisons.ts';
import { readCsv } from './csv.ts';
import type { DatasetParts } from './dataset_parts.ts';
import { unpacked } from './gzip.ts';
import { readJsonLines } from './json_lines.ts';
import { json } from './json_records.ts';
import type { RowFile, RowFormat, RowReading } from './row.ts';

const ARROW = "an Arrow file; write it from Python: datasets.load_from_disk(…).to_parquet('rows.parquet')";

/** Files whose rows are separated cells. */
const CSV = /\.(csv|tsv)(\.(gz|zst))?$/i;

const parquet: RowFormat = {
  tells: [0x50, 0x41, 0x52, 0x31], // PAR1
  async *read(file) {
    const { readParquet } = await import('./parquet.ts');
    yield* readParquet(file);
  },
};

const gzip: RowFormat = {
  tells: [0x1f, 0x8b],
  read: (file) => textRows(file, unpacked(pieces(file), file.path)),
};

const zstd: RowFormat = { tells: [0x28, 0xb5, 0x2f, 0xfd], read: (file) => textRows(file, unpackedZstd(file)) };
/** Longest file that is unpacked whole. */
const MOST_PACKED_BYTES = 256 * 1024 ** 2;

async function* unpackedZstd({ files, path, size }: RowFile): AsyncGenerator<Uint8Array> {
  if (size > MOST_PACKED_BYTES) throw badFile(path, 'more than 256 MiB packed by zstd; unpack it: zstd -d');
  const packed = await rangeOf(files, path, 0, size);
  // In this form the bundle of the page leaves out its other codecs, Brotli with its dictionary among them.
  const { decompressZstd } = await import('hyparquet-compressors');
  try {
    yield decompressZstd(packed);
  } catch (error) {
    throw badFile(path, `damaged zstd (${(error as Error).message}); copy or pack it again`);
  }
}

function textRows({ path }: RowFile, text: AsyncIterable<Uint8Array>): AsyncIterable<readonly RowReading[]> {
  return (CSV.test(path) ? readCsv : readJsonLines)(text, path);
}

/** Kinds of files that are often taken for data, by how they begin. */
const REFUSED: readonly (readonly [begin: string, rule: string])[] = [
  ['ARROW1', ARROW],
  ['\xff\xff\xff\xff', ARROW],
  ['PK\x03\x04', 'a zip, as .xlsx is, too; unpack it, or save the table as CSV'],
  ['\xfd7zXZ\0', 'packed by xz; unpack it: xz -d'],
  ['BZh', 'packed by bzip2; unpack it: bzip2 -d'],
  ['\x80', 'a pickle, which may run code; write it from Python: to_parquet'],
  ['\x89HDF', 'an HDF5 file; write it from Python: to_parquet'],
  ['SQLite format 3', 'a database of SQLite; write a table of it as CSV'],
  [
    'version https://git-lfs',
    'not the file, but what Git LFS keeps in its place; git lfs pull, or rlvr-train fetch --dataset',
  ],
  ['<!', 'a page of HTML, and no rows; download the file itself, whose address on the hub has /resolve/'],
];

function refused(begin: string, rule: string): RowFormat {
  const tells = [...begin].map((character) => character.charCodeAt(0));
  return {
    tells,
    // biome-ignore lint/correctness/useYield: it gives no rows
    async *read({ path }) {
      throw badFile(path, rule);
    },
  };
}

const csv: RowFormat = { tells: CSV, read: (file) => readCsv(pieces(file), file.path) };

function pieces({ files, path, size }: RowFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return piecesOf(files, path, size);
}

export const ALL_ROWS: DatasetParts = {
  formats: [parquet, gzip, zstd, ...REFUSED.map(([begin, rule]) => refused(begin, rule)), csv],
  kinds: 'JSON Lines (.jsonl), JSON, CSV (.csv, .tsv), all also as .gz and .zst, and Parquet',
  comparisons: { ...COMPARISONS, choice, list, math, json },
};
