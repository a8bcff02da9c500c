/** Data files of the kinds that the hub has: each is read as Python reads it, or refused by what it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../data/datasets/dataset.ts';
import { ALL_ROWS } from '../../../data/datasets/parts.ts';
import { readRows } from '../../../data/datasets/read_rows.ts';
import { memoryFiles } from './memory_files.ts';

const FOLDER = new URL('../../../../../test/golden/data_files/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('rows.json', FOLDER), 'utf8')) as Record<string, object[] | null>;

async function rowsOf(name: string): Promise<unknown[]> {
  const all: unknown[] = [];
  const files = memoryFiles({ [name]: readFileSync(new URL(name, FOLDER)) });
  for await (const batch of readRows(files, name, ALL_ROWS))
    all.push(...batch.map((reading) => ('row' in reading ? reading.row : reading)));
  return all;
}

// biome-ignore format: a table
const REFUSALS: Readonly<Record<string, string>> = {
  'brotli.parquet': 'brotli.parquet: packed by BROTLI; write it with compression zstd, snappy, gzip or none.',
  'frame.pkl': 'frame.pkl: a pickle, which may run code; write it from Python: to_parquet.',
  'packed.jsonl.bz2': 'packed.jsonl.bz2: packed by bzip2; unpack it: bzip2 -d.',
  'packed.jsonl.xz': 'packed.jsonl.xz: packed by xz; unpack it: xz -d.',
  'saved.arrow': "saved.arrow: an Arrow file; write it from Python: datasets.load_from_disk(…).to_parquet('rows.parquet').",
  'table.feather': "table.feather: an Arrow file; write it from Python: datasets.load_from_disk(…).to_parquet('rows.parquet').",
  'utf16.csv': 'utf16.csv: written in UTF-16; save it as UTF-8.',
};

it('at least 40 files, none of which is left out', () => {
  const names = readdirSync(FOLDER).filter((name) => name !== 'rows.json');
  expect(names.sort()).toEqual(Object.keys(expected).sort());
  expect(names.length).toBeGreaterThanOrEqual(40);
});

describe('a data file', () => {
  it.each(Object.entries(expected))('%s', async (name, rows) => {
    if (rows === null) await expect(rowsOf(name)).rejects.toThrow(REFUSALS[name] ?? 'a message');
    else expect(await rowsOf(name)).toEqual(rows);
  });
});

/** What is asked and shown of the first row, and what is noted. */
async function readOf(content: string | Uint8Array, knobs: object = {}, isShown = false) {
  const text = 'held out';
  const held = JSON.stringify({ prompt: text, input: text, text, word: text, answer: 0, price: 0, meta: { right: 0 } });
  const task = await openDataset(
    { train: 'q', ...(!isShown && { held_out: 'h' }), ...knobs },
    { files: memoryFiles({ q: content, h: held }), parts: ALL_ROWS, isShown },
  );
  const item = task.trainItem(1, 0);
  return { prompt: item.prompt, answer: item.answer, shown: task.demonstration(item, 1, 0), notes: task.notes };
}

describe('columns that a config does not name', () => {
  const golden = (name: string): Uint8Array => readFileSync(new URL(name, FOLDER));
  const guessed = (columns: string): string =>
    `q: columns are guessed as ${columns}; write them in the task if they are right`;
  const alpaca = (input: string): string => JSON.stringify({ instruction: 'Add.', input, output: '4' });
  const worked = '3 - 1 = <<3-1=2>>2\n#### 2';
  const marked = 'answers are worked solutions, compared whole; extract: hash reads what is marked in them';

  // biome-ignore format: a table
  it.each<[string, string | Uint8Array, string, string, readonly string[]]>([
    ['GSM8K', golden('gsm8k.parquet'), 'Tom has 3 apples, eats 1. How many?', worked, [`${guessed('prompt: question')}; ${marked}`]],
    ['verl', golden('verl.parquet'), '2 + 2?', '4', [guessed('answer: reward_model.ground_truth')]],
    ['verl as JSON', golden('one_row.json'), '2 + 2?', '4', [guessed('answer: reward_model.ground_truth')]],
    ['MATH', '{"problem": "1 + 1", "solution": "It is 2", "answer": "2"}', '1 + 1', '2', [guessed('prompt: problem')]],
    ['Alpaca', alpaca('2 and 2'), 'Add.\n\n2 and 2', '4', [guessed('prompt: [instruction, input], answer: output')]],
    ['Alpaca without an input', alpaca(''), 'Add.', '4', [guessed('prompt: [instruction, input], answer: output')]],
    ['BIG-bench', '{"input": "1 + 1", "target": 2.0}', '1 + 1', '2.0', [guessed('prompt: input, answer: target')]],
    ['TRL', golden('trl_messages.jsonl'), '2 + 2?', '4', []],
    ['TRL with a solution', '{"prompt": "1 + 1", "solution": "2"}', '1 + 1', '2', []],
    ['messages', golden('messages.parquet'), '2 + 2?', '4', []],
    ['ShareGPT', golden('sharegpt.jsonl'), '2 + 2?', '4', []],
  ])('are those of the field, with a note: %s', async (_, content, prompt, answer, notes) => {
    expect(await readOf(content)).toEqual({ prompt, answer, shown: answer, notes });
  });

  it('are not guessed where the config names them', async () => {
    const row = '{"question": "1 + 1", "input": "2 + 2", "answer": "2", "meta": {"right": 27.10}}';
    const knobs = { prompt: 'input', answer: 'meta.right' };
    expect(await readOf(row, knobs)).toEqual({ prompt: '2 + 2', answer: '27.10', shown: '27.10', notes: [] });
    await expect(readOf(row, { prompt: 'text' })).rejects.toThrow('q:1  no column "text" (there are question, input');
  });

  it('are those of each file', async () => {
    const files = memoryFiles({ a: '{"question": "1 + 1", "answer": 2}', b: '{"problem": "2 + 2", "solution": 4}' });
    const task = await openDataset({ train: 'a', held_out: 'b' }, { files, parts: ALL_ROWS });
    expect([...task.heldOutItems(), task.trainItem(1, 0)].map(({ prompt, answer }) => [prompt, answer])).toEqual([
      ['2 + 2', '4'],
      ['1 + 1', '2'],
    ]);
  });

  it('of preferences are pairs, of which a supervised stage learns the chosen side', async () => {
    const pair = '{"prompt": "2 + 2?", "chosen": "4", "rejected": "5"}';
    const note = 'q: columns are guessed as completion: chosen; "chosen" is learned, and "rejected" is not';
    expect(await readOf(pair, {}, true)).toMatchObject({ prompt: '2 + 2?', shown: '4', notes: [note] });
    expect(await readOf(pair)).toMatchObject({ prompt: '2 + 2?', answer: '4' });
    const turns = (answer: string) => [
      { role: 'user', content: '2 + 2?' },
      { role: 'assistant', content: answer },
    ];
    const implicit = JSON.stringify({ chosen: turns('4'), rejected: turns('5') });
    expect(await readOf(implicit, {}, true)).toMatchObject({
      shown: '4',
      notes: ['q: "chosen" is learned, and "rejected" is not'],
    });
    const unwanted = '{"prompt": "2 + 2?", "completion": "5", "label": false}';
    await expect(readOf(unwanted, {}, true)).rejects.toThrow('q:1  column "label" is false: nobody wants this');
  });

  it('of ShareGPT may have a system turn of their own, and roles that are known', async () => {
    const turns = (from: string) => [
      { from, value: 'a' },
      { from: 'gpt', value: 'b' },
    ];
    const row = (from: string): string => JSON.stringify({ system: 'Be brief.', conversations: turns(from) });
    expect((await readOf(row('human'))).prompt).toBe('Be brief.\na');
    await expect(readOf(row('function_call'))).rejects.toThrow(
      'q:1  column "conversations": role "function_call" — use system, user, assistant, tool',
    );
  });
});

describe('numbers that become texts', () => {
  it.each(['27.10', '1.0', '1e3', '-0', '0.1234567890123456789', '12345678901234567891'])(
    'are those of the file: %s',
    async (number) => {
      for (const content of [
        `{"prompt": "p", "answer": ${number}}`,
        `[{"prompt": "p", "answer": ${number}}]`,
        `{"prompt": ["p"], "answer": [${number}]}`,
        `prompt,answer\np,${number}`,
      ]) {
        const name = content.startsWith('p') ? 'q.csv' : 'q';
        const files = memoryFiles({ [name]: content, h: '{"prompt": "h", "answer": 1}' });
        const task = await openDataset({ train: name, held_out: 'h' }, { files, parts: ALL_ROWS });
        expect([content, task.trainItem(1, 0).answer]).toEqual([content, number]);
      }
      for (const verify of ['number', 'math', 'list']) {
        expect(
          (await readOf(`{"prompt": "p", "answer": ${verify === 'list' ? `[${number}]` : number}}`, { verify })).notes,
        ).toEqual([]);
      }
    },
  );

  it('are numbers for rewards', async () => {
    const files = memoryFiles({ q: '{"prompt": "p", "answer": 27.10, "n": [1.0]}', h: '{"prompt": "h", "answer": 1}' });
    const task = await openDataset({ train: 'q', held_out: 'h', columns: ['n'] }, { files, parts: ALL_ROWS });
    expect(task.trainItem(1, 0).columns).toEqual({ prompt: 'p', answer: 27.1, n: [1] });
  });

  it('are those of a decimal of Parquet', async () => {
    const { answer } = await readOf(readFileSync(new URL('numbers.parquet', FOLDER)), {
      prompt: 'word',
      answer: 'price',
    });
    expect(answer).toBe('27.10');
  });
});
