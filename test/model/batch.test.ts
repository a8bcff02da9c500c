import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackedBatch, Sequence, TokenGroup } from '../../src/model/batch.ts';
import { groupByPrefix, groupLossRows, groupRows, packBatch, splitGroups } from '../../src/model/batch.ts';
import { TOKEN } from '../../src/token_kinds.ts';

const tokens = (minLength: number, maxLength: number): fc.Arbitrary<Int32Array> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength, maxLength }).map((list) => Int32Array.from(list));

/** Prompts of 1 to 6 tokens; completions of 0 to 6, so that empty ones, those of one token and equal ones come up often. */
const group: fc.Arbitrary<TokenGroup> = fc.record({
  prompt: tokens(1, 6),
  completions: fc.array(fc.oneof(tokens(0, 6), fc.constantFrom(Int32Array.of(4, 4, 2), Int32Array.of(4, 4, 7, 2))), {
    maxLength: 6,
  }),
});

const groups = fc.array(group, { maxLength: 5 });

/** Rows of the prompt and of each completion, in the documented order, found without packBatch. */
interface Place {
  readonly group: number;
  readonly promptRows: readonly number[];
  /** Row of each token that is an input: all but the last. Equal completions of a group have the same ones. */
  readonly rows: readonly (readonly number[])[];
}

function range(begin: number, length: number): number[] {
  return Array.from({ length }, (_, i) => begin + i);
}

function placesOf(list: readonly TokenGroup[]): Place[] {
  let next = 0;
  const take = (length: number): number[] => {
    next += length;
    return range(next - length, length);
  };
  return list.map(({ prompt, completions }, index) => {
    const promptRows = take(prompt.length);
    const rowsOf = new Map<string, number[]>();
    const rows = completions.map((completion) => {
      const key = completion.join();
      const own = rowsOf.get(key) ?? take(Math.max(0, completion.length - 1));
      rowsOf.set(key, own);
      return own;
    });
    return { group: index, promptRows, rows };
  });
}

/** The kv rows that a row attends to, in order. */
function attended(batch: PackedBatch, row: number): number[] {
  const [begin, end, ownBegin, ownEnd] = batch.intervals.subarray(row * 4, row * 4 + 4);
  return [...range(begin, end - begin), ...range(ownBegin, Math.max(0, ownEnd - ownBegin))];
}

describe('packBatch', () => {
  it('gives every completion token exactly one loss row, predicted by the token before it', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const batch = packBatch(list);
        const found = new Map<string, number>();
        for (let i = 0; i < batch.lossRowCount; i++) found.set(`${batch.completionOf[i]}/${batch.tokenOf[i]}`, i);
        expect(found.size).toBe(batch.lossRowCount);
        const places = placesOf(list);
        let completion = 0;
        let expected = 0;
        list.forEach(({ prompt, completions }, g) => {
          completions.forEach((target, c) => {
            target.forEach((token, t) => {
              const lossRow = found.get(`${completion}/${t}`) ?? -1;
              expect(batch.targets[lossRow]).toBe(token);
              const source = batch.lossIndex[lossRow];
              expect(source).toBe(t === 0 ? places[g].promptRows[prompt.length - 1] : places[g].rows[c][t - 1]);
              expect(batch.tokens[source]).toBe(t === 0 ? prompt[prompt.length - 1] : target[t - 1]);
              expect(batch.positions[source]).toBe(prompt.length + t - 1);
              expected++;
            });
            completion++;
          });
        });
        expect(batch.lossRowCount).toBe(expected);
        expect(batch.completionCount).toBe(completion);
      }),
    );
  });

  it('lets a prompt row see the prompt up to itself, and a completion row its prompt and its own tokens alone', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const batch = packBatch(list);
        for (const { promptRows, rows } of placesOf(list)) {
          promptRows.forEach((row, i) => {
            expect(attended(batch, row)).toEqual(promptRows.slice(0, i + 1));
          });
          for (const own of rows) {
            own.forEach((row, i) => {
              expect(attended(batch, row)).toEqual([...promptRows, ...own.slice(0, i + 1)]);
            });
          }
        }
      }),
    );
  });

  it('never lets an interval cross from one group into another', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const batch = packBatch(list);
        expect(batch.prefixGroups).toHaveLength(list.length + 1);
        expect(batch.prefixGroups[list.length]).toBe(batch.rowCount);
        list.forEach((_, g) => {
          const [begin, end] = batch.prefixGroups.subarray(g, g + 2);
          for (let row = begin; row < end; row++) {
            for (const key of attended(batch, row)) expect(key >= begin && key < end && key <= row).toBe(true);
          }
        });
      }),
    );
  });

  it('has lossOffsets that cut lossIndex into the loss rows of each row', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const batch = packBatch(list);
        expect(batch.lossOffsets).toHaveLength(batch.rowCount + 1);
        expect(batch.lossOffsets[batch.rowCount]).toBe(batch.lossRowCount);
        const cut: number[] = [];
        for (let row = 0; row < batch.rowCount; row++) {
          const count = batch.lossOffsets[row + 1] - batch.lossOffsets[row];
          cut.push(...new Array<number>(count).fill(row));
        }
        expect([...batch.lossIndex]).toEqual(cut);
      }),
    );
  });

  it('sorts every row once by token, ties by row, and cuts the rows at each distinct token', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const { tokens, sortedRows, bucketTokens, bucketOffsets, rowCount } = packBatch(list);
        const sorted = range(0, rowCount).sort((a, b) => tokens[a] - tokens[b] || a - b);
        expect([...sortedRows]).toEqual(sorted);
        expect([...bucketTokens]).toEqual([...new Set(tokens)].sort((a, b) => a - b));
        expect(bucketOffsets).toHaveLength(bucketTokens.length + 1);
        bucketTokens.forEach((token, b) => {
          const rows = sortedRows.subarray(bucketOffsets[b], bucketOffsets[b + 1]);
          expect([...rows].every((row) => tokens[row] === token)).toBe(true);
          expect(rows.length).toBeGreaterThan(0);
        });
      }),
    );
  });

  it('takes the rows and loss rows that groupRows and groupLossRows announce', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const batch = packBatch(list);
        expect(batch.rowCount).toBe(list.reduce((sum, item) => sum + groupRows(item), 0));
        expect(batch.lossRowCount).toBe(list.reduce((sum, item) => sum + groupLossRows(item), 0));
        expect(batch.tokens).toHaveLength(batch.rowCount);
        expect(batch.targets).toHaveLength(batch.lossRowCount);
      }),
    );
  });

  it('counts an empty completion, and gives it neither a row nor a loss', () => {
    const batch = packBatch([{ prompt: Int32Array.of(4, 5), completions: [new Int32Array(), Int32Array.of(6, 7)] }]);
    expect(batch.completionCount).toBe(2);
    expect([...batch.tokens]).toEqual([4, 5, 6]);
    expect([...batch.completionOf]).toEqual([1, 1]);
    expect([...batch.lossIndex]).toEqual([1, 2]);
  });

  it('predicts a completion of one token from the prompt alone, without a row of its own', () => {
    const batch = packBatch([{ prompt: Int32Array.of(4, 5), completions: [Int32Array.of(6), Int32Array.of(7)] }]);
    expect([...batch.tokens]).toEqual([4, 5]);
    expect([...batch.lossIndex]).toEqual([1, 1]);
    expect([...batch.targets]).toEqual([6, 7]);
    expect([...batch.lossOffsets]).toEqual([0, 0, 2]);
  });

  it('packs no groups into no rows', () => {
    const batch = packBatch([]);
    expect([batch.rowCount, batch.lossRowCount, batch.completionCount]).toEqual([0, 0, 0]);
    expect([...batch.prefixGroups]).toEqual([0]);
  });
});

/** The same completions with a label for each token. */
const labelled: fc.Arbitrary<TokenGroup> = group.chain(({ prompt, completions }) =>
  fc
    .tuple(
      ...completions.map(({ length }) =>
        fc.array(fc.constantFrom(...Object.values(TOKEN)), { minLength: length, maxLength: length }),
      ),
    )
    .map((labels) => ({ prompt, completions, labels: labels.map((own) => Uint8Array.from(own)) })),
);

describe('packBatch with labels', () => {
  it('has the rows of equal completions twice where one was given what the other sampled', () => {
    const completion = Int32Array.of(5, 6, 7);
    const given = Uint8Array.of(TOKEN.sampled, TOKEN.given, TOKEN.sampled);
    const batch = packBatch([
      {
        prompt: Int32Array.of(4),
        completions: [completion, completion, completion],
        labels: [undefined, given, given],
      },
    ]);
    expect([...batch.tokens]).toEqual([4, 5, 6, 5, 6]);
    expect([...batch.lossIndex]).toEqual([0, 0, 0, 1, 2, 4, 4]);
    expect([...batch.completionOf]).toEqual([0, 1, 2, 0, 0, 1, 2]);
  });

  it('gives a loss row to every sampled and reference token, and none to a given one', () => {
    fc.assert(
      fc.property(fc.array(labelled, { maxLength: 5 }), (list) => {
        const batch = packBatch(list);
        const found = Array.from(batch.completionOf, (completion, i) => `${completion}/${batch.tokenOf[i]}`);
        const expected = list
          .flatMap(({ labels = [] }) => labels)
          .flatMap((labels = new Uint8Array(), completion) =>
            [...labels].flatMap((label, t) => (label === TOKEN.given ? [] : [`${completion}/${t}`])),
          );
        expect(found.sort()).toEqual(expected.sort());
        expect(batch.lossRowCount).toBe(list.reduce((sum, item) => sum + groupLossRows(item), 0));
      }),
    );
  });

  it('keeps the row of a given token that a loss depends on, and none behind the last loss', () => {
    const labels = [Uint8Array.of(TOKEN.given, TOKEN.given, TOKEN.sampled, TOKEN.given, TOKEN.given)];
    const batch = packBatch([{ prompt: Int32Array.of(4), completions: [Int32Array.of(5, 6, 7, 8, 9)], labels }]);
    expect([...batch.tokens]).toEqual([4, 5, 6]);
    expect([...batch.lossIndex]).toEqual([2]);
    expect([...batch.targets]).toEqual([7]);
    expect([...batch.lossOffsets]).toEqual([0, 0, 0, 1]);
    expect([...batch.tokenOf]).toEqual([2]);
  });

  it('takes the rows that groupRows announces, each attending as without labels', () => {
    fc.assert(
      fc.property(fc.array(labelled, { maxLength: 5 }), (list) => {
        const batch = packBatch(list);
        expect(batch.rowCount).toBe(list.reduce((sum, item) => sum + groupRows(item), 0));
        for (let i = 0; i < batch.lossRowCount; i++) {
          const row = batch.lossIndex[i];
          expect(attended(batch, row)).toHaveLength(batch.positions[row] + 1);
        }
      }),
    );
  });

  it('packs completions that are all sampled as without labels', () => {
    fc.assert(
      fc.property(groups, (list) => {
        const all = list.map((item) => ({
          ...item,
          labels: item.completions.map(({ length }, i) => (i % 2 === 0 ? new Uint8Array(length) : undefined)),
        }));
        expect(packBatch(all)).toEqual(packBatch(list));
      }),
    );
  });
});

describe('groupByPrefix', () => {
  const [one, other] = [Int32Array.of(1, 2), Int32Array.of(1, 3)];
  const sequence = (prefix: Int32Array, token: number): Sequence => ({
    prefix: prefix.slice(),
    tokens: Int32Array.of(token),
  });

  it('lets neighbours with an equal prefix share it, and leaves the order as it is', () => {
    const list = [sequence(one, 5), sequence(one, 6), sequence(other, 7), sequence(one, 8)];
    const found = groupByPrefix(list).map(({ prompt, completions }) => [[...prompt], completions.map(([t]) => t)]);
    expect(found).toEqual([
      [
        [1, 2],
        [5, 6],
      ],
      [[1, 3], [7]],
      [[1, 2], [8]],
    ]);
  });

  it('keeps the labels beside their tokens', () => {
    const labels = Uint8Array.of(TOKEN.reference);
    const [{ labels: found }] = groupByPrefix([sequence(one, 5), { ...sequence(one, 6), labels }]);
    expect(found).toEqual([undefined, labels]);
  });

  it('has no groups without sequences', () => {
    expect(groupByPrefix([])).toEqual([]);
  });
});

type Room = Parameters<typeof splitGroups>[1];

describe('splitGroups', () => {
  const capacity: fc.Arbitrary<Room> = fc.record({
    rows: fc.integer({ min: 1, max: 60 }),
    lossRows: fc.integer({ min: 1, max: 60 }),
    groups: fc.integer({ min: 1, max: 4 }),
    completions: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
  });

  function sizesOf(batch: readonly TokenGroup[]) {
    return {
      rows: batch.reduce((sum, item) => sum + groupRows(item), 0),
      lossRows: batch.reduce((sum, item) => sum + groupLossRows(item), 0),
      groups: batch.length,
      completions: batch.reduce((sum, item) => sum + item.completions.length, 0),
    };
  }

  function fits(batch: readonly TokenGroup[], room: Room): boolean {
    const size = sizesOf(batch);
    const completions = room.completions ?? Number.POSITIVE_INFINITY;
    return (
      size.rows <= room.rows &&
      size.lossRows <= room.lossRows &&
      size.groups <= room.groups &&
      size.completions <= completions
    );
  }

  it('keeps every group whole, once, and in order', () => {
    fc.assert(
      fc.property(groups, capacity, (list, room) => {
        const split = splitGroups(list, room).flat();
        expect(split).toHaveLength(list.length);
        split.forEach((item, i) => {
          expect(item).toBe(list[i]);
        });
      }),
    );
  });

  it('exceeds the capacity only where one group alone does', () => {
    fc.assert(
      fc.property(groups, capacity, (list, room) => {
        for (const batch of splitGroups(list, room)) expect(batch.length === 1 || fits(batch, room)).toBe(true);
      }),
    );
  });

  it('begins a new micro-batch only where the next group does not fit', () => {
    fc.assert(
      fc.property(groups, capacity, (list, room) => {
        const split = splitGroups(list, room);
        split.slice(1).forEach((batch, i) => {
          expect(fits([...split[i], batch[0]], room)).toBe(false);
        });
      }),
    );
  });
});
