/**
 * Packed batches: tokens without padding, each prefix once for the sequences that share it.
 *
 * A group's rows are its prompt, then its completions one after the other. A completion of n tokens has n − 1 rows: its
 * first token is predicted by the prompt's last row, and its last token is never an input. Every row attends to two
 * intervals: the prompt, and its own completion up to itself. Equal completions of a group share rows, with a loss row
 * for each of them, so that their gradients are added up before they pass through the layers.
 *
 * Keys and values lie group by group, in the order of the rows. If prompts have a common opening, the first group with
 * it has its rows, and the others have copies of its keys and values (`batch_openings.ts`).
 *
 * A token labelled as given has a row, since later tokens depend on it, but no loss row. Tokens after the last one with
 * a loss take no rows, since nothing reads them.
 */
import { TOKEN } from '../token_kinds.ts';
import { copiesOf, type OpeningCopies, openingsOf } from './batch_openings.ts';
import { bucketTokens } from './buckets.ts';
import { commonLength } from './sampling/openings.ts';
import { isWhole } from './support.ts';

/** One prompt with the completions that share it. */
export interface TokenGroup {
  readonly prompt: Int32Array;
  readonly completions: readonly Int32Array[];
  /** [completions][tokens] of TOKEN; where absent, every token has a loss. */
  readonly labels?: readonly (Uint8Array | undefined)[] | undefined;
  /** [completions] see `support.ts`; absent: every token could be sampled. */
  readonly supports?: readonly (Uint8Array | undefined)[] | undefined;
}

/** Tokens after their own prefix, which is a prompt or another view of a problem. */
export interface Sequence {
  readonly prefix: Int32Array;
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN; where absent, every token has a loss. */
  readonly labels?: Uint8Array | undefined;
  /** [tokens × bytes] the tokens that could be sampled at each (`support.ts`); where absent, all of them. */
  readonly support?: Uint8Array | undefined;
}

/**
 * Groups of the sequences that follow each other with an equal prefix, in order, for `splitGroups` and `packBatch`.
 * Sharing of a prefix's rows is decided here, not in `packBatch`: a problem drawn twice in a row makes two groups,
 * which may fall into two micro-batches without changing any sum.
 */
export function groupByPrefix(sequences: readonly Sequence[]): TokenGroup[] {
  type Bytes = (Uint8Array | undefined)[];
  const groups: { prompt: Int32Array; completions: Int32Array[]; labels: Bytes; supports: Bytes }[] = [];
  for (const { prefix, tokens, labels, support } of sequences) {
    let last = groups[groups.length - 1];
    if (last === undefined || !equalInts(last.prompt, prefix)) {
      last = { prompt: prefix, completions: [], labels: [], supports: [] };
      groups.push(last);
    }
    last.completions.push(tokens);
    last.labels.push(labels);
    last.supports.push(support);
  }
  return groups;
}

export function equalInts(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && commonLength(a, b) === a.length;
}

/** Host arrays of one batch; `model/` copies them into the engine's slots. */
export interface PackedBatch {
  readonly rowCount: number;
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  /** Rows of keys and values: those of the batch, and copies. */
  readonly kvRowCount: number;
  /** [rows] where the keys and values of each row are. */
  readonly kvRows: Int32Array;
  readonly openings: OpeningCopies;
  /** [rows, 2, 2] half-open ranges of rows of keys and values. */
  readonly intervals: Int32Array;
  /** [groups + 1] first row of each group. */
  readonly prefixGroups: Int32Array;
  /** Rows sorted by token, the distinct tokens, and where each token's rows begin. */
  readonly sortedRows: Int32Array;
  readonly bucketTokens: Int32Array;
  readonly bucketOffsets: Int32Array;
  readonly lossRowCount: number;
  /** [loss rows] the row that predicts each completion token, ascending. */
  readonly lossIndex: Int32Array;
  /** [rows + 1] loss rows that each row predicts. */
  readonly lossOffsets: Int32Array;
  /** [loss rows] the token to predict. */
  readonly targets: Int32Array;
  /** [loss rows] completion, counted over the batch in order, and position in it. */
  readonly completionOf: Int32Array;
  readonly tokenOf: Int32Array;
  readonly completionCount: number;
  /** [loss rows] what could be sampled instead of each target; absent if everything could, throughout. */
  readonly supports?: readonly (Uint8Array | undefined)[];
}

/**
 * Rows of keys and values that a group takes in a batch: as many as its own rows, not counting an opening's.
 *
 * @param equal  as `firstEqual` has it
 */
export function groupRows(group: TokenGroup, equal: Int32Array = firstEqual(group)): number {
  const { prompt, completions, labels } = group;
  return completions.reduce(
    (rows, tokens, i) => rows + (equal[i] === i ? inputTokens(tokens, labels?.[i]) : 0),
    prompt.length,
  );
}

/** [completions] the first equal completion of the group, which has the rows. */
export function firstEqual({ completions, labels }: TokenGroup): Int32Array {
  return Int32Array.from(completions, (tokens, i) => {
    for (let j = 0; j < i; j++) {
      if (equalInts(completions[j], tokens) && equalLabels(tokens, labels?.[j], labels?.[i])) return j;
    }
    return i;
  });
}

/** Whether the same tokens of `tokens` were given. */
function equalLabels(tokens: Int32Array, a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || tokens.every((_, i) => (a?.[i] === TOKEN.given) === (b?.[i] === TOKEN.given));
}

/** Loss rows that a group takes: one per completion token that was not given. */
export function groupLossRows({ completions, labels }: TokenGroup): number {
  return completions.reduce((rows, tokens, i) => {
    const completionLabels = labels?.[i];
    return (
      rows +
      (completionLabels === undefined
        ? tokens.length
        : completionLabels.reduce((n, label) => n + (label === TOKEN.given ? 0 : 1), 0))
    );
  }, 0);
}

/** Whether token `t` of a completion is one that has a loss. */
export function hasLoss(tokens: Int32Array, labels: Uint8Array | undefined, t: number): boolean {
  return t < tokens.length && labels?.[t] !== TOKEN.given;
}

/** Tokens of a completion that take a row: those before the last one that has a loss. */
export function inputTokens(tokens: Int32Array, labels: Uint8Array | undefined): number {
  let end = tokens.length;
  while (end > 0 && labels?.[end - 1] === TOKEN.given) end--;
  return Math.max(0, end - 1);
}

/** Packs whole groups, in order. */
export function packBatch(groups: readonly TokenGroup[]): PackedBatch {
  const openings = openingsOf(groups.map(({ prompt }) => prompt));
  const equals = groups.map(firstEqual);
  const kvRowCount = groups.reduce((sum, group, i) => sum + groupRows(group, equals[i]), 0);
  const rowCount = openings.reduce((sum, opening) => sum - (opening?.length ?? 0), kvRowCount);
  const lossRowCount = groups.reduce((sum, group) => sum + groupLossRows(group), 0);
  const batch = {
    tokens: new Int32Array(rowCount),
    positions: new Int32Array(rowCount),
    kvRows: new Int32Array(rowCount),
    intervals: new Int32Array(rowCount * 4),
    prefixGroups: new Int32Array(groups.length + 1),
    lossIndex: new Int32Array(lossRowCount),
    lossOffsets: new Int32Array(rowCount + 1),
    targets: new Int32Array(lossRowCount),
    completionOf: new Int32Array(lossRowCount),
    tokenOf: new Int32Array(lossRowCount),
  };
  const kvBegins = new Int32Array(groups.length);
  let row = 0;
  let kvRow = 0;
  let lossRow = 0;
  let completion = 0;
  const addRow = (token: number, position: number, promptBegin: number, promptEnd: number, ownBegin: number): void => {
    const { tokens, positions, kvRows, intervals, lossOffsets } = batch;
    tokens[row] = token;
    kvRows[row] = kvRow++;
    positions[row] = position;
    const at = row * 4;
    intervals[at] = promptBegin;
    intervals[at + 1] = promptEnd;
    intervals[at + 2] = ownBegin;
    intervals[at + 3] = ownBegin < 0 ? -1 : kvRow;
    lossOffsets[row] = lossRow;
    row++;
  };
  const addLoss = (token: number, completionIndex: number, tokenIndex: number): void => {
    batch.lossIndex[lossRow] = row - 1;
    batch.targets[lossRow] = token;
    batch.completionOf[lossRow] = completionIndex;
    batch.tokenOf[lossRow] = tokenIndex;
    lossRow++;
  };
  groups.forEach((group, index) => {
    batch.prefixGroups[index] = row;
    const promptBegin = kvRow;
    kvBegins[index] = promptBegin;
    const opened = openings[index]?.length ?? 0;
    kvRow += opened;
    for (let t = opened; t < group.prompt.length; t++) addRow(group.prompt[t] ?? 0, t, promptBegin, kvRow + 1, -1);
    const promptEnd = kvRow;
    group.completions.forEach((tokens, i) => {
      if (hasLoss(tokens, group.labels?.[i], 0)) addLoss(tokens[0] ?? 0, completion + i, 0);
    });
    const equal = equals[index] as Int32Array;
    group.completions.forEach((tokens, i) => {
      if (equal[i] !== i) return;
      const labels = group.labels?.[i];
      const inputs = inputTokens(tokens, labels);
      const ownBegin = kvRow;
      for (let t = 0; t < inputs; t++) {
        addRow(tokens[t] ?? 0, group.prompt.length + t, promptBegin, promptEnd, ownBegin);
        if (!hasLoss(tokens, labels, t + 1)) continue;
        for (let j = i; j < equal.length; j++) if (equal[j] === i) addLoss(tokens[t + 1] ?? 0, completion + j, t + 1);
      }
    });
    completion += group.completions.length;
  });
  batch.prefixGroups[groups.length] = row;
  batch.lossOffsets[rowCount] = lossRow;
  const packed = {
    ...{ ...batch, ...bucketTokens(batch.tokens), rowCount, kvRowCount, lossRowCount, completionCount: completion },
    openings: copiesOf(openings, kvBegins),
  };
  const supports = supportsOf(groups, packed);
  return supports === undefined ? packed : { ...packed, supports };
}

/** Supports by loss row, without those that leave nothing out. */
function supportsOf(
  groups: readonly TokenGroup[],
  { completionOf, tokenOf }: Pick<PackedBatch, 'completionOf' | 'tokenOf'>,
): PackedBatch['supports'] {
  if (!groups.some(({ supports }) => supports?.some((completionSupport) => completionSupport !== undefined)))
    return undefined;
  const members = groups.flatMap(({ completions, supports }) =>
    completions.map(({ length }, i) => ({ length, support: supports?.[i] })),
  );
  return Array.from(completionOf, (completion, row) => {
    const { length, support } = members[completion];
    if (support === undefined) return undefined;
    const width = support.length / length;
    const tokenSupport = support.subarray(tokenOf[row] * width, (tokenOf[row] + 1) * width);
    return isWhole(tokenSupport) ? undefined : tokenSupport;
  });
}

/** Capacity of a batch. */
export interface BatchLimits {
  readonly rows: number;
  readonly lossRows: number;
  readonly groups: number;
  readonly completions?: number;
}

/** Cuts groups into micro-batches of whole groups that fit; order is kept. */
export function splitGroups<G extends TokenGroup>(groups: readonly G[], limits: BatchLimits): G[][] {
  return splitUnits(groups, (group) => [group], limits);
}

/** Splits units that stay together, each of one or several groups. */
export function splitUnits<Unit>(
  units: readonly Unit[],
  groupsOf: (unit: Unit) => readonly TokenGroup[],
  limits: BatchLimits,
): Unit[][] {
  const batches: Unit[][] = [];
  let used: Required<BatchLimits> = EMPTY;
  for (const unit of units) {
    const last = batches[batches.length - 1];
    const unitSizes = sizesOf(groupsOf(unit));
    const together = sumOf(used, unitSizes);
    if (last !== undefined && fits(together, limits)) {
      last.push(unit);
      used = together;
    } else {
      batches.push([unit]);
      used = unitSizes;
    }
  }
  return batches;
}

/** Splits sequences at any point; consecutive ones with an equal prefix share its rows. */
export function splitSequences<S extends Sequence>(sequences: readonly S[], limits: BatchLimits): S[][] {
  const batches: S[][] = [];
  let used: Required<BatchLimits> = EMPTY;
  for (const sequence of sequences) {
    const last = batches[batches.length - 1];
    const before = last?.[last.length - 1];
    const alone = sizesOf(groupByPrefix([sequence]));
    const isShared = before !== undefined && equalInts(before.prefix, sequence.prefix);
    const added = isShared ? { ...alone, rows: alone.rows - sequence.prefix.length, groups: 0 } : alone;
    const together = sumOf(used, added);
    if (last !== undefined && fits(together, limits)) {
      last.push(sequence);
      used = together;
    } else {
      batches.push([sequence]);
      used = alone;
    }
  }
  return batches;
}

const EMPTY = { rows: 0, lossRows: 0, groups: 0, completions: 0 };

/** Room that groups take in a batch. */
export function sizesOf(groups: readonly TokenGroup[]): Required<BatchLimits> {
  return groups.reduce(
    (all, group) =>
      sumOf(all, {
        rows: groupRows(group),
        lossRows: groupLossRows(group),
        groups: 1,
        completions: group.completions.length,
      }),
    EMPTY,
  );
}

function sumOf(a: Required<BatchLimits>, b: Required<BatchLimits>): Required<BatchLimits> {
  return {
    rows: a.rows + b.rows,
    lossRows: a.lossRows + b.lossRows,
    groups: a.groups + b.groups,
    completions: a.completions + b.completions,
  };
}

/** Whether a batch has room for these sizes. */
export function fits(sizes: Required<BatchLimits>, limits: BatchLimits): boolean {
  const { rows, lossRows, groups, completions = Number.POSITIVE_INFINITY } = limits;
  return sizes.rows <= rows && sizes.lossRows <= lossRows && sizes.groups <= groups && sizes.completions <= completions;
}
