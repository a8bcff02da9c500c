/**
 * The arguments of each kernel's command, in the order in which its assembly reads them (`assembly/`): addresses, sizes, and
 * counts that are read at replay. 0 stands for an operand that is not there.
 */
import { columnsOf } from '../columns.ts';
import type { KernelName, Kernels, ScaleRewards } from '../kernels.ts';
import type { Count, MatrixUse, Rows, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import type { Layout, PackedWeight } from './layout.ts';
import { matrixShape } from './layout.ts';

/** An integer or address, a float, or a count that is read at replay. */
export type Argument = number | { readonly float: number } | { readonly countAt: number };

/** Where operands lie, and what a program is known to use and to change. */
export interface Places {
  readonly layout: Layout;
  /** Address of an element; 0 for no slot. */
  at(slot: Slot | undefined, element?: number): number;
  count(value: Count): Argument;
  /** First row, and the one past the last. */
  range(rows: Rows): readonly [Argument, Argument];
  /** The packed forms of a matrix, which must be fresh. @throws BackendError where it is not planned for these uses */
  weight(slot: Slot, ...uses: readonly MatrixUse[]): PackedWeight;
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

export const KERNEL_ARGUMENTS: KernelArguments = {
  embedding: (a, { at, range }) => [...range(a.rows), at(a.tokens), at(a.table), width(a.table), at(a.out)],
  embeddingBackward: (a, { at, count }) => [
    count(a.buckets),
    at(a.dOut),
    at(a.sortedRows),
    at(a.bucketTokens),
    at(a.bucketOffsets),
    width(a.dTable),
    at(a.dTable),
  ],
  rmsNorm: (a, { at, range }) => [
    ...range(a.rows),
    at(a.x),
    at(a.weight),
    width(a.x),
    at(a.out),
    at(a.rstd),
    { float: a.eps },
  ],
  rmsNormBackward: (a, { at, range }) => [
    ...range(a.rows),
    at(a.x),
    at(a.weight),
    width(a.x),
    at(a.rstd),
    at(a.dOut),
    at(a.dX),
    at(a.dWeight),
  ],
  linear: (a, { at, range, weight }) => {
    const [outputs, inputs] = matrixShape(a.weight);
    const { begin, stride } = columnsOf('linear.out', a.out, a.firstColumn, outputs);
    const x = columnsOf('linear.x', a.x, a.firstInput, inputs);
    return [
      ...range(a.rows),
      at(a.x, x.begin),
      weight(a.weight, 'forward').byOutput,
      inputs,
      outputs,
      at(a.out, begin),
      at(a.bias),
      at(a.residual, begin),
      stride,
      x.stride,
    ];
  },
  linearInputGradient: (a, { at, range, weight }) => {
    const [outputs, inputs] = matrixShape(a.weight);
    const { begin, stride } = columnsOf('linearInputGradient.dOut', a.dOut, a.firstColumn, outputs);
    const dX = columnsOf('linearInputGradient.dX', a.dX, a.firstInput, inputs);
    return [
      ...range(a.rows),
      at(a.dOut, begin),
      weight(a.weight, 'backward').byInput,
      outputs,
      inputs,
      at(a.dX, dX.begin),
      stride,
      a.accumulate ? at(a.dX, dX.begin) : 0,
      dX.stride,
    ];
  },
  linearWeightGradient: (a, { at, range, gradientSpace }) => {
    const [outputs, inputs] = matrixShape(a.dWeight);
    const { begin, stride } = columnsOf('linearWeightGradient.dOut', a.dOut, a.firstColumn, outputs);
    const x = columnsOf('linearWeightGradient.x', a.x, a.firstInput, inputs);
    return [
      ...range(a.rows),
      at(a.dOut, begin),
      at(a.x, x.begin),
      outputs,
      inputs,
      at(a.dWeight),
      at(a.dBias),
      gradientSpace(),
      stride,
      x.stride,
    ];
  },
  rotary: (a, { at, range }) => [
    ...range(a.rows),
    at(a.qkv),
    at(a.positions),
    at(a.cos),
    at(a.sin),
    at(a.kvRows),
    at(a.q),
    at(a.kv),
    a.heads.numHeads,
    a.heads.numKvHeads,
    a.heads.headDim,
    { float: a.eps },
    at(a.qNorm),
    at(a.kNorm),
  ],
  rotaryBackward: (a, { at, range }) => [
    ...range(a.rows),
    at(a.qkv),
    at(a.positions),
    at(a.cos),
    at(a.sin),
    at(a.kvRows),
    at(a.dQ),
    at(a.dKv),
    a.heads.numHeads,
    a.heads.numKvHeads,
    a.heads.headDim,
    { float: a.eps },
    at(a.qNorm),
    at(a.kNorm),
    at(a.dQkv),
    at(a.dQNorm),
    at(a.dKNorm),
  ],
  attention: (a, { at, range }) => [
    ...range(a.rows),
    at(a.q),
    at(a.kv),
    at(a.intervals),
    a.heads.numHeads,
    a.heads.numKvHeads,
    a.heads.headDim,
    { float: a.scale },
    at(a.out),
    at(a.logSumExp),
  ],
  attentionBackward: (a, { at, count }) => [
    count(a.prefixGroupCount),
    at(a.prefixGroups),
    at(a.q),
    at(a.kv),
    at(a.intervals),
    a.heads.numHeads,
    a.heads.numKvHeads,
    a.heads.headDim,
    { float: a.scale },
    at(a.out),
    at(a.logSumExp),
    at(a.dOut),
    at(a.dQ),
    at(a.dKv),
  ],
  swiglu: (a, { at, range }) => [...range(a.rows), at(a.gateUp), width(a.out), at(a.out)],
  swigluBackward: (a, { at, range }) => [...range(a.rows), at(a.gateUp), width(a.dOut), at(a.dOut), at(a.dGateUp)],
  gatherRows: (a, { at, range }) => [...range(a.rows), at(a.x), at(a.index), width(a.x), at(a.out)],
  gatherRowsBackward: (a, { at, range }) => [...range(a.rows), at(a.dOut), at(a.offsets), width(a.dX), at(a.dX)],
  linearLogprob: (a, { at, range, weight, layout }) => {
    const [vocabSize, hiddenSize] = matrixShape(a.weight);
    return [
      ...range(a.rows),
      at(a.hidden),
      weight(a.weight, 'forward').byOutput,
      hiddenSize,
      vocabSize,
      at(a.targets),
      at(a.temperature),
      at(a.logprobs),
      at(a.logSumExp),
      at(a.entropies),
      layout.logitRows,
    ];
  },
  linearLogprobBackward: (a, { at, range, weight, gradientSpace, layout }) => {
    const [vocabSize, hiddenSize] = matrixShape(a.weight);
    const packed = weight(a.weight, 'forward', 'backward');
    return [
      ...range(a.rows),
      at(a.hidden),
      packed.byOutput,
      hiddenSize,
      vocabSize,
      at(a.targets),
      at(a.temperature),
      at(a.logSumExp),
      at(a.entropies),
      at(a.dLogprobs),
      at(a.dEntropies),
      packed.byInput,
      at(a.dHidden),
      at(a.dWeight),
      layout.logitSpace,
      gradientSpace(),
    ];
  },
  sample: (a, { at, range, weight, layout }) => {
    const [vocabSize, hiddenSize] = matrixShape(a.weight);
    return [
      ...range(a.rows),
      at(a.hidden),
      weight(a.weight, 'forward').byOutput,
      hiddenSize,
      vocabSize,
      at(a.sampling),
      at(a.key),
      at(a.rolloutNumbers),
      at(a.counters),
      at(a.tokens),
      at(a.logprobs),
      at(a.entropies),
      at(a.keptLogMass),
      layout.logitRows,
    ];
  },
  groupAdvantages: (a, { at, count }) => [
    count(a.groups),
    at(a.rewards),
    at(a.offsets),
    SCALE_CODES[a.scale],
    at(a.advantages),
    at(a.dead),
  ],
  policyObjective: (a, { at, range }) => [
    ...range(a.rows),
    at(a.logprobs),
    at(a.oldLogprobs),
    at(a.refLogprobs),
    at(a.entropies),
    at(a.advantages),
    at(a.coefficients),
    at(a.entropyCoefficients),
    at(a.settings),
    at(a.losses),
    at(a.dLogprobs),
    at(a.dEntropies),
  ],
  gradientNorm: (a, { at }) => [slotLength(a.gradients), at(a.gradients), at(a.partials), at(a.norm)],
  adamw: (a, { at, changes }) => {
    changes(a.parameters);
    return [
      slotLength(a.parameters),
      at(a.parameters),
      at(a.gradients),
      at(a.firstMoment),
      at(a.secondMoment),
      at(a.norm),
      at(a.settings),
      a.decayLength,
    ];
  },
  fill: (a, { at, range, changes }) => {
    changes(a.out);
    const first = a.out.shape[0] ?? 1;
    const rows = a.rows ?? { begin: 0, end: first };
    return [
      ...range(rows),
      at(a.out),
      slotLength(a.out) / Math.max(1, first),
      a.out.dtype === 'int' ? a.value : { float: a.value },
    ];
  },
  add: (a, { at, changes }) => {
    changes(a.out);
    return [slotLength(a.x), at(a.x), at(a.out)];
  },
  copy: (a, { at, changes }) => {
    changes(a.out);
    return [slotLength(a.x), at(a.x), at(a.out)];
  },
  scale: (a, { at, range, changes }) => {
    changes(a.out);
    const width = slotLength(a.out) / Math.max(1, a.out.shape[0] ?? 1);
    return [...range(a.rows), at(a.out), width, { float: a.factor }];
  },
  mix: (a, { at, changes }) => {
    changes(a.out);
    return [slotLength(a.x), at(a.x), at(a.share), at(a.out)];
  },
};
