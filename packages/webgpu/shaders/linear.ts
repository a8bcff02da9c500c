/**
 * Linear layers and their gradients as matrix products (matmul.ts). Formulas and shapes: kernels.ts (linear).
 *
 * A weight that is larger than what one kernel can see of a buffer is cut into pieces of whole outputs.
 */
import { columnsOf } from '../../../src/kernels/columns.ts';
import type { LinearArgs, LinearInputGradientArgs, LinearWeightGradientArgs } from '../../../src/kernels/kernels.ts';
import type { Slot } from '../../../src/kernels/memory.ts';
import type { Recorder } from '../recorder.ts';
import { read, widthOf, write } from '../recorder.ts';
import { foldInOrder } from './math.ts';
import { recordProduct, recordWeightGradient, SEGMENT } from './matmul.ts';

/** out = x·weightᵀ (+ bias) (+ residual) */
export function linear(recorder: Recorder, args: LinearArgs): void {
  const { x, weight, bias, residual, out } = args;
  const columns = columnsOf('linear.out', out, args.firstColumn, weight.shape[0] ?? 0);
  const inputs = columnsOf('linear.x', x, args.firstInput, widthOf(weight));
  const shared = {
    label: 'linear',
    form: 'NT',
    a: fromColumn(x, inputs.begin),
    inner: widthOf(weight),
    aStride: inputs.stride,
    outStride: columns.stride,
  } as const;
  for (const { begin, end, slot } of recorder.pieces(weight, SEGMENT)) {
    recordProduct(recorder, {
      ...shared,
      b: slot,
      out: fromColumn(out, columns.begin + begin),
      bias: bias && fromColumn(bias, begin),
      residual: residual && fromColumn(residual, columns.begin + begin),
      columns: end - begin,
      rows: recorder.rows(args.rows),
    });
  }
}

/** dX = dOut·weight, or dX += dOut·weight */
export function linearInputGradient(recorder: Recorder, args: LinearInputGradientArgs): void {
  const { dOut, weight, dX, accumulate = false, rows } = args;
  const columns = columnsOf('linearInputGradient.dOut', dOut, args.firstColumn, weight.shape[0] ?? 0);
  const inputs = columnsOf('linearInputGradient.dX', dX, args.firstInput, widthOf(weight));
  for (const { begin, end, slot } of recorder.pieces(weight, SEGMENT)) {
    recordProduct(recorder, {
      label: 'linearInputGradient',
      form: 'NN',
      a: fromColumn(dOut, columns.begin + begin),
      b: slot,
      out: fromColumn(dX, inputs.begin),
      accumulate: accumulate || begin > 0,
      inner: end - begin,
      columns: widthOf(weight),
      aStride: columns.stride,
      outStride: inputs.stride,
      rows: recorder.rows(rows),
    });
  }
}

/** dWeight += dOutᵀ·x;  dBias += Σ_r dOut[r] */
export function linearWeightGradient(recorder: Recorder, args: LinearWeightGradientArgs): void {
  const { dOut, x, dWeight, dBias } = args;
  const columns = columnsOf('linearWeightGradient.dOut', dOut, args.firstColumn, dWeight.shape[0] ?? 0);
  const inputs = columnsOf('linearWeightGradient.x', x, args.firstInput, widthOf(dWeight));
  const rows = recorder.rows(args.rows);
  for (const { begin, end, slot } of recorder.pieces(dWeight, SEGMENT)) {
    recordWeightGradient(recorder, {
      label: 'linearWeightGradient',
      a: fromColumn(dOut, columns.begin + begin),
      b: fromColumn(x, inputs.begin),
      out: slot,
      columns: end - begin,
      inner: widthOf(dWeight),
      aStride: columns.stride,
      bStride: inputs.stride,
      rows,
    });
  }
  if (dBias !== undefined) {
    const x = fromColumn(dOut, columns.begin);
    recordColumnSums(recorder, { x, stride: columns.stride, sums: dBias, rows });
  }
}

/** The slot from a column of its first row on; its last row is cut short by as much. */
export function fromColumn(slot: Slot, column: number): Slot {
  if (column === 0) return slot;
  const length = slot.shape.reduce((product, size) => product * size, 1);
  return { ...slot, offset: slot.offset + column, shape: [length - column] };
}

interface ColumnSumsRequest {
  readonly x: Slot;
  /** Elements from one row of `x` to the next. */
  readonly stride: number;
  /** [columns], += */
  readonly sums: Slot;
  readonly rows: ReturnType<Recorder['rows']>;
}

/** sums[c] += Σ_r x[r, c], row after row; one thread per column. */
function recordColumnSums(recorder: Recorder, { x, stride, sums, rows }: ColumnSumsRequest): void {
  const width = widthOf(sums);
  recorder.dispatch({
    label: 'column sums',
    operands: { x: read(x), sums: write(sums) },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { width, stride },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.width) { return; }
  var sum = load_sums(id.x);
  ${foldInOrder({ index: 'r', from: 'begin()', to: 'end()', loads: { x: 'load_x(r * P.stride + id.x)' }, fold: 'sum += x;' })}
  store_sums(id.x, sum);
}`,
    workgroups: () => (rows.end.value > rows.begin.value ? [Math.ceil(width / 64), 1] : [0, 0]),
    work: () => (rows.end.value - rows.begin.value) * width,
  });
}
