/** Right answers as data sets write them, from the row to the verdict. */
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../data/datasets/dataset.ts';
import { ALL_ROWS } from '../../../data/datasets/parts.ts';
import { memoryFiles } from './memory_files.ts';

/** Judges the first of several rows, whose prompts are numbered. */
async function scoreOf(answer: string, completion: string, knobs: object): Promise<number | null> {
  const rows = Array.from({ length: 40 }, (_, i) => `{"prompt": "p${i}?", "answer": ${answer}}`).join('\n');
  const task = await openDataset(
    { train: 'q.jsonl', ...knobs },
    { files: memoryFiles({ 'q.jsonl': rows }), parts: ALL_ROWS },
  );
  return task.verify(task.trainItem(1, 0), completion, { finishReason: 'eos' }).score;
}

describe('verify: math', () => {
  // biome-ignore format: a table
  it.each([
    ['2\\frac{1}{3}', '\\frac{7}{3}', 1], ['2\\frac{1}{3}', '\\frac{2}{3}', 0], ['1\\frac{1}{2}', '0.5', 0], ['\\frac{1}{2}', '\\frac12', 1], ['\\dfrac12', '0.5', 1],
    ['-\\frac34', '-0.75', 1], ['1234567', '1{,}234{,}567', 1], ['\\infty', '+\\infty', 1],
  ])('for %s gives %s a score of %s', async (truth, answer, score) => {
    expect(await scoreOf(JSON.stringify(truth), answer, { verify: 'math' })).toBe(score);
  });

  it('takes answers of GSM8K and MATH from where they are marked', async () => {
    const worked = JSON.stringify('He pays 2 * 9 = 18.\n#### $18');
    expect(await scoreOf(worked, 'so\n#### 18 dollars', { verify: 'math', extract: 'hash' })).toBe(1);
    expect(await scoreOf(worked, 'so\n#### 81 dollars', { verify: 'math', extract: 'hash' })).toBe(0);
    const boxed = JSON.stringify('thus \\boxed {\\frac12}');
    expect(await scoreOf(boxed, 'it is \\boxed{0.5}', { verify: 'math', extract: 'boxed' })).toBe(1);
    expect(await scoreOf(boxed, 'it is \\boxed{2}, no: \\fbox{0.5}', { verify: 'math', extract: 'boxed' })).toBe(1);
    expect(await scoreOf(boxed, 'it is \\boxed{0.5}, no: \\boxed  {2}', { verify: 'math', extract: 'boxed' })).toBe(0);
  });

  it('refuses a right answer that it cannot read by its row and the reason', async () => {
    await expect(scoreOf(JSON.stringify('2\\frac{4}{3}'), '1', { verify: 'math' })).rejects.toThrow(
      /q\.jsonl:1 .*a whole number has a fraction behind it that is not between 0 and 1/,
    );
  });
});

describe('verify: json', () => {
  /** @returns the score, and the share of right fields */
  async function judged(answer: unknown, completion: string, finishReason: 'eos' | 'length' = 'eos') {
    const rows = `{"prompt": "a?", "answer": ${JSON.stringify(answer)}}`;
    const task = await openDataset(
      { train: 'q.jsonl', verify: 'json', held_out: 'h.jsonl' },
      { files: memoryFiles({ 'q.jsonl': rows, 'h.jsonl': '{"prompt": "b?", "answer": {}}' }), parts: ALL_ROWS },
    );
    const { score, parts } = task.verify(task.trainItem(1, 0), completion, { finishReason });
    return [score, parts?.fields];
  }
  const record = { item: 'tea', price: 2.5, tags: ['a', 'b'] };

  // biome-ignore format: a table
  it.each([
    ['{"price": 2.50, "item": "tea", "tags": ["a", "b"]}', 1, 1],
    ['```json\n{"item":"tea","price":25e-1,"tags":["a","b"]}\n```', 1, 1],
    ['{"item": "tea", "price": 2.5, "tags": ["b", "a"]}', 0, 2 / 4],
    ['{"item": "tea", "price": "2.5", "tags": ["a", "b"]}', 0, 3 / 4],
    ['{"item": "tea", "tags": ["a", "b"]}', 0, 3 / 4],
    ['{"item": "tea", "price": 2.5, "tags": ["a", "b"], "sure": true}', 0, 4 / 5],
    ['{"item": "tea", "price": 2.5000000000000000001, "tags": ["a", "b"]}', 0, 0],
    ['{"item": "tea", "item": "tea", "price": 2.5, "tags": ["a", "b"]}', 0, 0],
    ['Sure! {"item": "tea", "price": 2.5, "tags": ["a", "b"]}', 0, 0], ['[]', 0, 0], ['', 0, 0],
  ])('%j', async (completion, score, fields) => {
    expect(await judged(record, completion)).toEqual([score, fields]);
    expect(await judged(JSON.stringify(record), completion)).toEqual([score, fields]);
  });

  it('pays nothing for an answer that the limit may have cut', async () => {
    expect(await judged(record, '{"item": "tea", "price": 2.5, "tags": ["a", "b"]}', 'length')).toEqual([0, 0]);
  });

  it('refuses a right answer that is no JSON', async () => {
    await expect(judged('{"item": tea}', '{}')).rejects.toThrow(/q\.jsonl:1 .*not JSON/);
  });
});

describe('whole numbers beyond 2^53', () => {
  // biome-ignore format: a table
  it.each(['exact', 'number', 'math'])('keep their digits under verify: %s', async (verify) => {
    expect(await scoreOf('12345678901234567891', '12345678901234567891', { verify })).toBe(1);
    expect(await scoreOf('12345678901234567891', '12345678901234567000', { verify })).toBe(0);
    expect(await scoreOf('-9007199254740993', '-9007199254740993', { verify })).toBe(1);
    expect(await scoreOf('-9007199254740993', '-9007199254740992', { verify })).toBe(0);
  });

  it('are told from those within texts, and from numbers that keep their value', async () => {
    const rows =
      '{"prompt": "\\"id\\": 12345678901234567891 \\\\", "answer": [12345678901234567891], "n": 9007199254740991, "e": 1e20, "f": 0.12345678901234567891}';
    const task = await openDataset(
      { train: 'q.jsonl', verify: 'list', held_out: 'h.jsonl' },
      { files: memoryFiles({ 'q.jsonl': rows, 'h.jsonl': '{"prompt": "a", "answer": "b"}' }), parts: ALL_ROWS },
    );
    const { prompt, answer, columns } = task.trainItem(1, 0);
    expect(prompt).toBe('"id": 12345678901234567891 \\');
    expect(answer).toBe('12345678901234567891');
    expect(columns).toMatchObject({ n: 9007199254740991, e: 1e20, f: 0.12345678901234568 });
  });
});
