import { describe, expect, it } from 'vitest';
import { oneTask } from '../../../../../src/data/task_set.ts';
import { fewHeldOut } from '../../../../../src/methods/statistics.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { type DatasetTask, openDataset } from '../../../data/datasets/dataset.ts';
import { ALL_ROWS } from '../../../data/datasets/parts.ts';
import { memoryFiles } from './memory_files.ts';

type Rows = readonly object[];

const lines = (rows: Rows): string => rows.map((row) => JSON.stringify(row)).join('\n');
const sums = (count: number, from = 0): Rows =>
  Array.from({ length: count }, (_, i) => ({ prompt: `${from + i} + 7 =`, answer: from + i + 7, level: i % 3 }));

/** The knobs of a data set, and the rows of its files. */
function opened(rows: Rows | string, knobs: object = {}, heldOut?: Rows): Promise<DatasetTask> {
  const files = memoryFiles({
    'q.jsonl': typeof rows === 'string' ? rows : lines(rows),
    ...(heldOut && { 'h.jsonl': lines(heldOut) }),
  });
  return openDataset(
    { train: 'q.jsonl', ...(heldOut && { held_out: 'h.jsonl' }), ...knobs },
    { files, parts: ALL_ROWS },
  );
}

function judged(
  task: DatasetTask,
  prompt: string,
  completion: string,
  finishReason: 'eos' | 'length' = 'eos',
): Verdict {
  const n = task.trainProblems() ?? 0;
  const items = [...task.heldOutItems(), ...Array.from({ length: n }, (_, i) => task.trainItem(1, i))];
  const item = items.find((one) => one.prompt === prompt);
  if (item === undefined) throw new Error(`no ${prompt}`);
  return task.verify(item, completion, { finishReason });
}

describe('a data set', () => {
  it('asks every training row once in an epoch, in an order that is a function of seed and place', async () => {
    const task = await opened(sums(300));
    const count = task.trainProblems() ?? 0;
    const epoch = (seed: number, number: number): string[] =>
      Array.from({ length: count }, (_, i) => task.trainItem(seed, number * count + i).prompt);
    const [first, second, other] = [epoch(1, 0), epoch(1, 1), epoch(2, 0)];
    expect(new Set(first).size).toBe(count);
    expect([...second].sort()).toEqual([...first].sort());
    expect([...other].sort()).toEqual([...first].sort());
    expect(first).not.toEqual(second);
    expect(first).not.toEqual(other);
    const again = await opened(sums(300));
    expect(again.trainItem(1, count + 5)).toEqual(task.trainItem(1, count + 5));
  });

  it('holds out about a fifth of the rows, by their prompts alone', async () => {
    const task = await opened(sums(1000));
    const heldOut = task.heldOutItems().map(({ prompt }) => prompt);
    expect(heldOut.length).toBeGreaterThan(150);
    expect(heldOut.length).toBeLessThan(250);
    expect(heldOut.length + (task.trainProblems() ?? 0)).toBe(1000);
    const shuffled = await opened([...sums(1000)].reverse().map((row) => ({ more: 1, ...row, answer: 3 })));
    expect(new Set(shuffled.heldOutItems().map(({ prompt }) => prompt))).toEqual(new Set(heldOut));
  });

  it('keeps prompts that differ in case alone on one side', async () => {
    const rows = sums(400).flatMap((_, i) => [
      { prompt: `Add ${i}`, answer: 1 },
      { prompt: `add ${i}`, answer: 2 },
    ]);
    const task = await opened(rows);
    const heldOut = task.heldOutItems().map(({ prompt }) => prompt.toLowerCase());
    expect(heldOut.length).toBe(2 * new Set(heldOut).size);
  });

  it('takes a file of held-out rows, and does not train on what is in it', async () => {
    const task = await opened(sums(100), {}, sums(40, 90));
    expect(task.heldOutItems()).toHaveLength(40);
    expect(task.trainProblems()).toBe(90);
    expect(task.notes).toEqual(['q.jsonl: 10 rows are also in held_out and not trained on']);
  });

  it('gives rewards the columns of a row, and says where it stands', async () => {
    const task = await opened(sums(200));
    const item = task.trainItem(3, 8);
    const line = Number(/^q\.jsonl:(\d+)$/.exec(item.id)?.[1]);
    expect(item.columns).toEqual(sums(200)[line - 1]);
    const few = await opened(sums(200), { columns: [] });
    expect(Object.keys(few.trainItem(3, 8).columns ?? {})).toEqual(['prompt', 'answer']);
  });

  it('leaves out rows that repeat an earlier one', async () => {
    const task = await opened([...sums(200), { prompt: ' 3  +\t7 = ', answer: 10 }]);
    expect(task.notes).toEqual(['q.jsonl: 1 row repeats an earlier one and is left out']);
  });

  it('names rows that contradict an earlier one but for spaces, which no exact prompt tells', async () => {
    const asked = (prompt: string, answer: string) => ({ prompt, answer });
    const rows = [
      ...sums(200),
      asked('Reverse abc:', 'cba'),
      asked('Reverse abc :', 'abc'),
      asked('Reverse fa:', 'af'),
    ];
    const task = await opened([...rows, asked('Reverse f a:', 'a f'), asked('Reverse fa :', 'af')]);
    expect(task.notes).toEqual([
      'q.jsonl: 1 row has the prompt of an earlier one but for spaces, and another answer: q.jsonl:202 and q.jsonl:201; keep one of each two',
    ]);
    expect((task.trainProblems() ?? 0) + task.heldOutItems().length).toBe(205); // nothing is left out for it
  });

  it('names held-out prompts that are written with other spaces than those it trains on', async () => {
    const spaced = sums(30, 90).map((row) => ({ ...row, prompt: `${(row as { readonly prompt: string }).prompt} ` }));
    expect((await opened(sums(100), {}, spaced)).notes).toEqual([
      'q.jsonl: 10 rows are also in held_out and not trained on; 10 have other spaces there, so that held-out prompts are ' +
        'not written as those that are trained on',
    ]);
  });

  it('can be written in bytes, prompt and demonstration, whatever they are', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({ prompt: `漢😀 ${i}\n`, answer: 'ü'.repeat(1 + (i % 9)) }));
    const set = oneTask(await opened(rows));
    const item = set.trainItem(1, 1);
    expect(set.codec.decode(set.promptTokens(item))).toBe(item.prompt);
    const tokens = set.demonstrationTokens(item, 1, 1);
    expect(set.codec.decode(tokens.subarray(0, -1))).toBe(item.answer);
    expect(tokens.at(-1)).toBe(set.codec.eosTokenId);
    expect([set.maxPromptTokens, set.maxCompletionTokens]).toEqual([3 + 4 + 1 + 3 + 1, 18 + 1 + 2]);
    expect(set.codec.decode([2 + 0xc3, 0, 2 + 0x41])).toBe('\uFFFD<pad>A');
  });
});

describe('answers of a data set', () => {
  const row = (more: object): Rows => [...sums(200), { prompt: 'P', ...more }];

  it.each<[string, object, object, string, string]>(
    /* biome-ignore format: a table */ [
      ['exact', { answer: 'Paris' }, {}, ' Paris\n', 'paris'],
      ['exact, of a truth value', { answer: true }, {}, 'true', 'True'],
      ['number', { answer: '1,000' }, { verify: 'number' }, '1000.0', '1001'],
      ['number, of a worked solution', { answer: 'so\n#### 12' }, { verify: 'number', extract: 'hash' }, 'hm\n#### 12',
        '12'],
      ['boxed', { answer: 'it is \\boxed{\\frac{1}{2}}' }, { verify: 'number', extract: 'boxed' }, 'a \\boxed{0.5} b',
        '\\boxed{0.5'],
      ['tags', { answer: 5 }, { extract: 'only', verify: 'number' }, 'x <answer>5</answer>',
        '<answer>5</answer><answer>6</answer>'],
      ['the last tag', { answer: 5 }, { extract: 'last' }, '<answer>4</answer> <answer>5</answer>',
        '<answer>5</answer> <answer>4</answer>'],
      ['the first tag', { answer: 5 }, { extract: 'first' }, '<answer>5</answer> <answer>4</answer>',
        '<answer>4</answer> <answer>5</answer>'],
      ['the last line', { answer: 5 }, { extract: 'line' }, 'well\n5\n', '5\nor so'],
      ['list', { answer: ['b', 'a'] }, { verify: 'list' }, '[b, a]', 'a b'],
      ['list, as a text', { answer: 'b, a' }, { verify: 'list' }, 'b a', 'b a c'],
      ['choice, by its letter', { answer: 'B' }, { verify: 'choice' }, '(b)', 'C'],
    ],
  )('%s', async (_, more, knobs, right, wrong) => {
    const task = await opened(
      row(more).map((one) => ({
        ...sums(1)[0],
        ...more,
        ...one,
        ...('prompt' in one && one.prompt !== 'P' ? more : {}),
      })),
      knobs,
    );
    expect(judged(task, 'P', right)).toMatchObject({ score: 1, status: 'correct' });
    expect(judged(task, 'P', wrong).score).toBe(0);
    const set = oneTask(task);
    const item = set.trainItem(1, 0);
    const shown = set.codec.decode(set.demonstrationTokens(item, 1, 0).subarray(0, -1));
    expect(set.verify(item, shown, { finishReason: 'eos' }).score).toBe(1);
  });

  it('choice, of options that each row has', async () => {
    const rows = sums(200).map((_, i) => ({ prompt: `P${i}`, options: ['red', 'green', 'blue'], answer: i % 3 }));
    const task = await opened(rows, { verify: 'choice', choices: 'options' });
    expect(judged(task, 'P1', 'green').score).toBe(1);
    expect(judged(task, 'P1', 'B').score).toBe(1);
    expect(judged(task, 'P1', 'C. blue').score).toBe(0);
    expect(judged(task, 'P1', 'D').score).toBe(0);
  });

  it('that the token limit may have cut are none', async () => {
    const task = await opened(sums(200), { verify: 'number' });
    expect(judged(task, '1 + 7 =', '8', 'length').status).toBe('truncated');
    const hashed = await opened(sums(200), { verify: 'number', extract: 'hash' });
    expect(judged(hashed, '1 + 7 =', '#### 8', 'length').status).toBe('truncated');
    expect(judged(hashed, '1 + 7 =', '#### 8\n', 'length').score).toBe(1);
  });

  it('may be judged by a function of one’s own', async () => {
    const files = memoryFiles({ 'q.jsonl': lines(sums(200).map(({ ...row }) => ({ ...row, answer: undefined }))) });
    const verifier = (answer: string, row: object): Verdict => {
      const isRight = answer === String('level' in row && row.level);
      return { score: isRight ? 1 : 0, status: isRight ? 'correct' : 'incorrect', reason: 'by level' };
    };
    const task = await openDataset({ train: 'q.jsonl', verify: './v.ts' }, { files, verifier });
    expect(judged(task, '1 + 7 =', '1').score).toBe(1);
    expect(judged(task, '1 + 7 =', '2').score).toBe(0);
  });
});

describe('conversations', () => {
  const turns = (i: number) => [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: `${i} + 1?` },
    { role: 'assistant', content: String(i + 1) },
    { role: 'user', content: 'And 1 more?' },
    { role: 'assistant', content: String(i + 2) },
  ];

  it('are asked up to the last turn of the assistant, which is the answer', async () => {
    const task = await opened(Array.from({ length: 200 }, (_, i) => ({ messages: turns(i) })));
    const item = task.trainItem(1, 0);
    const i = Number(item.answer) - 2;
    expect(item.messages).toEqual(turns(i).slice(0, -1));
    expect(item.prompt).toBe(`Be short.\n${i} + 1?\n${i + 1}\nAnd 1 more?`);
    expect(task.dialogue?.(item)).toEqual(turns(i));
    expect(task.verify(item, String(i + 2), { finishReason: 'eos' }).score).toBe(1);
  });

  it('keep calls of tools, their results and thoughts for the template', async () => {
    const tool_calls = [{ type: 'function', function: { name: 'look_up', arguments: { word: 'heron' } } }];
    const rows = Array.from({ length: 200 }, (_, i) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: `q${i}` },
            { type: 'text', text: '?' },
          ],
          name: null,
        },
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', name: 'look_up', content: 'a bird' },
        { role: 'assistant', content: `a${i}`, reasoning_content: 'the tool says so', tool_calls: null },
      ],
    }));
    const task = await opened(rows);
    const item = task.trainItem(1, 0);
    expect(task.dialogue?.(item)).toEqual([
      { role: 'user', content: item.answer.replace('a', 'q').concat('?') },
      { role: 'assistant', content: '', fields: { tool_calls, content: null } },
      { role: 'tool', content: 'a bird', fields: { name: 'look_up' } },
      { role: 'assistant', content: item.answer, fields: { reasoning_content: 'the tool says so' } },
    ]);
  });

  it('as prompts, with a completion of one message, are those of TRL', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => ({
      prompt: [{ role: 'user', content: `Q${i}` }],
      completion: [{ role: 'assistant', content: `A${i}` }],
    }));
    const task = await opened(rows);
    const item = task.trainItem(1, 0);
    expect(item.messages).toEqual([{ role: 'user', content: item.prompt }]);
    expect(task.demonstration(item, 1, 0)).toBe(item.prompt.replace('Q', 'A'));
  });
});

describe('a row that is no problem', () => {
  const good = sums(200);

  it.each<[string, object | string, object, string]>(
    /* biome-ignore format: a table */ [
      ['a malformed line', '{"prompt": "x", "answer": }', {}, 'q.jsonl:201:27  not a JSON value'],
      ['a missing column', { qestion: 'x', answer: 1 }, { prompt: 'question' },
        'q.jsonl:1  no column "question" (there are prompt, answer, level)'],
      ['a misspelled column', { prompt: 'x', anwser: 1 }, { answer: 'answer' },
        'q.jsonl:201  no column "answer"; did you mean "anwser"? (there are prompt, anwser)'],
      ['no answer at all', { prompt: 'x' }, {}, 'q.jsonl:201  no column "answer" (there are prompt)'],
      ['null', { prompt: 'x', answer: null }, {},
        'q.jsonl:201  column "answer" is null; fill it in, or leave the row out'],
      ['an empty prompt', { prompt: ' ', answer: 1 }, {},
        'q.jsonl:201  column "prompt": " " — must be a text that is not empty, or a list of messages'],
      ['a prompt of another kind', { prompt: 5, answer: 1 }, {},
        'q.jsonl:201  column "prompt": 5 — must be a text that is not empty, or a list of messages'],
      ['an unreadable number', { prompt: 'x', answer: 'seven' }, { verify: 'number' },
        'q.jsonl:201  column "answer": "seven" — not a number'],
      ['NaN', '{"prompt": "x", "answer": NaN}', {},
        'q.jsonl:201:27  NaN is no JSON; leave the row out, or give a number'],
      ['an unreadable list', { prompt: 'x', answer: 'a, b,' }, { verify: 'list' },
        'q.jsonl:201  column "answer": "a, b," — not a list with one kind of separators'],
      ['an option there is not', { prompt: 'x', answer: 26 }, { verify: 'choice' },
        'q.jsonl:20  column "answer": 26 — not the number of an option, counted from 0'],
      ['an answer of another kind', { prompt: 'x', answer: { a: 1 } }, {},
        'q.jsonl:201  column "answer": {"a":1} — must be a text or a number'],
      ['another answer to the same prompt', { prompt: '3 + 7 =', answer: 11 }, {},
        'q.jsonl:201  its prompt is that of q.jsonl:4, its answer another; keep one of the two'],
      ['messages without an answer', { messages: [{ role: 'user', content: 'x' }] }, {},
        'q.jsonl:201  column "messages" ends with a turn of user; end it with the assistant\'s'],
      ['a role there is not', { messages: [{ role: 'bot', content: 'x' }] }, {},
        'q.jsonl:201  column "messages": role "bot" — use system, user, assistant, tool'],
      ['a member of a message that is not read', { messages: [{ role: 'user', content: 'x', tool_call: [] }] }, {},
        'q.jsonl:201  column "messages": a message has "tool_call"; did you mean "tool_calls"?'],
      ['a part of a message that is no text', { messages: [{ role: 'user', content: [{ type: 'image' }] }] }, {},
        'q.jsonl:201  column "messages": {"type":"image"} — a part of a message must be {"type": "text", "text": "…"}'],
      ['a message without a text or anything else', { messages: [{ role: 'user', content: null }] }, {},
        'q.jsonl:201  column "messages": [{"role":"user","content":null}] — must be a list of messages'],
      ['a completion that calls a tool',
        { prompt: 'x', completion: [{ role: 'assistant', content: '', tool_calls: [{}] }] }, {},
        'q.jsonl:201  a completion has "tool_calls", of which only the text is read; write all turns as messages'],
      ['a number beyond all numbers', '{"prompt": "x", "answer": 1e999}', {},
        'q.jsonl:201  column "answer" has a number that is not finite, or too large; write it as a text'],
      ['half a character', '{"prompt": "x\\ud800", "answer": "1"}', {},
        'q.jsonl:201  column "prompt" has half of a surrogate pair, which no encoding can write; remove it'],
      ['lists in lists', `{"prompt": "x", "answer": "1", "more": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`, {},
        'q.jsonl:201  nested deeper than 100 lists and objects'],
      ['messages of another kind', { messages: ['x'] }, {},
        'q.jsonl:201  column "messages": ["x"] — must be a list of messages'],
    ],
  )('%s stops the start, or is skipped and counted', async (_, bad, knobs, message) => {
    const rows = `${lines(good)}\n${typeof bad === 'string' ? bad : JSON.stringify(bad)}`;
    await expect(opened(rows, knobs)).rejects.toThrow(message);
    if (!message.startsWith('q.jsonl:201')) return;
    const task = await opened(rows, { ...knobs, on_bad_row: 'skip' });
    expect(task.notes).toEqual([expect.stringMatching(/^q\.jsonl: 1 of 201 rows skipped; the first: q\.jsonl:201/)]);
    expect(task.trainProblems()).toBe((await opened(lines(good), knobs)).trainProblems());
  });

  it('says what to do about it', async () => {
    await expect(opened('{')).rejects.toThrow('(correct it, or set on_bad_row: skip).');
    await expect(opened(sums(3), { prompt: 'question' })).rejects.toThrow(
      'no column "question" (there are prompt, answer, level) (name the columns of the file by prompt and answer).',
    );
  });
});

describe('a data set that cannot be trained on is refused', () => {
  it.each<[string, () => Promise<unknown>, string]>(
    /* biome-ignore format: a table */ [
      ['no row that is held out', () => opened(sums(3), { held_out: 0.001 }),
        'q.jsonl: held_out: no row is held out; give more rows, or hold out a larger share, such as 0.4.'],
      ['a share that leaves nothing to train on', () => opened(sums(3), { held_out: 1 }),
        'task.held_out: 1 — must be a share of the rows, above 0 and below 1, or files; for example 0.4'],
      ['a column that no row has, all of them skipped', () => opened(sums(3), { prompt: 'question', on_bad_row: 'skip' }),
        'q.jsonl: on_bad_row: skip would leave out every row, and is for single bad ones; the first: q.jsonl:1  no column ' +
          '"question" (there are prompt, answer, level) (name the columns of the file by prompt and answer).'],
      ['held-out rows that all of them are skipped',
        () => opened(sums(200), { answer: 'anwser', on_bad_row: 'skip' }, sums(3)),
        'h.jsonl: on_bad_row: skip would leave out every row'],
      ['no row to train on', () => opened(sums(20), {}, sums(20)), 'q.jsonl: no row to train on; give more rows.'],
      ['no file', () => opened(sums(1), { train: 'other.jsonl' }),
        'other.jsonl: no such file; paths are relative to the config file.'],
      ['no train', () => openDataset({}, { files: memoryFiles({}) }), 'task.train: missing — '],
      ['an unknown knob', () => opened(sums(200), { extrat: 'boxed' }), 'task.extrat: "boxed" — '],
      ['a comparison there is not', () => opened(sums(200), { verify: 'numbers' }),
        'not a comparison; use exact, number, choice, list, math'],
      ['a style', () => opened(sums(200), { style: 'plain' }),
        'task.style: "plain" — prompts of a data set are asked as they are; leave it out.'],
      ['a hub name without an owner', () => opened(sums(200), { hub: 'gsm8k' }),
        'must be owner/name or owner/name@revision'],
    ],
  )('%s', async (_, open, message) => {
    await expect(open()).rejects.toThrow(message);
  });
});

it('without further formats and comparisons reads JSON Lines alone, and says so', async () => {
  const open = (rows: string, knobs: object = {}) =>
    openDataset({ train: 'q.jsonl', ...knobs }, { files: memoryFiles({ 'q.jsonl': rows }) });
  expect((await open(lines(sums(200)))).trainProblems()).toBeGreaterThan(100);
  await expect(open(lines(sums(200)), { verify: 'math' })).rejects.toThrow(
    'task.verify: math — this program compares by exact, number; use one of them.',
  );
  await expect(open('PAR1\0')).rejects.toThrow(
    'a binary file, with a NUL byte in line 1; rows are read from JSON Lines (.jsonl).',
  );
});

describe('a few rows', () => {
  it('are trained on and evaluated, a larger share of them where the config says so', async () => {
    const task = await opened(sums(50));
    const [train, heldOut] = [task.trainProblems() ?? 0, task.heldOutItems().length];
    expect(train + heldOut).toBe(50);
    expect(heldOut).toBeGreaterThan(4);
    const shared = await opened(sums(50), { held_out: 0.4 });
    expect(shared.heldOutItems().length).toBeGreaterThan(heldOut);
    // What is held out of a fifth is held out of two fifths.
    const ids = shared.heldOutItems().map(({ id }) => id);
    expect(task.heldOutItems().every(({ id }) => ids.includes(id))).toBe(true);
    expect((await opened(sums(50), { held_out: 0.2 })).heldOutItems()).toEqual(task.heldOutItems());
  });

  it('say how little an accuracy over them says', () => {
    expect(fewHeldOut(10)).toBe('only 10 problems are held out: an accuracy of 50 % may be any from 24 to 76 %');
    expect(fewHeldOut(1)).toMatch(/^only 1 problem is held out/);
    expect(fewHeldOut(50)).toBeUndefined();
  });
});
