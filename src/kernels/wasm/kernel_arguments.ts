/**
 * The arguments of each kernel's command, in the order in which its assembly reads them (`assembly/`): addresses, sizes, and
 * counts that are read at replay. 0 stands for an operand that is not there.
 */
import { BackendError } from '../../errors.ts';
import { columnsOf } from '../columns.ts';
import type { Heads, KernelName, Kernels, ScaleRewards } from '../kernels.ts';
import type { Count, MatrixUse, Rows, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import { LONGEST_TOGETHER, PACKED, STORED_LENGTH } from './assembly/sizes.ts';
import type { Layout } from './layout.ts';
import { matrixShape } from './layout.ts';

/** An integer or address, a float, or a count that is read at replay. */
export type Argument = number | { readonly float: number } | { readonly countAt: number };

/** A matrix as a kernel reads it: where, and in which form (`assembly/sizes.ts`). */
export interface MatrixOperand {
  readonly address: number;
  readonly form: number;
}

/** Where operands lie, and what a program is known to use and to change. */
export interface Places {
  readonly layout: Layout;
  /** Address of an element; 0 for no slot. */
  at(slot: Slot | undefined, element?: number): number;
  /** Addresses of several. */
  all(...slots: readonly (Slot | undefined)[]): readonly number[];
  count(value: Count): Argument;
  /** First row, and the one past the last. */
  range(rows: Rows): readonly [Argument, Argument];
  /** A matrix, whose panels must be fresh where it is packed. @throws BackendError where it is not planned for this use */
  weight(slot: Slot, use: MatrixUse): MatrixOperand;
  /** Address and form of a table whose rows are read one by one. */
  table(slot: Slot): readonly [address: number, form: number];
  /** Address and form of keys and values. @throws BackendError where they are kept in another way than attention reads */
  kept(slot: Slot): readonly [address: number, form: number];
  /** Addresses of rows that are only moved, and bytes of each. @throws BackendError where they are not kept alike */
  moved(from: Slot, to: Slot): { readonly from: number; readonly to: number; readonly rowBytes: number };
  /** @throws BackendError in a plan that is forward only */
  gradientSpace(): number;
  /** The program changes what may be packed. */
  changes(slot: Slot): void;
}

type KernelArguments = {
  readonly [Name in KernelName]: (args: Parameters<Kernels[Name]>[0], places: Places) => readonly Argument[];
};

const SCALE_CODES: Record<ScaleRewards, number> = { group: 0, batch: 1, none: 2 };

const width = (slot: Slot): number => slot.shape[slot.shape.length - 1] ?? 1;
const rowWidth = (slot: Slot): number => slotLength(slot) / Math.max(1, slot.shape[0] ?? 1);
const headsOf = ({ numHeads, numKvHeads, headDim }: Heads): readonly number[] => [numHeads, numKvHeads, headDim];

/** What kernels begin with that make logits. */
function headOperands(
  a: Pick<Parameters<Kernels['sample']>[0], 'rows' | 'hidden' | 'weight'>,
  { all, range, weight }: Places,
): readonly Argument[] {
  const [vocabSize, hiddenSize] = matrixShape(a.weight);
  return [...range(a.rows), ...all(a.hidden), weight(a.weight, 'forward').address, hiddenSize, vocabSize];
}

/** What is added to must still be there at the end. @throws BackendError where sums of `length` products go there in parts */
function requireOneSum(kernel: KernelName, form: number, length: number): void {
  const part = form === PACKED ? LONGEST_TOGETHER : STORED_LENGTH;
  if (length <= part) return;
  const kind = form === PACKED ? 'packed' : 'stored';
  const rule = `sums of ${length} products of a ${kind} matrix go to the slot that they are added to in parts of ${part} at most`;
  throw new BackendError('operand-overlap', `${kernel}: ${rule}; add from another slot.`);
}

export const KERNEL_ARGUMENTS: KernelArguments = {
  embedding: (a, { all, range, table }) => {
    const [address, form] = table(a.table);
    return [...range(a.rows), ...all(a.tokens), address, width(a.table), ...all(a.out), form];
  },
  embeddingBackward: (a, { all, count }) => [
    count(a.buckets),
    ...all(a.dOut, a.sortedRows, a.bucketTokens, a.bucketOffsets),
    width(a.dTable),
    ...all(a.dTable),
  ],
  rmsNorm: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.x, a.weight),
    width(a.x),
    ...all(a.out, a.rstd),
    { float: a.eps },
  ],
  rmsNormBackward: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.x, a.weight),
    width(a.x),
    ...all(a.rstd, a.dOut, a.dX, a.dWeight),
  ],
  linear: (a, { at, all, range, weight }) => {
    const [outputs, inputs] = matrixShape(a.weight);
    const { begin, stride } = columnsOf('linear.out', a.out, a.firstColumn, outputs);
    const x = columnsOf('linear.x', a.x, a.firstInput, inputs);
    const { address, form } = weight(a.weight, 'forward');
    if (a.residual !== undefined && at(a.residual) === at(a.out)) requireOneSum('linear', form, inputs);
    return [
      ...range(a.rows),
      at(a.x, x.begin),
      address,
      inputs,
      outputs,
      at(a.out, begin),
      ...all(a.bias),
      at(a.residual, begin),
      stride,
      x.stride,
      form,
    ];
  },
  linearInputGradient: (a, { at, range, weight }) => {
    const [outputs, inputs] = matrixShape(a.weight);
    const { begin, stride } = columnsOf('linearInputGradient.dOut', a.dOut, a.firstColumn, outputs);
    const dX = columnsOf('linearInputGradient.dX', a.dX, a.firstInput, inputs);
    const { address, form } = weight(a.weight, 'backward');
    if (a.accumulate) requireOneSum('linearInputGradient', form, outputs);
    return [
      ...range(a.rows),
      at(a.dOut, begin),
      address,
      outputs,
      inputs,
      at(a.dX, dX.begin),
      stride,
      a.accumulate ? at(a.dX, dX.begin) : 0,
      dX.stride,
      form,
    ];
  },
  linearWeightGradient: (a, { at, all, range, gradientSpace }) => {
    const [outputs, inputs] = matrixShape(a.dWeight);
    const { begin, stride } = columnsOf('linearWeightGradient.dOut', a.dOut, a.firstColumn, outputs);
    const x = columnsOf('linearWeightGradient.x', a.x, a.firstInput, inputs);
    return [
      ...range(a.rows),
      at(a.dOut, begin),
      at(a.x, x.begin),
      outputs,
      inputs,
      ...all(a.dWeight, a.dBias),
      gradientSpace(),
      stride,
      x.stride,
    ];
  },
  scaleColumns: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.x, a.scale),
    width(a.x),
    ...all(a.out, a.bias, a.residual),
  ],
  magnitudeScale: (a, { at, all }) => [
    ...a.loraB.shape,
    ...all(a.magnitude, a.baseNorms, a.loraB),
    at(a.products, a.firstInput * width(a.products) + a.firstColumn),
    width(a.products),
    at(a.gram, a.firstInput * width(a.gram) + a.firstInput),
    width(a.gram),
    { float: a.factor },
    at(a.scale),
  ],
  magnitudeGradient: (a, { at, all, range }) => [
    ...range(a.rows),
    at(a.dOut, a.firstColumn),
    at(a.out, a.firstColumn),
    at(a.bias, a.firstColumn),
    at(a.residual, a.firstColumn),
    width(a.dOut),
    slotLength(a.magnitude),
    ...all(a.magnitude, a.dMagnitude),
  ],
  rotary: (a, { all, range, kept }) => {
    const [kv, form] = kept(a.kv);
    return [
      ...range(a.rows),
      ...all(a.qkv, a.positions, a.cos, a.sin, a.kvRows, a.q),
      kv,
      ...headsOf(a.heads),
      { float: a.eps },
      ...all(a.qNorm, a.kNorm),
      form,
    ];
  },
  rotaryBackward: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.qkv, a.positions, a.cos, a.sin, a.kvRows, a.dQ, a.dKv),
    ...headsOf(a.heads),
    { float: a.eps },
    ...all(a.qNorm, a.kNorm, a.dQkv, a.dQNorm, a.dKNorm),
  ],
  attention: (a, { all, at, range, kept }) => {
    const [kv, form] = kept(a.kv);
    return [
      ...range(a.rows),
      ...[at(a.q), kv, at(a.intervals)],
      ...headsOf(a.heads),
      { float: a.scale },
      ...all(a.out, a.logSumExp),
      form,
    ];
  },
  attentionBackward: (a, { all, at, count, kept }) => {
    const [kv, form] = kept(a.kv);
    return [
      count(a.prefixGroupCount),
      ...[at(a.prefixGroups), at(a.q), kv, at(a.intervals)],
      ...headsOf(a.heads),
      { float: a.scale },
      ...all(a.out, a.logSumExp, a.dOut, a.dQ, a.dKv),
      form,
    ];
  },
  swiglu: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.gateUp),
    width(a.out),
    ...all(a.out),
    a.activation === 'gelu_tanh' ? 1 : 0,
  ],
  swigluBackward: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.gateUp),
    width(a.dOut),
    ...all(a.dOut, a.dGateUp),
    a.activation === 'gelu_tanh' ? 1 : 0,
  ],
  gatherRows: (a, { all, at, range, moved }) => {
    const { from, to, rowBytes } = moved(a.x, a.out);
    return [...range(a.rows), from, at(a.index), rowBytes, to, ...all(a.places)];
  },
  gatherRowsBackward: (a, { all, range }) => [...range(a.rows), ...all(a.dOut, a.offsets), width(a.dX), ...all(a.dX)],
  linearLogprob: (a, places) => [
    ...headOperands(a, places),
    ...places.all(a.targets, a.temperature, a.logprobs, a.logSumExp, a.entropies),
    places.layout.logitRows,
    places.weight(a.weight, 'forward').form,
  ],
  linearLogprobBackward: (a, places) => [
    ...headOperands(a, places),
    ...places.all(a.targets, a.temperature, a.logSumExp, a.entropies, a.dLogprobs, a.dEntropies),
    places.weight(a.weight, 'backward').address,
    ...places.all(a.dHidden, a.dWeight),
    places.layout.logitSpace,
    places.gradientSpace(),
    places.weight(a.weight, 'forward').form,
    places.weight(a.weight, 'backward').form,
  ],
  sample: (a, places) => [
    ...headOperands(a, places),
    ...places.all(a.sampling, a.key, a.rolloutNumbers, a.counters),
    ...places.all(a.tokens, a.logprobs, a.entropies, a.keptLogMass),
    places.layout.logitRows,
    places.weight(a.weight, 'forward').form,
  ],
  groupAdvantages: (a, { all, count }) => [
    count(a.groups),
    ...all(a.rewards, a.offsets),
    SCALE_CODES[a.scale],
    ...all(a.advantages, a.dead),
  ],
  policyObjective: (a, { all, range }) => [
    ...range(a.rows),
    ...all(a.logprobs, a.oldLogprobs, a.refLogprobs, a.entropies, a.advantages),
    ...all(a.coefficients, a.entropyCoefficients, a.settings, a.losses, a.dLogprobs, a.dEntropies),
  ],
  gradientNorm: (a, { all }) => [slotLength(a.gradients), ...all(a.gradients, a.partials, a.norm)],
  adamw: (a, { all, changes }) => {
    changes(a.parameters);
    return [
      slotLength(a.parameters),
      ...all(a.parameters, a.gradients, a.firstMoment, a.secondMoment, a.norm, a.settings),
      a.decayLength,
    ];
  },
  muon: (a, { all, changes }) => {
    changes(a.parameters);
    return [
      a.matrices.length,
      ...all(a.parameters, a.gradients, a.firstMoment, a.norm, a.settings),
      ...a.matrices.flatMap((matrix) => [matrix.begin, matrix.rows, matrix.columns]),
    ];
  },
  fill: (a, { at, range, changes }) => {
    changes(a.out);
    const rows = a.rows ?? { begin: 0, end: a.out.shape[0] ?? 1 };
    return [...range(rows), at(a.out), rowWidth(a.out), a.out.dtype === 'int' ? a.value : { float: a.value }];
  },
  add: (a, { all, changes }) => {
    changes(a.out);
    return [slotLength(a.x), ...all(a.x, a.out)];
  },
  copy: (a, { all, changes }) => {
    changes(a.out);
    return [slotLength(a.x), ...all(a.x, a.out)];
  },
  scale: (a, { at, range, changes }) => {
    changes(a.out);
    return [...range(a.rows), at(a.out), rowWidth(a.out), { float: a.factor }];
  },
  mix: (a, { all, changes }) => {
    changes(a.out);
    return [slotLength(a.x), ...all(a.x, a.share, a.out)];
  },
};
