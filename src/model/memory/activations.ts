/**
 * Where a forward pass reads its rows and leaves its activations.
 *
 *   training   every layer keeps what its backward reads; keys and values lie in the order of the rows
 *   sampling   all layers share one set; keys and values go to the cache
 *   rollout    sampling that keeps: each decoding step appends its rows, and those of the groups that an update
 *              uses are gathered into the training rows afterwards, where they stand for its forward pass
 */
import type { ArenaBuilder, Rows, Slot } from '../../kernels/memory.ts';
import { leadingRows } from '../../kernels/memory.ts';
import type { ModelShape } from '../shape.ts';
import { hasBranches, kvWidth, qkvWidth, queryWidth } from '../shape.ts';
import { madeAgain, type Recompute } from './recompute.ts';

/** Activations of one layer that its backward pass reads. */
export interface LayerActivations {
  readonly input: Slot;
  readonly inputRstd: Slot;
  readonly inputNormed: Slot;
  readonly qkv: Slot;
  readonly q: Slot;
  readonly attention: Slot;
  readonly logSumExp: Slot;
  readonly middle: Slot;
  readonly middleRstd: Slot;
  readonly middleNormed: Slot;
  readonly gateUp: Slot;
  readonly activated: Slot;
  /** With norms of both halves: what their last products give, and the norms' 1/rms. */
  readonly attended?: Slot;
  readonly attendedRstd?: Slot;
  readonly fed?: Slot;
  readonly fedRstd?: Slot;
  /** What is added to the residual stream, of either half; all layers share it. */
  readonly branch?: Slot;
}

/** The rows of a forward pass, as the host describes them. */
export interface RowInputs {
  readonly tokens: Slot;
  readonly positions: Slot;
  /** Where each row's keys and values go in `kv`. */
  readonly kvRows: Slot;
  /** [rows, 2, 2] half-open ranges of `kv` that each row attends to. */
  readonly intervals: Slot;
  /** Those of layers with a window; absent: all layers see all (`../window.ts`). */
  readonly windowIntervals: Slot | undefined;
}

export interface ForwardSlots {
  readonly inputs: RowInputs;
  readonly rows: Rows;
  /** One per layer; in sampling all the same. */
  readonly layers: readonly LayerActivations[];
  /** One per layer. */
  readonly kv: readonly Slot[];
  /** Output of the last layer. */
  readonly output: Slot;
  /** Rows of `kv` that are copied from others in each layer (`../batch_openings.ts`); absent: none. */
  readonly copied?: Rows;
  /** The scored rows of a batch for the last layer (`../scored/scored_rows.ts`); absent: it finishes all rows. */
  readonly scored?: ScoredForward;
}

/** The last layer's inputs for the rows that it finishes, gathered. */
export interface ScoredForward {
  readonly q: Slot;
  readonly input: Slot;
}

/** Where a forward pass's activations lie. */
export interface ActivationArenas {
  /** Values that one kernel writes and the next ones read: rounded if the plan says so. */
  readonly rounded: ArenaBuilder;
  /** The residual stream, to which every layer adds, and values with one number per row or head. */
  readonly exact: ArenaBuilder;
}

/**
 * Activations that all layers share in one buffer: raw q/k/v, which only the backward of the q/k norm reads, and what
 * the backward recomputes before reading.
 */
function sharedNames(shape: ModelShape, recompute: Recompute): ReadonlySet<string> {
  const names = [...madeAgain(recompute), 'branch'];
  return new Set(shape.qkNorm ? names : [...names, 'qkv']);
}

const BEFORE_ATTENTION = [
  'input',
  'inputRstd',
  'inputNormed',
  'qkv',
  'q',
] as const satisfies readonly (keyof LayerActivations)[];

/** A layer's activations after its queries, keys and values, which the last layer has for scored rows only. */
const AFTER_QUERIES = [
  'attention',
  'logSumExp',
  'middle',
  'middleRstd',
  'middleNormed',
  'gateUp',
  'activated',
] as const satisfies readonly (keyof LayerActivations)[];

/** The same, of a layer with norms of both halves. */
const OF_BRANCH_NORMS = [
  'attended',
  'attendedRstd',
  'fed',
  'fedRstd',
] as const satisfies readonly (keyof LayerActivations)[];

/** The first `room` rows of a layer's activations for scored rows. */
export function scoredActivations(layer: LayerActivations, room: number): LayerActivations {
  const own = Object.entries(layer).filter(([name]) => isOfScoredRows(name));
  return { ...layer, ...Object.fromEntries(own.map(([name, slot]) => [name, leadingRows(slot, room)])) };
}

/**
 * Slots for `rows` rows of `count` layers.
 * @param scored  rows that the last layer finishes, unless it is also the first
 */
export function planLayers(
  shape: ModelShape,
  rows: number,
  count: number,
  { rounded, exact }: ActivationArenas,
  recompute: Recompute,
  scored = rows,
): LayerActivations[] {
  const { hiddenSize: D, intermediateSize: F, numHeads } = shape;
  const sharedBy = sharedNames(shape, recompute);
  const shared = new Map<string, Slot>();
  const layer = (index: number): LayerActivations => {
    const isLast = index > 0 && index === count - 1; // the first also serves sampling, which takes all rows to the end
    const plan = (name: keyof LayerActivations, arena: ArenaBuilder, ...size: readonly number[]): Slot => {
      const isScored = isLast && !sharedBy.has(name) && isOfScoredRows(name);
      const slot = shared.get(name) ?? arena.slot([isScored ? scored : rows, ...size]);
      if (sharedBy.has(name)) shared.set(name, slot);
      return slot;
    };
    return {
      input: plan('input', exact, D),
      inputRstd: plan('inputRstd', exact),
      inputNormed: plan('inputNormed', rounded, D),
      qkv: plan('qkv', rounded, qkvWidth(shape)),
      q: plan('q', rounded, queryWidth(shape)),
      attention: plan('attention', rounded, queryWidth(shape)),
      logSumExp: plan('logSumExp', exact, numHeads),
      middle: plan('middle', exact, D),
      middleRstd: plan('middleRstd', exact),
      middleNormed: plan('middleNormed', rounded, D),
      gateUp: plan('gateUp', rounded, 2 * F),
      activated: plan('activated', rounded, F),
      ...(shape.family?.branchNorms && {
        attended: plan('attended', rounded, D),
        attendedRstd: plan('attendedRstd', exact),
        fed: plan('fed', rounded, D),
        fedRstd: plan('fedRstd', exact),
      }),
      ...(hasBranches(shape.family) && { branch: plan('branch', rounded, D) }),
    };
  };
  return Array.from({ length: count }, (_, index) => layer(index));
}

/** @param hasWindow  some layers do not see all of a sequence */
export function planRowInputs(rows: number, arena: ArenaBuilder, hasWindow: boolean): RowInputs {
  return {
    tokens: arena.slot([rows]),
    positions: arena.slot([rows]),
    kvRows: arena.slot([rows]),
    intervals: arena.slot([rows, 2, 2]),
    windowIntervals: hasWindow ? arena.slot([rows, 2, 2]) : undefined,
  };
}

export function planKeysAndValues(shape: ModelShape, rows: number, arena: ArenaBuilder): Slot[] {
  return Array.from({ length: shape.numLayers }, () => arena.slot([rows, kvWidth(shape)]));
}

/** The first `rows` rows of each layer's keys and values. */
export function leadingKeysAndValues(kv: readonly Slot[], rows: number): Slot[] {
  return kv.map((slot) => leadingRows(slot, rows));
}

/** Names of the activations that the backward reads besides keys and values. */
export function keptNames(shape: ModelShape, recompute: Recompute): (keyof LayerActivations)[] {
  const shared = sharedNames(shape, recompute);
  const ofBranches = shape.family?.branchNorms ? OF_BRANCH_NORMS : [];
  const names: readonly (keyof LayerActivations)[] = [...BEFORE_ATTENTION, ...AFTER_QUERIES, ...ofBranches];
  return names.filter((name) => !shared.has(name));
}

/** Whether the last layer has it for scored rows only. */
export function isOfScoredRows(name: string): boolean {
  return name === 'branch' || [...AFTER_QUERIES, ...OF_BRANCH_NORMS].some((other) => other === name);
}

/** Floats of a row that `rollout` holds beyond what sampling needs, all layers. */
export function keptRowFloats(shape: ModelShape, recompute: Recompute): number {
  const { hiddenSize: D, intermediateSize: F, numHeads } = shape;
  const widths = {
    ...{ input: D, inputRstd: 1, inputNormed: D },
    ...{ qkv: qkvWidth(shape), q: queryWidth(shape), attention: queryWidth(shape), logSumExp: numHeads },
    ...{ middle: D, middleRstd: 1, middleNormed: D, gateUp: 2 * F, activated: F },
    ...(shape.family?.branchNorms && { attended: D, attendedRstd: 1, fed: D, fedRstd: 1 }),
    ...(hasBranches(shape.family) && { branch: D }),
  } satisfies Partial<Record<keyof LayerActivations, number>>;
  const sharedBy = sharedNames(shape, recompute);
  const sumOf = (isShared: boolean): number =>
    Object.entries(widths).reduce((sum, [name, width]) => sum + (sharedBy.has(name) === isShared ? width : 0), 0);
  return shape.numLayers * (sumOf(false) + kvWidth(shape)) + sumOf(true) + D;
}
