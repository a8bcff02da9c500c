/** `rlvr-train tasks export` and `score`: a row says all that its score needs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { printed } from '../../../test/cli/printed.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { exportTask, scoreTask } from '../tasks/task_rows.ts';

afterEach(() => vi.restoreAllMocks());

const folder = folderOfFile();

function fileOf(text: string): string {
  const file = join(folder, 'rows.jsonl');
  writeFileSync(file, text);
  return file;
}

describe('rows', () => {
  const rowsOf = async (name: string, flags: Parameters<typeof exportTask>[1]) =>
    (await printed(() => exportTask(name, flags)))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const scored = async (name: string, rows: readonly object[]) => {
    const file = fileOf(rows.map((row) => JSON.stringify(row)).join('\n'));
    const text = await printed(() => scoreTask(name, { file }));
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  it('are exported with what a verdict needs, and scored from that alone', async () => {
    for (const name of ['gcd', 'countdown', 'word_sorting']) {
      const rows = await rowsOf(name, { count: 4, level: 1 });
      expect(rows).toHaveLength(4);
      expect(rows[0]).toMatchObject({ task: name, split: 'train', level: 1 });
      const right = await scored(
        name,
        rows.map((row) => ({ ...row, completion: row.answer })),
      );
      expect(right.map(({ id, score }) => [id, score])).toEqual(rows.map(({ id }) => [id, 1]));
      const wrong = await scored(
        name,
        rows.map((row) => ({ ...row, completion: `${row.answer} or so` })),
      );
      expect(wrong.map(({ score }) => score)).toEqual([0, 0, 0, 0]);
      const cut = await scored(name, [{ ...rows[0], completion: rows[0].answer, finish_reason: 'length' }]);
      expect(cut[0]).toMatchObject({ score: 0, status: 'truncated' });
    }
  });

  it('are of the held-out problems where that is asked, and in either style', async () => {
    const [row] = await rowsOf('gcd', { count: 1, split: 'eval', style: 'plain', set: ['max=40'] });
    expect(row).toMatchObject({ split: 'eval', style: 'plain', knobs: { max: 40 } });
    expect((await scored('gcd', [{ ...row, completion: row.answer }]))[0].score).toBe(1);
    expect((await scored('gcd', [{ ...row, completion: 'four' }]))[0].score).toBe(0);
  });

  it('that cannot be scored are refused with file, line and remedy', async () => {
    const [row] = await rowsOf('gcd', { count: 1 });
    const of = (...rows: readonly object[]) => scored('gcd', rows);
    await expect(of({ ...row, completion: '1' }, row)).rejects.toThrow(
      /rows\.jsonl:2 {2}completion — must be a text: what is to be scored; add completion to the rows of tasks export gcd\.$/,
    );
    await expect(of({ ...row, version: 99, completion: '1' })).rejects.toThrow(
      /:1 {2}version: 99 — gcd is version 1 here/,
    );
    await expect(of({ ...row, identity: 7, completion: '1' })).rejects.toThrow(/:1 {2}identity — no problem of gcd/);
    await expect(scoreTask('gcd', { file: fileOf('{"id": ') })).rejects.toThrow(/:1 {2}not a row of JSON: /);
    await expect(scoreTask('gcd', { file: './no.jsonl' })).rejects.toThrow(
      '--file ./no.jsonl — cannot be read: ENOENT; name a file of rows.',
    );
  });
});
