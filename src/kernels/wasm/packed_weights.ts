/**
 * Matrices that exist as panels alone, as the kernels read them (assembly/matmul.ts), written and read by the host: what
 * is frozen needs no plain copy from which it would be packed again.
 *
 *   by output  panel p holds W[p·width + j, k] at [k·width + j]
 *   by input   panel p holds W[n, p·width + j] at [n·width + j]
 */
import type { PlacedMatrix } from './layout.ts';
import { matrixShape } from './layout.ts';

export interface Panels {
  /** The engine's memory. */
  readonly reals: Float32Array;
  /** Columns of a panel in the build that runs. */
  readonly width: number;
}

/** Where one form of a matrix has the elements of a row: in runs, `jump` from one to the next, `stride` within one. */
interface PanelForm {
  /** Index of element 0 of a row. */
  start(row: number): number;
  readonly run: number;
  readonly jump: number;
  readonly stride: number;
}

/** Writes elements of the matrix, row by row, from number `first` on, in every form that it has. */
export function writePacked(panels: Panels, weight: PlacedMatrix, values: ArrayLike<number>, first: number): void {
  const { reals, width } = panels;
  for (const form of formsOf(weight, width)) {
    const { stride } = form;
    forEachRun(weight, form, first, values.length, (place, at, length) => {
      for (let i = 0; i < length; i++) reals[place + i * stride] = values[at + i] as number;
    });
  }
}

/** Elements of the matrix, row by row, from number `first` on. */
export function readPacked(panels: Panels, weight: PlacedMatrix, first: number, count: number): Float32Array {
  const { reals, width } = panels;
  const values = new Float32Array(count);
  const [form] = formsOf(weight, width);
  if (form === undefined) return values; // planned for no use: nothing was kept of it
  const { stride } = form;
  forEachRun(weight, form, first, count, (place, at, length) => {
    for (let i = 0; i < length; i++) values[at + i] = reals[place + i * stride] as number;
  });
  return values;
}

function formsOf({ slot, byOutput, byInput }: PlacedMatrix, width: number): PanelForm[] {
  const [outputs, inputs] = matrixShape(slot);
  const ofOutputs: PanelForm = {
    start: (row) => byOutput / 4 + Math.floor(row / width) * inputs * width + (row % width),
    run: inputs,
    jump: 0,
    stride: width,
  };
  const ofInputs: PanelForm = {
    start: (row) => byInput / 4 + row * width,
    run: width,
    jump: outputs * width,
    stride: 1,
  };
  return [...(byOutput !== 0 ? [ofOutputs] : []), ...(byInput !== 0 ? [ofInputs] : [])];
}

/** Elements [first, first + count) run by run: the place of each in memory, and which of them it begins with. */
function forEachRun(
  { slot }: PlacedMatrix,
  { start, run, jump, stride }: PanelForm,
  first: number,
  count: number,
  visit: (place: number, at: number, length: number) => void,
): void {
  const [, inputs] = matrixShape(slot);
  for (let at = 0; at < count; ) {
    const row = Math.floor((first + at) / inputs);
    const end = Math.min(inputs, first + count - row * inputs);
    const base = start(row);
    for (let k = first + at - row * inputs; k < end; ) {
      const offset = k % run;
      const length = Math.min(run - offset, end - k);
      visit(base + ((k - offset) / run) * jump + offset * stride, at, length);
      k += length;
      at += length;
    }
  }
}
