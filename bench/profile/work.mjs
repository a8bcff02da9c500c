/**
 * What each recorded command has to do: operations of its products, and bytes that it must read and write. Arguments are in
 * the order of src/kernels/wasm/kernel_arguments.ts.
 *
 * Bytes count each operand once; of attention only rows, not the keys, which stay in a cache.
 */
import { Command } from '../../build/src/kernels/wasm/assembly/commands.js';

const product = (rows, inputs, outputs) => 2 * rows * inputs * outputs;

/** By kernel: (arguments, rows, pairs, calls) → what it is applied to, for the table, with `flop` and `floats`. */
const WORK = {
  embedding: (a, rows) => ({ floats: 2 * rows * a[4] }),
  embeddingBackward: () => ({ floats: 0 }),
  rmsNorm: (a, rows) => ({ floats: 2 * rows * a[4] }),
  rmsNormBackward: (a, rows) => ({ floats: 4 * rows * a[4] }),
  linear: (a, rows, _, calls) => matrixWork(rows, a[4], a[5], calls, a[8] !== 0),
  linearInputGradient: (a, rows, _, calls) => matrixWork(rows, a[4], a[5], calls, a[8] !== 0),
  linearWeightGradient: (a, rows, _, calls) => ({
    shape: `${a[5]}→${a[4]}`,
    flop: product(rows, a[4], a[5]),
    floats: rows * (a[4] + a[5]) + calls * 2 * a[4] * a[5],
  }),
  rotary: (a, rows) => ({ floats: 2 * rows * (a[9] + 2 * a[10]) * a[11] }),
  rotaryBackward: (a, rows) => ({ floats: 2 * rows * (a[9] + 2 * a[10]) * a[11] }),
  attention: (a, rows, pairs) => ({ flop: 4 * pairs * a[5] * a[7], floats: 2 * rows * a[5] * a[7] }),
  attentionBackward: (a, rows, pairs) => ({ flop: 10 * pairs * a[5] * a[7], floats: 6 * rows * a[5] * a[7] }),
  swiglu: (a, rows) => ({ floats: 3 * rows * a[3] }),
  swigluBackward: (a, rows) => ({ floats: 5 * rows * a[3] }),
  gatherRows: (a, rows) => ({ floats: 2 * rows * a[4] }),
  gatherRowsBackward: (a, rows) => ({ floats: rows * a[4] }),
  linearLogprob: (a, rows, _, calls) => headWork(rows, a, calls, 1),
  linearLogprobBackward: (a, rows, _, calls) => headWork(rows, a, calls, a[14] === 0 ? 2 : 3),
  sample: (a, rows, _, calls) => headWork(rows, a, calls, 1),
  groupAdvantages: () => ({ floats: 0 }),
  policyObjective: (_, rows) => ({ floats: 10 * rows }),
  gradientNorm: (a, _rows, _pairs, calls) => ({ floats: calls * a[0] }),
  adamw: (a, _rows, _pairs, calls) => ({ floats: 7 * calls * a[0] }),
  fill: (a, rows) => ({ floats: rows * a[3] }),
  add: (a, _rows, _pairs, calls) => ({ floats: 3 * calls * a[0] }),
  copy: (a, _rows, _pairs, calls) => ({ floats: 2 * calls * a[0] }),
  packWeight: (a, _rows, _pairs, calls) => ({
    shape: `${a[2]}→${a[1]}`,
    floats: calls * a[1] * a[2] * (1 + (a[3] !== 0) + (a[4] !== 0)),
  }),
  mix: (a, _rows, _pairs, calls) => ({ floats: 3 * calls * a[0] }),
  scale: (a, rows) => ({ floats: 2 * rows * a[3] }),
};

function matrixWork(rows, inputs, outputs, calls, adds) {
  return {
    shape: `${inputs}→${outputs}`,
    flop: product(rows, inputs, outputs),
    floats: rows * (inputs + outputs * (adds ? 2 : 1)) + calls * inputs * outputs,
  };
}

function headWork(rows, [, , , , hidden, vocabulary], calls, products) {
  return {
    shape: `${hidden}→${vocabulary}`,
    flop: products * product(rows, hidden, vocabulary),
    floats: 2 * rows * hidden + calls * products * hidden * vocabulary,
  };
}

/** @returns name of kernel and shape, `flop` and `bytes` of all counted calls */
export function workOf({ kernel, args }, { rows, pairs, calls }) {
  const name = Command[kernel];
  const { shape, flop = 0, floats } = WORK[name](args, rows, pairs, calls);
  return { kernel: shape === undefined ? name : `${name} ${shape}`, flop, bytes: 4 * floats };
}
