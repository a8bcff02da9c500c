import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../../../../src/errors.ts';
import { processorMs } from '../../../../../test/support/processor_time.ts';
import { ALL_ROWS } from '../../../data/datasets/parts.ts';
import { type ReadRowsOptions, readRows } from '../../../data/datasets/read_rows.ts';
import type { RowReading } from '../../../data/datasets/row.ts';
import { memoryFiles } from './memory_files.ts';

async function rowsOf(content: string | Uint8Array, options: ReadRowsOptions = {}): Promise<RowReading[]> {
  const all: RowReading[] = [];
  for await (const batch of readRows(memoryFiles({ 'q.jsonl': content }), 'q.jsonl', ALL_ROWS, options))
    all.push(...batch);
  return all;
}

const rows = Array.from({ length: 30_000 }, (_, i) => ({ prompt: `${i} + ü 漢😀 =`, answer: i, even: i % 2 === 0 }));
const jsonl = rows.map((row) => JSON.stringify(row)).join('\n');

const table = (columns: Readonly<Record<string, readonly unknown[]>>, options = {}): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: Object.entries(columns).map(([name, data]) => ({ name, data: [...data] })),
      ...options,
    }),
  );

const goldenTable = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../../../test/golden/parquet/${name}.parquet`, import.meta.url));

describe('rows of a file', () => {
  const packed = gzipSync(jsonl);
  const parquet = table(
    {
      prompt: rows.map(({ prompt }) => prompt),
      answer: rows.map(({ answer }) => answer),
      even: rows.map(({ even }) => even),
    },
    { rowGroupSize: 7000 },
  );

  it.each([
    ['JSON Lines', jsonl],
    ['JSON Lines with a mark and carriage returns', `\uFEFF${jsonl.replaceAll('\n', '\r\n')}\r\n\r\n`],
    ['gzip', packed],
    ['gzip in two parts', new Uint8Array([...gzipSync(jsonl.slice(0, 5000)), ...gzipSync(jsonl.slice(5000))])],
    ['Parquet', parquet],
  ])('are the same from %s', async (_, content) => {
    const read = await rowsOf(content);
    expect(read.map((reading) => ('row' in reading ? reading.row : reading))).toEqual(rows);
    expect(read.at(-1)?.line).toBe(rows.length);
  });

  it('are read in parts where a Parquet file has them in one row group', async () => {
    const numbers = Array.from({ length: 50_010 }, (_, i) => i);
    const read = await rowsOf(table({ number: numbers }, { rowGroupSize: numbers.length }));
    expect(read.map((reading) => ('row' in reading ? reading.row.number : reading))).toEqual(numbers);
    expect(read.map(({ line }) => line)).toEqual(numbers.map((number) => number + 1));
  });

  it('are those of the columns that are wanted', async () => {
    const read = await rowsOf(goldenTable('messages'), { columns: ['prompt'] });
    expect(read).toEqual([
      { line: 1, row: { prompt: 'a' } },
      { line: 2, row: { prompt: 'b' } },
    ]);
  });

  it.each(['flat', 'plain'])('are those that pyarrow wrote: %s', async (name) => {
    const expected = Array.from({ length: 300 }, (_, i) => ({
      prompt: `What is ${i} + ${i % 7}? ü漢😀`,
      answer: i + (i % 7),
      half: i / 2,
      level: i % 5 === 0 ? null : ['easy', 'hard'][i % 2],
      even: i % 2 === 0,
      options: i % 3 === 0 ? [] : ['a', `b${i % 4}`],
    }));
    const read = await rowsOf(goldenTable(name));
    expect(read.map((reading) => ('row' in reading ? reading.row : reading))).toEqual(expected);
  });

  it.each(['zstd', 'gzip', 'lz4'])('are the same where they are packed by %s', async (name) => {
    expect(await rowsOf(goldenTable(name))).toEqual((await rowsOf(goldenTable('flat'))).slice(0, 3));
  });

  it('may be nested, and have dates, decimals and words of a dictionary', async () => {
    const [[messages], [model, none], [lists]] = await Promise.all(
      ['messages', 'reward_model', 'lists'].map((name) => rowsOf(goldenTable(name))),
    );
    expect([messages, model, none, lists].map((read) => 'row' in read && read.row)).toEqual([
      { prompt: 'a', messages: [{ role: 'user', content: 'a' }] },
      { prompt: 'a', reward_model: { style: 'rule', ground_truth: '1' } },
      { prompt: 'b', reward_model: null },
      { prompt: 'a', lists: [['a']] },
    ]);
    const [first] = await rowsOf(goldenTable('kinds'));
    expect(first).toEqual({
      line: 1,
      written: { price: '27.10' },
      row: {
        ...{ day: '2026-11-30', time: '2026-11-30T01:46:42.000Z', price: 27.1, numbers: [1, 2, 3], halves: [0.5, 1.5] },
        ...{ word: 'a', long: 'x', deep: { a: { b: [{ c: 1 }] } } },
      },
    });
    expect(await rowsOf(table({ prompt: ['a'], info: [{ level: 1 }] }))).toEqual([
      { line: 1, row: { prompt: 'a', info: { level: 1 } } },
    ]);
  });

  it('may have whole numbers of 64 bits, and nothing', async () => {
    const content = table({ big: [2n ** 60n, 3n], none: ['x', null] });
    expect(await rowsOf(content)).toEqual([
      { line: 1, row: { big: String(2n ** 60n), none: 'x' } },
      { line: 2, row: { big: 3, none: null } },
    ]);
  });
});

describe('a file that gives no rows is refused', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['empty', '', 'q.jsonl: an empty file; give one with a row a line.'],
    ['only empty lines', '\n\r\n', 'q.jsonl: an empty file; give one with a row a line.'],
    [
      'binary',
      new Uint8Array([1, 0, 2, 3]),
      'q.jsonl: a binary file, with a NUL byte in line 1; rows are read from JSON Lines (.jsonl), JSON, CSV (.csv, .tsv), all also as .gz and .zst, and Parquet.',
    ],
    ['a list without rows', ' [ ]', 'q.jsonl: a list without rows; give one that has some.'],
    ['half a list', '[\n{"prompt": "1"},\n', 'q.jsonl:3:1: the file ends within its JSON; copy it whole.'],
    ['half a row', '[{"prompt": "1"}, {"prompt": "', 'q.jsonl:1:30: a text is not closed; write a row on one line.'],
    ['two lists', '[{"a": 1}]\n[{"a": 1}]', 'q.jsonl:2:1: text after the first value; write a row a line.'],
    ['UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0]), 'q.jsonl: written in UTF-16; save it as UTF-8.'],
  ])('%s', async (_, content, message) => {
    await expect(rowsOf(content)).rejects.toThrow(message);
  });

  it('damaged gzip and Parquet', async () => {
    const packed = gzipSync(jsonl);
    await expect(rowsOf(packed.subarray(0, packed.length - 5000))).rejects.toThrow(
      /^q\.jsonl: damaged gzip, or a part of one; /,
    );
    const parquet = table({ prompt: ['a', 'b'] });
    await expect(rowsOf(parquet.subarray(0, parquet.length - 3))).rejects.toThrow(/^q\.jsonl: damaged Parquet \(/);
  });

  it('Parquet with any byte of its footer changed, in words, or gives rows', async () => {
    const parquet = table({ prompt: ['a', 'b'], answer: [1, 2] });
    const footer = new DataView(parquet.buffer).getUint32(parquet.length - 8, true);
    for (let at = parquet.length - 8 - footer; at < parquet.length - 8; at++) {
      for (const mask of [0xff, 0x01]) {
        const changed = Uint8Array.from(parquet, (byte, i) => (i === at ? byte ^ mask : byte));
        const thrown: unknown = await rowsOf(changed).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (thrown !== undefined) expect([at, thrown]).toEqual([at, expect.any(DataError)]);
      }
    }
  });

  it('a missing one, and one that becomes shorter while it is read', async () => {
    const files = memoryFiles({});
    const read = async (): Promise<void> => {
      for await (const _ of readRows(files, 'none.jsonl', ALL_ROWS)) expect.fail('there are no rows');
    };
    await expect(read()).rejects.toThrow('none.jsonl: no such file; paths are relative to the config file.');
    const shrinking = { ...memoryFiles({ 'none.jsonl': '{}' }), size: async () => 4 };
    Object.assign(files, shrinking);
    await expect(read()).rejects.toThrow('none.jsonl: became shorter while it was read; try again.');
  });

  it('a table of pyarrow without rows, one packed by Brotli, and a column of bytes', async () => {
    await expect(rowsOf(goldenTable('brotli'))).rejects.toThrow(
      'q.jsonl: packed by BROTLI; write it with compression zstd, snappy, gzip or none.',
    );
    await expect(rowsOf(goldenTable('empty'))).rejects.toThrow('q.jsonl: a table without rows; give one that has some');
    const [read] = await rowsOf(table({ prompt: ['a'], picture: [Uint8Array.of(255, 0)] }));
    expect(read).toEqual({
      line: 1,
      problem: 'column "picture" holds bytes, which JSON has no word for; leave it out',
    });
  });
});

describe('a line that is no row', () => {
  it.each<[string, string, number | undefined, string]>([
    ['a comma is missing', '{"a": 1 "b": 2}', 9, 'a comma or } is missing'],
    ['the line ends early', '{"a": [1, 2', 12, 'the line ends within the row; write a row on one line'],
    ['NaN', '{"a": NaN}', 7, 'NaN is no JSON; leave the row out, or give a number'],
    ['-Infinity', '{"a": -Infinity}', 7, '-Infinity is no JSON; leave the row out, or give a number'],
    ['an open text', '{"a": "b', 7, 'a text is not closed; write a row on one line'],
    ['single quotes', "{'a': 1}", 2, 'a name in double quotes is missing'],
    ['a bad escape', '{"a": "\\x"}', 8, 'not an escape of JSON; write a backslash as \\\\'],
    ['a tab in a text', '{"a": "\t"}', 8, 'a control character within a text; escape it'],
    ['two rows', '{"a": 1} {"a": 2}', 10, 'text after the row; write a row a line'],
    ['a trailing comma', '{"a": 1,}', 9, 'a name in double quotes is missing'],
    ['no colon', '{"a" 1}', 6, 'a colon is missing'],
    ['a word', 'prompt', 1, 'not a JSON value'],
    ['a list', '[1]', undefined, 'a list, not an object; write {"prompt": …, "answer": …}'],
    ['null', 'null', undefined, 'null, not an object; write {"prompt": …, "answer": …}'],
    ['a number', '7', undefined, 'a number, not an object; write {"prompt": …, "answer": …}'],
  ])('%s: says line, column and what is wrong', async (_, line, column, problem) => {
    const [before, broken, after] = await rowsOf(`{"ok": 1}\n${line}\n{"ok": [true, null, -1500, "\\u00e9"]}`);
    expect(before).toEqual({ line: 1, row: { ok: 1 } });
    expect(broken).toEqual({ line: 2, problem, ...(column !== undefined && { column }) });
    expect(after).toEqual({ line: 3, row: { ok: [true, null, -1500, 'é'] } });
  });

  it('bytes that are no UTF-8', async () => {
    const [reading] = await rowsOf(new Uint8Array([0x7b, 0xc3, 0x28, 0x7d]));
    expect(reading).toEqual({ line: 1, problem: 'holds bytes that are no UTF-8; save the file as UTF-8' });
  });

  it('a number of a table that is none', async () => {
    const [reading] = await rowsOf(table({ answer: [Number.NaN] }));
    expect(reading).toEqual({
      line: 1,
      problem: 'column "answer" holds NaN, which JSON has no word for; leave it out',
    });
  });
});

describe('a table of separated cells', () => {
  const csvOf = async (text: string | Uint8Array, name = 'q.csv'): Promise<RowReading[]> => {
    const all: RowReading[] = [];
    for await (const batch of readRows(memoryFiles({ [name]: text }), name, ALL_ROWS)) all.push(...batch);
    return all;
  };
  const row = (line: number, question: string | null, answer: string | null) => ({ line, row: { question, answer } });

  it.each([
    ['commas', 'question,answer\n1+1,2\n', [row(2, '1+1', '2')]],
    ['semicolons, a mark and carriage returns', '\ufeffquestion;answer\r\n1,5+1;2,5\r\n', [row(2, '1,5+1', '2,5')]],
    ['tabs, and no end of the last line', 'question\tanswer\na b\tc', [row(2, 'a b', 'c')]],
    ['quotes', 'question,"answer"\n"a ""b"", c",d\n', [row(2, 'a "b", c', 'd')]],
    ['a text of two lines', 'question,answer\n"a\r\nb",c\nd,e\n', [row(2, 'a\r\nb', 'c'), row(4, 'd', 'e')]],
    ['empty cells and lines', 'question,answer\n\na,\n', [row(3, 'a', null)]],
  ])('with %s', async (_, text, expected) => {
    expect(await csvOf(text)).toEqual(expected);
    expect(await csvOf(gzipSync(text), 'q.tsv.gz')).toEqual(expected);
  });

  it('gives what has another number of cells, or a quote that is not closed, as a problem', async () => {
    expect(await csvOf('a,b\n1,2,3\n4,5\n"6')).toEqual([
      { line: 2, problem: '3 cells, and the line of names has 2; quote a cell that holds a separator' },
      { line: 3, row: { a: '4', b: '5' } },
      { line: 4, problem: 'a quote is opened and never closed; close it, or double it' },
    ]);
  });

  it('is refused without names, or in another encoding', async () => {
    await expect(csvOf('a,a\n1,2\n')).rejects.toThrow('q.csv: two columns named "a" in its first line');
    await expect(csvOf('\n\n')).rejects.toThrow(
      'q.csv: an empty file; give one with a line of names and a row a line.',
    );
    await expect(csvOf(new Uint8Array([0x61, 0x0a, 0xff, 0x0a]))).rejects.toThrow(
      'q.csv:2: holds bytes that are no UTF-8; save it as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8.',
    );
  });
});

describe('a small file of much', () => {
  const refused = async (bytes: Uint8Array | string, message: string): Promise<void> => {
    const begin = processorMs();
    await expect(rowsOf(bytes)).rejects.toThrow(message);
    expect(processorMs() - begin).toBeLessThan(10_000);
  };

  it('is refused within seconds: a packed line of 70 MB, blanks, and ends of lines', async () => {
    await refused(
      gzipSync(`{"prompt": "${'a'.repeat(70e6)}`),
      'q.jsonl: line 1 is longer than 64 MiB; give a row a line.',
    );
    await refused(gzipSync(' '.repeat(70e6)), 'q.jsonl: line 1 is longer than 64 MiB');
    await refused('\n'.repeat(2e6), 'q.jsonl: 1000000 empty lines in a row, up to line 1000001; remove them.');
  });
});
