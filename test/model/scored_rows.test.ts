import { describe, expect, it } from 'vitest';
import { packBatch } from '../../src/model/batch.ts';
import { scoredRows } from '../../src/model/scored/scored_rows.ts';
import { TOKEN } from '../../src/token_kinds.ts';

const { sampled, given } = TOKEN;

describe('the scored rows of a batch', () => {
  it('are those that predict a token with a loss, each once', () => {
    const batch = packBatch([
      { prompt: Int32Array.of(1, 2, 3), completions: [Int32Array.of(4, 5), Int32Array.of(6, 7, 8)] },
      {
        prompt: Int32Array.of(1, 9),
        // The second token was given: no row predicts it, and the row that has it predicts the third.
        completions: [Int32Array.of(4, 5, 6)],
        labels: [Uint8Array.of(sampled, given, sampled)],
      },
      // Equal completions have one row for both.
      { prompt: Int32Array.of(2), completions: [Int32Array.of(4, 5), Int32Array.of(4, 5)] },
    ]);
    const scored = scoredRows(batch);

    // Rows: 1 2 3 | 4 | 6 7 ; 1 9 | 4 5 ; 2 | 4
    expect([...scored.index]).toEqual([2, 3, 4, 5, 7, 9, 10, 11]);
    expect([...scored.groups]).toEqual([0, 4, 6, 8]);
    expect([...scored.offsets]).toEqual([0, 0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 8]);
    expect(batch.lossIndex.map((_, i) => scored.index[scored.lossIndex[i] as number] as number)).toEqual(
      batch.lossIndex,
    );
    expect([...scored.lossOffsets]).toEqual([0, 2, 3, 4, 5, 6, 7, 9, 11]);
    expect([...scored.intervals.subarray(4 * 5, 4 * 6)]).toEqual([...batch.intervals.subarray(4 * 9, 4 * 10)]);
  });

  it('are none where nothing has a loss', () => {
    const batch = packBatch([{ prompt: Int32Array.of(1, 2), completions: [] }]);
    const { index, offsets, groups, lossOffsets } = scoredRows(batch);

    expect([...index]).toEqual([]);
    expect([...offsets]).toEqual([0, 0, 0]);
    expect([...groups]).toEqual([0, 0]);
    expect([...lossOffsets]).toEqual([0]);
  });
});
