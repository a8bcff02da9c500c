/** Turns kernel calls into commands of a fixed size (assembly/command.ts), addresses resolved, per-step values left as addresses. */
import { BackendError } from '../../errors.ts';
import type { KernelName, Kernels } from '../kernels.ts';
import type { MemoryPlan } from '../memory.ts';
import { bytesOf } from '../storage.ts';
import { COMMAND_ARGUMENTS, COMMAND_WORDS } from './assembly/command.ts';
import { Command } from './assembly/commands.ts';
import { BF16, PACKED, STORED_BY_INPUT } from './assembly/sizes.ts';
import { type Argument, KERNEL_ARGUMENTS, type Places } from './kernel_arguments.ts';
import type { Layout, PlacedMatrix } from './layout.ts';
import { FORMS, matrixShape, slotAddress, slotKey, storageIn } from './layout.ts';

/** Bytes of an address, and of a word of a command (assembly/command.ts). */
export type WordBytes = 4 | 8;

/** Commands as threads read them; a mask marks the arguments that are addresses of values. */
export class CommandList {
  readonly #bytes: ArrayBuffer[] = [];
  readonly #word: WordBytes;

  constructor(word: WordBytes) {
    this.#word = word;
  }

  add(kernel: Command, values: readonly Argument[]): void {
    if (values.length > COMMAND_ARGUMENTS) throw new BackendError('arguments', `${values.length} arguments`);
    const word = this.#word;
    const bytes = new ArrayBuffer(COMMAND_WORDS * word);
    const view = new DataView(bytes);
    const setAddress = (at: number, address: number): void =>
      word === 8 ? view.setBigInt64(at, BigInt(address), true) : view.setInt32(at, address, true);
    let mask = 0;
    values.forEach((value, i) => {
      const at = (2 + i) * word;
      if (typeof value === 'number') setAddress(at, value);
      else if ('float' in value) view.setFloat32(at, value.float, true);
      else {
        setAddress(at, value.countAt);
        mask |= 1 << i;
      }
    });
    view.setInt32(0, kernel, true);
    view.setInt32(word, mask, true);
    this.#bytes.push(bytes);
  }

  get count(): number {
    return this.#bytes.length;
  }

  copyTo(memory: Uint8Array, at: number): void {
    this.#bytes.forEach((bytes, i) => memory.set(new Uint8Array(bytes), at + i * bytes.byteLength));
  }
}

/** Everything that `recordKernels` learns about a program besides its commands. */
export interface Recording {
  readonly commands: CommandList;
  /** Weights whose packed forms must be fresh before the program runs. */
  readonly packed: Set<PlacedMatrix>;
  /** Arenas that the program's optimizer steps or copies change. */
  readonly changedArenas: Set<string>;
}

/** Kernels that append to `recording`. */
export function recordKernels(plan: MemoryPlan, layout: Layout, recording: Recording): Kernels {
  const places = placesOf(plan, layout, recording);
  const recorders = (Object.keys(KERNEL_ARGUMENTS) as KernelName[]).map((name) => {
    const argumentsOf = KERNEL_ARGUMENTS[name] as (args: object, places: Places) => readonly Argument[];
    return [name, (args: object) => recording.commands.add(Command[name], argumentsOf(args, places))] as const;
  });
  // The table has exactly the keys of Kernels, by its type; Object.fromEntries cannot say so.
  return Object.fromEntries(recorders) as unknown as Kernels;
}

function placesOf(plan: MemoryPlan, layout: Layout, recording: Recording): Places {
  const at: Places['at'] = (slot, element = 0) => {
    if (slot === undefined) return 0;
    const storage = storageIn(plan, slot);
    if (FORMS[storage] === PACKED) return slotAddress(layout, plan, slot) + 4 * element;
    const rule = `${storage}, which kernels read in matrices of the plan, in embeddings and (bf16) in keys and values alone`;
    throw new BackendError('storage', `a slot of arena '${slot.arena}' is kept as ${rule}.`);
  };
  const count: Places['count'] = (value) =>
    typeof value === 'number' ? value : { countAt: at(value.slot) + value.index * 4 };
  return {
    layout,
    at,
    all: (...slots) => slots.map((slot) => at(slot)),
    count,
    range: ({ begin, end }) => [count(begin), count(end)],
    weight(slot, use) {
      const placed = layout.matrices.get(slotKey(slot));
      if (placed === undefined) {
        throw new BackendError('unplanned-weight', `weight ${slotKey(slot)} is not among the plan's matrices.`);
      }
      const address = use === 'forward' ? placed.byOutput : placed.byInput;
      if (address === 0) {
        throw new BackendError('unplanned-use', `weight ${slotKey(slot)} is not planned for ${use} kernels.`);
      }
      if (placed.form !== PACKED) return { address, form: placed.form + (use === 'forward' ? 0 : STORED_BY_INPUT) };
      recording.packed.add(placed);
      return { address, form: PACKED };
    },
    table(slot) {
      return [slotAddress(layout, plan, slot), FORMS[storageIn(plan, slot)]];
    },
    kept(slot) {
      return storageIn(plan, slot) === 'bf16' ? [slotAddress(layout, plan, slot), BF16] : [at(slot), PACKED];
    },
    moved(from, to) {
      const [storage, other] = [storageIn(plan, from), storageIn(plan, to)];
      if (storage !== other) {
        throw new BackendError(
          'storage',
          `gatherRows: rows of ${storage} do not go to a slot of ${other} as they are.`,
        );
      }
      const width = from.shape.at(-1) ?? 1;
      const rowBytes = bytesOf(storage, width);
      if (rowBytes % 4 !== 0) {
        throw new BackendError('storage', `gatherRows: rows of ${width} in ${storage} are not moved in whole words.`);
      }
      return { from: slotAddress(layout, plan, from), to: slotAddress(layout, plan, to), rowBytes };
    },
    gradientSpace() {
      if (layout.gradientSpace !== 0) return layout.gradientSpace;
      throw new BackendError('forward-only', 'a backward kernel is recorded, and the plan is forward only.');
    },
    changes(slot) {
      recording.changedArenas.add(slot.arena);
    },
  };
}

/** Commands that refresh the packed forms of a weight. */
export function recordPacking(
  plan: MemoryPlan,
  layout: Layout,
  weights: Iterable<PlacedMatrix>,
  word: WordBytes,
): CommandList {
  const commands = new CommandList(word);
  for (const { slot, byOutput, byInput } of weights) {
    const [outputs, inputs] = matrixShape(slot);
    commands.add(Command.packWeight, [slotAddress(layout, plan, slot), outputs, inputs, byOutput, byInput]);
  }
  return commands;
}
