/**
 * Shape and type of every operand of every kernel, as kernels.ts states them. A letter has one value within a
 * call; `rows` and counts name the dimension that bounds them. Completeness is checked by the types.
 */
import { columnsOf } from '../columns.ts';
import type { Heads, KernelName, Kernels } from '../kernels.ts';
import { ADAMW, GRADIENT_NORM_BLOCK, OBJECTIVE, SAMPLING } from '../kernels.ts';
import type { MatrixUse, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import type { OperandRule, Rules, Size } from './operands.ts';

type RulesOf<Name extends KernelName> = (args: Parameters<Kernels[Name]>[0]) => Rules<Parameters<Kernels[Name]>[0]>;

function real(...shape: readonly Size[]): OperandRule {
  return { dtype: 'real', shape };
}

function int(...shape: readonly Size[]): OperandRule {
  return { dtype: 'int', shape };
}

function matrix(uses: readonly MatrixUse[], ...shape: readonly Size[]): OperandRule {
  return { dtype: 'real', shape, uses };
}

/** [N, out] where no column is named, else [N, stride] with room for the weight's outputs from `firstColumn` on. */
function columns(owner: string, slot: Slot, firstColumn: number | undefined, weight: Slot): OperandRule {
  columnsOf(owner, slot, firstColumn, weight.shape[0]);
  return real('N', firstColumn === undefined ? 'out' : 'stride');
}

/** The same for a weight's inputs: [N, in], or [N, inputStride]. */
function inputs(owner: string, slot: Slot, firstInput: number | undefined, weight: Slot): OperandRule {
  columnsOf(owner, slot, firstInput, weight.shape[1]);
  return real('N', firstInput === undefined ? 'in' : 'inputStride');
}

/** The type and number of elements of another slot, whatever its shape. */
function elementsOf(slot: Slot): OperandRule {
  return { dtype: slot.dtype, elements: slotLength(slot) };
}

/** Widths of a row's queries, of its keys (or values), and of half a head. */
function widths({ numHeads: H, numKvHeads: HK, headDim: hd }: Heads): { Q: number; K: number; half: number } {
  return { Q: H * hd, K: HK * hd, half: hd / 2 };
}

function rotaryInputs(heads: Heads) {
  const { Q, K, half } = widths(heads);
  return {
    qkv: real('N', Q + 2 * K),
    positions: int('N'),
    cos: real('positions', half),
    sin: real('positions', half),
    kvRows: int('N'),
    qNorm: real(2 * half),
    kNorm: real(2 * half),
    rows: 'N',
  };
}

function attentionInputs(heads: Heads) {
  const { Q, K } = widths(heads);
  return {
    q: real('N', Q),
    kv: real('capacity', 2 * K),
    intervals: int('N', 2, 2),
    out: real('N', Q),
    logSumExp: real('N', heads.numHeads),
  };
}

const linearLogprobInputs = {
  hidden: real('R', 'D'),
  weight: matrix(['forward'], 'V', 'D'),
  targets: int('R'),
  temperature: real(1),
  logSumExp: real('R'),
  entropies: real('R'),
  rows: 'R',
};

export const operandRules: { readonly [Name in KernelName]: RulesOf<Name> } = {
  embedding: () => ({ tokens: int('N'), table: real('V', 'D'), out: real('N', 'D'), rows: 'N' }),
  embeddingBackward: () => ({
    dOut: real('N', 'D'),
    sortedRows: int('N'),
    bucketTokens: int('buckets'),
    bucketOffsets: int('buckets+1'),
    buckets: 'buckets',
    dTable: real('V', 'D'),
  }),
  rmsNorm: () => ({ x: real('N', 'D'), weight: real('D'), out: real('N', 'D'), rstd: real('N'), rows: 'N' }),
  rmsNormBackward: () => ({
    x: real('N', 'D'),
    weight: real('D'),
    rstd: real('N'),
    dOut: real('N', 'D'),
    dX: real('N', 'D'),
    dWeight: real('D'),
    rows: 'N',
  }),
  linear: ({ x, weight, out, firstColumn, firstInput }) => {
    const result = columns('linear.out', out, firstColumn, weight);
    return {
      x: inputs('linear.x', x, firstInput, weight),
      weight: matrix(['forward'], 'out', 'in'),
      bias: real('out'),
      residual: result,
      out: result,
      rows: 'N',
    };
  },
  linearInputGradient: ({ dOut, weight, dX, firstColumn, firstInput }) => ({
    dOut: columns('linearInputGradient.dOut', dOut, firstColumn, weight),
    weight: matrix(['backward'], 'out', 'in'),
    dX: inputs('linearInputGradient.dX', dX, firstInput, weight),
    rows: 'N',
  }),
  linearWeightGradient: ({ dOut, x, dWeight, firstColumn, firstInput }) => ({
    dOut: columns('linearWeightGradient.dOut', dOut, firstColumn, dWeight),
    x: inputs('linearWeightGradient.x', x, firstInput, dWeight),
    dWeight: real('out', 'in'),
    dBias: real('out'),
    rows: 'N',
  }),
  scaleColumns: () => ({
    x: real('N', 'out'),
    scale: real('out'),
    bias: real('out'),
    residual: real('N', 'out'),
    out: real('N', 'out'),
    rows: 'N',
  }),
  magnitudeScale: ({ products, firstColumn, loraB, gram, firstInput }) => {
    columnsOf('magnitudeScale.products', products, firstColumn, loraB.shape[0]);
    columnsOf('magnitudeScale.gram', gram, firstInput, loraB.shape[1]);
    return {
      magnitude: real('out'),
      baseNorms: real('out'),
      loraB: real('out', 'r'),
      products: real('inner', 'stride'),
      gram: real('inner', 'inner'),
      scale: real('out'),
    };
  },
  magnitudeGradient: ({ dOut, firstColumn, magnitude }) => {
    columnsOf('magnitudeGradient.dOut', dOut, firstColumn, magnitude.shape[0]);
    return {
      dOut: real('N', 'stride'),
      out: real('N', 'stride'),
      bias: real('stride'),
      residual: real('N', 'stride'),
      magnitude: real('out'),
      dMagnitude: real('out'),
      rows: 'N',
    };
  },
  rotary: ({ heads }) => ({
    ...rotaryInputs(heads),
    q: real('N', widths(heads).Q),
    kv: real('capacity', 2 * widths(heads).K),
  }),
  rotaryBackward: ({ heads }) => ({
    ...rotaryInputs(heads),
    dQ: real('N', widths(heads).Q),
    dKv: real('capacity', 2 * widths(heads).K),
    dQkv: real('N', widths(heads).Q + 2 * widths(heads).K),
    dQNorm: real(heads.headDim),
    dKNorm: real(heads.headDim),
  }),
  attention: ({ heads }) => ({ ...attentionInputs(heads), rows: 'N' }),
  attentionBackward: ({ heads }) => ({
    ...attentionInputs(heads),
    dOut: real('N', widths(heads).Q),
    prefixGroups: int('prefixGroups+1'),
    prefixGroupCount: 'prefixGroups',
    dQ: real('N', widths(heads).Q),
    dKv: real('capacity', 2 * widths(heads).K),
  }),
  swiglu: () => ({ gateUp: real('N', '2*F'), out: real('N', 'F'), rows: 'N' }),
  swigluBackward: () => ({ gateUp: real('N', '2*F'), dOut: real('N', 'F'), dGateUp: real('N', '2*F'), rows: 'N' }),
  gatherRows: ({ places }) => ({
    x: real('N', 'D'),
    index: int('R'),
    places: int('R'),
    out: real(places ? 'M' : 'R', 'D'),
    rows: 'R',
  }),
  gatherRowsBackward: () => ({ dOut: real('R', 'D'), offsets: int('N+1'), dX: real('N', 'D'), rows: 'N' }),
  linearLogprob: () => ({ ...linearLogprobInputs, logprobs: real('R') }),
  linearLogprobBackward: () => ({
    ...linearLogprobInputs,
    weight: matrix(['forward', 'backward'], 'V', 'D'),
    dLogprobs: real('R'),
    dEntropies: real('R'),
    dHidden: real('R', 'D'),
    dWeight: real('V', 'D'),
  }),
  sample: () => ({
    hidden: real('B', 'D'),
    weight: matrix(['forward'], 'V', 'D'),
    sampling: real(SAMPLING.length),
    key: int(2),
    rolloutNumbers: int('B', 2),
    counters: int('B'),
    tokens: int('B'),
    logprobs: real('B'),
    entropies: real('B'),
    keptLogMass: real('B'),
    rows: 'B',
  }),
  groupAdvantages: () => ({
    rewards: real('C'),
    offsets: int('groups+1'),
    groups: 'groups',
    advantages: real('C'),
    dead: int('groups'),
  }),
  policyObjective: () => ({
    logprobs: real('R'),
    oldLogprobs: real('R'),
    refLogprobs: real('R'),
    entropies: real('R'),
    advantages: real('R'),
    coefficients: real('R'),
    entropyCoefficients: real('R'),
    settings: real(OBJECTIVE.length),
    losses: real('R'),
    dLogprobs: real('R'),
    dEntropies: real('R'),
    rows: 'R',
  }),
  gradientNorm: ({ gradients }) => ({
    gradients: real('length'),
    partials: real(Math.ceil(slotLength(gradients) / GRADIENT_NORM_BLOCK)),
    norm: real(1),
  }),
  adamw: () => ({
    parameters: real('length'),
    gradients: real('length'),
    firstMoment: real('length'),
    secondMoment: real('length'),
    norm: real(1),
    settings: real(ADAMW.length),
  }),
  fill: ({ out }) => ({ out: { dtype: out.dtype, shape: ['N', ...out.shape.slice(1)] }, rows: 'N' }),
  add: ({ out }) => ({ x: elementsOf(out), out: { dtype: 'real', elements: slotLength(out) } }),
  copy: ({ out }) => ({ x: elementsOf(out), out: elementsOf(out) }),
  scale: ({ out }) => ({ out: { dtype: 'real', shape: ['N', ...out.shape.slice(1)] }, rows: 'N' }),
  mix: ({ out }) => ({ x: elementsOf(out), share: real(1), out: { dtype: 'real', elements: slotLength(out) } }),
};
