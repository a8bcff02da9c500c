/**
 * Matrix products, in variants for many rows and few, and for GPUs and software adapters.
 *
 *   NT  out[r, c] = Σ_k a[r, k]·b[c, k]      a layer, and logits; b is a weight [columns, inner]
 *   NN  out[r, c] = Σ_k a[r, k]·b[k, c]      gradient of the input; b is a weight [inner, columns]
 *   TN  out[c, d] += Σ_r a[r, c]·b[r, d]     gradient of a weight
 *
 * Order. In NT and NN the inner size is cut into segments of 128; each is one chain of fused multiply-adds, k
 * ascending, and the segments are added from left to right. In TN the rows are one chain that continues what `out`
 * holds. Neither depends on the number of rows, so a row has the same bits alone as among thousands, and a batch cut
 * at row borders gives the same weight gradient. Nor does it depend on the variant: all of them give the same bits, so
 * that a replay picks one by the number of rows.
 *
 * Cost: rows·columns·inner multiply-adds, in each variant.
 */
import type { Slot } from '../../../src/kernels/memory.ts';
import type { CountEntry } from '../counts.ts';
import type { Recorder } from '../recorder.ts';
import { read, startsOnVectors, write } from '../recorder.ts';
import type { ProductVariant } from './matmul_parts.ts';
import { registerProduct, registerWeightGradient } from './matmul_register.ts';
import { skinnyLanes, skinnyProduct, skinnyTile } from './matmul_skinny.ts';
import type { TileSide } from './matmul_tiled.ts';
import { tiledProduct, tiledWeightGradient } from './matmul_tiled.ts';

export { SEGMENT } from './matmul_parts.ts';

/** Rows up to which a register variant gives a thread one row, not four. */
const MOST_SINGLE_ROWS = 8;
/** Rows up to which few rows share out the segments of the inner size instead of filling tiles. */
const MOST_SKINNY_ROWS = 128;
/** Workgroups from which tiles keep a large GPU busy: large ones, and where rows are few the small ones. */
const LEAST_TILES = 192;

export interface ProductRequest {
  readonly label: string;
  readonly form: 'NT' | 'NN';
  readonly a: Slot;
  readonly b: Slot;
  readonly out: Slot;
  readonly bias?: Slot | undefined;
  /** Added last. May be `out` itself. */
  readonly residual?: Slot | undefined;
  /** out = out + a·b, continuing the chain of segments. */
  readonly accumulate?: boolean;
  readonly inner: number;
  readonly columns: number;
  /** Elements from one row to the next; by default `inner` and `columns`. */
  readonly aStride?: number;
  readonly outStride?: number;
  readonly rows: { readonly begin: CountEntry; readonly end: CountEntry };
  /** Row `begin` lies at the start of the slot, not at its row `begin`. */
  readonly aIsChunk?: boolean;
  readonly outIsChunk?: boolean;
}

/** Records a product in the NT or NN form: one dispatch for few rows, another for many, of which a replay runs one. */
export function recordProduct(recorder: Recorder, request: ProductRequest): void {
  const { label, form, a, b, out, bias, residual, inner, columns, rows, accumulate = false } = request;
  const aStride = request.aStride ?? inner;
  const outStride = request.outStride ?? columns;
  const vectors = startsOnVectors([a, b, out, bias, residual], [inner, columns, aStride, outStride]);
  const inPlace = residual !== undefined && residual.arena === out.arena && residual.offset === out.offset;
  const rowCount = (): number => Math.max(0, rows.end.value - rows.begin.value);
  const variant: ProductVariant = {
    form,
    vectors,
    accumulate,
    hasBias: bias !== undefined,
    residual: residual === undefined ? 'none' : inPlace ? 'out' : 'residual',
  };
  for (const { code, tile, isFor } of waysOf(recorder, variant, inner, columns)) {
    recorder.dispatch({
      label: `${label} ${form}`,
      operands: {
        a: read(a),
        b: read(b),
        out: write(out),
        bias: bias && read(bias),
        residual: residual && !inPlace ? read(residual) : undefined,
      },
      counts: { begin: rows.begin, end: rows.end },
      scalars: {
        inner,
        columns,
        a_stride: aStride,
        out_stride: outStride,
        a_shift: request.aIsChunk ? 1 : 0,
        out_shift: request.outIsChunk ? 1 : 0,
      },
      vectors,
      code,
      workgroups: () => {
        const count = rowCount();
        return isFor(count) ? [Math.ceil(columns / tile.columns), Math.ceil(count / tile.rows)] : [0, 0];
      },
      work: () => rowCount() * columns * inner,
    });
  }
}

/** One way to compute a product, and the numbers of rows that it is for. */
interface Way {
  readonly code: string;
  /** What one workgroup computes. */
  readonly tile: { readonly rows: number; readonly columns: number };
  readonly isFor: (rows: number) => boolean;
}

/** Each number of rows has one way. */
function waysOf(recorder: Recorder, variant: ProductVariant, inner: number, columns: number): Way[] {
  const single = { code: registerProduct(variant, 1), tile: { rows: 8, columns: 32 } };
  if (recorder.context.tiling === 'registers') {
    return [
      { ...single, isFor: (rows) => rows <= MOST_SINGLE_ROWS },
      {
        code: registerProduct(variant, 4),
        tile: { rows: 32, columns: 32 },
        isFor: (rows) => rows > MOST_SINGLE_ROWS,
      },
    ];
  }
  const lanes = skinnyLanes(inner);
  const few = lanes === undefined ? single : { code: skinnyProduct(variant, lanes), tile: skinnyTile(lanes) };
  const isFew = (rows: number): boolean =>
    rows <= MOST_SINGLE_ROWS ||
    (lanes !== undefined && rows <= MOST_SKINNY_ROWS && tileCount(rows, columns, 32) < LEAST_TILES);
  const isLarge = (rows: number): boolean => tileCount(rows, columns, 64) >= LEAST_TILES;
  const tiled = (side: TileSide) => ({
    code: tiledProduct(variant, side),
    tile: { rows: 4 * side, columns: 4 * side },
  });
  return [
    { ...few, isFor: isFew },
    { ...tiled(8), isFor: (rows) => !isFew(rows) && !isLarge(rows) },
    { ...tiled(16), isFor: (rows) => !isFew(rows) && isLarge(rows) },
  ];
}

/** Tiles of side × side. */
function tileCount(rows: number, columns: number, side: 32 | 64): number {
  return Math.ceil(rows / side) * Math.ceil(columns / side);
}

export interface WeightGradientRequest {
  readonly label: string;
  /** [rows, columns]: the gradient of the layer's output */
  readonly a: Slot;
  /** [rows, inner]: the layer's input */
  readonly b: Slot;
  /** [columns, inner], += */
  readonly out: Slot;
  readonly columns: number;
  readonly inner: number;
  readonly aStride?: number;
  readonly bStride?: number;
  readonly rows: { readonly begin: CountEntry; readonly end: CountEntry };
  readonly aIsChunk?: boolean;
}

/** Records a product in the TN form. */
export function recordWeightGradient(recorder: Recorder, request: WeightGradientRequest): void {
  const { label, a, b, out, columns, inner, rows } = request;
  const aStride = request.aStride ?? columns;
  const bStride = request.bStride ?? inner;
  const vectors = startsOnVectors([a, b, out], [columns, inner, aStride, bStride]);
  const rowCount = (): number => Math.max(0, rows.end.value - rows.begin.value);
  const side = tileCount(columns, inner, 64) >= LEAST_TILES ? 16 : 8;
  const { code, tile } =
    recorder.context.tiling === 'registers'
      ? { code: registerWeightGradient(vectors), tile: 32 }
      : { code: tiledWeightGradient(vectors, side), tile: 4 * side };
  recorder.dispatch({
    label: `${label} TN`,
    operands: { a: read(a), b: read(b), out: write(out) },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { columns, inner, a_stride: aStride, b_stride: bStride, a_shift: request.aIsChunk ? 1 : 0 },
    vectors,
    code,
    workgroups: () => (rowCount() === 0 ? [0, 0] : [Math.ceil(inner / tile), Math.ceil(columns / tile)]),
    work: () => rowCount() * columns * inner,
  });
}
