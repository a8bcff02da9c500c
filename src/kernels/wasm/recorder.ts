/** Turns kernel calls into commands: 32 words each, addresses resolved, per-step values left as addresses. */
import { BackendError } from '../../errors.ts';
import { columnsOf } from '../columns.ts';
import type { Kernels, ScaleRewards } from '../kernels.ts';
import type { Count, MatrixUse, MemoryPlan, Rows, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import { COMMAND_ARGUMENTS, COMMAND_BYTES, Command } from './assembly/command.ts';
import type { Layout, PackedWeight } from './layout.ts';
import { matrixShape, slotAddress, slotKey } from './layout.ts';

/** An argument: an integer or address, a float, or a count that is read at replay. */
type Argument = number | { readonly float: number } | { readonly countAt: number };

const SCALE_CODES: Record<ScaleRewards, number> = { group: 0, batch: 1, none: 2 };

/** One command in words; `mask` marks the arguments that are addresses of values. */
export class CommandList {
  readonly #bytes: ArrayBuffer[] = [];

  add(kernel: Command, values: readonly Argument[]): void {
    if (values.length > COMMAND_ARGUMENTS) throw new BackendError('arguments', `${values.length} arguments`);
    const bytes = new ArrayBuffer(COMMAND_BYTES);
    const view = new DataView(bytes);
    let mask = 0;
    values.forEach((value, i) => {
      const at = 8 + i * 4;
      if (typeof value === 'number') view.setInt32(at, value, true);
      else if ('float' in value) view.setFloat32(at, value.float, true);
      else {
        view.setInt32(at, value.countAt, true);
        mask |= 1 << i;
      }
    });
    view.setInt32(0, kernel, true);
    view.setInt32(4, mask, true);
    this.#bytes.push(bytes);
  }

  get count(): number {
    return this.#bytes.length;
  }

  copyTo(memory: Uint8Array, at: number): void {
    this.#bytes.forEach((bytes, i) => memory.set(new Uint8Array(bytes), at + i * COMMAND_BYTES));
  }
}

/** Everything that `recordKernels` learns about a program besides its commands. */
export interface Recording {
  readonly commands: CommandList;
  /** Weights whose packed forms must be fresh before the program runs. */
  readonly packed: Set<PackedWeight>;
  /** Arenas that the program's optimizer steps or copies change. */
  readonly changedArenas: Set<string>;
}

/** Kernels that append to `recording`. */
export function recordKernels(plan: MemoryPlan, layout: Layout, recording: Recording): Kernels {
  const { commands } = recording;
  const at = (slot: Slot | undefined, element = 0): number =>
    slot === undefined ? 0 : slotAddress(layout, plan, slot) + 4 * element;
  const count = (value: Count): Argument =>
    typeof value === 'number' ? value : { countAt: at(value.slot) + value.index * 4 };
  const range = (rows: Rows): [Argument, Argument] => [count(rows.begin), count(rows.end)];
  const width = (slot: Slot): number => slot.shape[slot.shape.length - 1] ?? 1;
  const weight = (slot: Slot, ...uses: readonly MatrixUse[]): PackedWeight => {
    const packed = layout.packed.get(slotKey(slot));
    if (packed === undefined) {
      throw new BackendError('unplanned-weight', `weight ${slotKey(slot)} is not among the plan's matrices.`);
    }
    const unplanned = uses.find((use) => (use === 'forward' ? packed.byOutput : packed.byInput) === 0);
    if (unplanned !== undefined) {
      throw new BackendError('unplanned-use', `weight ${slotKey(slot)} is not planned for ${unplanned} kernels.`);
    }
    recording.packed.add(packed);
    return packed;
  };
  const gradientSpace = (): number => {
    if (layout.gradientSpace === 0) {
      throw new BackendError('forward-only', 'a backward kernel is recorded, and the plan is forward only.');
    }
    return layout.gradientSpace;
  };
  const changes = (slot: Slot): void => {
    recording.changedArenas.add(slot.arena);
  };

  return {
    embedding: (a) =>
      commands.add(Command.embedding, [...range(a.rows), at(a.tokens), at(a.table), width(a.table), at(a.out)]),
    embeddingBackward: (a) =>
      commands.add(Command.embeddingBackward, [
        count(a.buckets),
        at(a.dOut),
        at(a.sortedRows),
        at(a.bucketTokens),
        at(a.bucketOffsets),
        width(a.dTable),
        at(a.dTable),
      ]),
    rmsNorm: (a) =>
      commands.add(Command.rmsNorm, [
        ...range(a.rows),
        at(a.x),
        at(a.weight),
        width(a.x),
        at(a.out),
        at(a.rstd),
        { float: a.eps },
      ]),
    rmsNormBackward: (a) =>
      commands.add(Command.rmsNormBackward, [
        ...range(a.rows),
        at(a.x),
        at(a.weight),
        width(a.x),
        at(a.rstd),
        at(a.dOut),
        at(a.dX),
        at(a.dWeight),
      ]),
    linear: (a) => {
      const [outputs, inputs] = matrixShape(a.weight);
      const { begin, stride } = columnsOf('linear.out', a.out, a.firstColumn, outputs);
      const x = columnsOf('linear.x', a.x, a.firstInput, inputs);
      commands.add(Command.linear, [
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
      ]);
    },
    linearInputGradient: (a) => {
      const [outputs, inputs] = matrixShape(a.weight);
      const { begin, stride } = columnsOf('linearInputGradient.dOut', a.dOut, a.firstColumn, outputs);
      const dX = columnsOf('linearInputGradient.dX', a.dX, a.firstInput, inputs);
      commands.add(Command.linearInputGradient, [
        ...range(a.rows),
        at(a.dOut, begin),
        weight(a.weight, 'backward').byInput,
        outputs,
        inputs,
        at(a.dX, dX.begin),
        stride,
        a.accumulate ? at(a.dX, dX.begin) : 0,
        dX.stride,
      ]);
    },
    linearWeightGradient: (a) => {
      const [outputs, inputs] = matrixShape(a.dWeight);
      const { begin, stride } = columnsOf('linearWeightGradient.dOut', a.dOut, a.firstColumn, outputs);
      const x = columnsOf('linearWeightGradient.x', a.x, a.firstInput, inputs);
      commands.add(Command.linearWeightGradient, [
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
      ]);
    },
    rotary: (a) =>
      commands.add(Command.rotary, [
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
      ]),
    rotaryBackward: (a) =>
      commands.add(Command.rotaryBackward, [
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
      ]),
    attention: (a) =>
      commands.add(Command.attention, [
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
      ]),
    attentionBackward: (a) =>
      commands.add(Command.attentionBackward, [
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
      ]),
    swiglu: (a) => commands.add(Command.swiglu, [...range(a.rows), at(a.gateUp), width(a.out), at(a.out)]),
    swigluBackward: (a) =>
      commands.add(Command.swigluBackward, [...range(a.rows), at(a.gateUp), width(a.dOut), at(a.dOut), at(a.dGateUp)]),
    gatherRows: (a) =>
      commands.add(Command.gatherRows, [...range(a.rows), at(a.x), at(a.index), width(a.x), at(a.out)]),
    gatherRowsBackward: (a) =>
      commands.add(Command.gatherRowsBackward, [...range(a.rows), at(a.dOut), at(a.offsets), width(a.dX), at(a.dX)]),
    linearLogprob: (a) => {
      const [vocabSize, hiddenSize] = matrixShape(a.weight);
      commands.add(Command.linearLogprob, [
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
      ]);
    },
    linearLogprobBackward: (a) => {
      const [vocabSize, hiddenSize] = matrixShape(a.weight);
      const packed = weight(a.weight, 'forward', 'backward');
      commands.add(Command.linearLogprobBackward, [
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
      ]);
    },
    sample: (a) => {
      const [vocabSize, hiddenSize] = matrixShape(a.weight);
      commands.add(Command.sample, [
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
      ]);
    },
    groupAdvantages: (a) =>
      commands.add(Command.groupAdvantages, [
        count(a.groups),
        at(a.rewards),
        at(a.offsets),
        SCALE_CODES[a.scale],
        at(a.advantages),
        at(a.dead),
      ]),
    policyObjective: (a) =>
      commands.add(Command.policyObjective, [
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
      ]),
    gradientNorm: (a) =>
      commands.add(Command.gradientNorm, [slotLength(a.gradients), at(a.gradients), at(a.partials), at(a.norm)]),
    adamw: (a) => {
      changes(a.parameters);
      commands.add(Command.adamw, [
        slotLength(a.parameters),
        at(a.parameters),
        at(a.gradients),
        at(a.firstMoment),
        at(a.secondMoment),
        at(a.norm),
        at(a.settings),
        a.decayLength,
      ]);
    },
    fill: (a) => {
      changes(a.out);
      const first = a.out.shape[0] ?? 1;
      const rows = a.rows ?? { begin: 0, end: first };
      commands.add(Command.fill, [
        ...range(rows),
        at(a.out),
        slotLength(a.out) / Math.max(1, first),
        a.out.dtype === 'int' ? a.value : { float: a.value },
      ]);
    },
    add: (a) => {
      changes(a.out);
      commands.add(Command.add, [slotLength(a.x), at(a.x), at(a.out)]);
    },
    copy: (a) => {
      changes(a.out);
      commands.add(Command.copy, [slotLength(a.x), at(a.x), at(a.out)]);
    },
    scale: (a) => {
      changes(a.out);
      const width = slotLength(a.out) / Math.max(1, a.out.shape[0] ?? 1);
      commands.add(Command.scale, [...range(a.rows), at(a.out), width, { float: a.factor }]);
    },
    mix: (a) => {
      changes(a.out);
      commands.add(Command.mix, [slotLength(a.x), at(a.x), at(a.share), at(a.out)]);
    },
  };
}

/** Commands that refresh the packed forms of a weight. */
export function recordPacking(plan: MemoryPlan, layout: Layout, weights: Iterable<PackedWeight>): CommandList {
  const commands = new CommandList();
  for (const { slot, byOutput, byInput } of weights) {
    const [outputs, inputs] = matrixShape(slot);
    commands.add(Command.packWeight, [slotAddress(layout, plan, slot), outputs, inputs, byOutput, byInput]);
  }
  return commands;
}
