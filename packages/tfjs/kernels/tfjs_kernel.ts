/** What computes a kernel in tfjs ops. */
import * as tf from '@tensorflow/tfjs';
import type { KernelName, Kernels } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';

type OperandsOf<Name extends KernelName> = Opened<Parameters<Kernels[Name]>[0]>;

/** A kernel that waits for values to come to the host on the way. It disposes what it makes besides its outputs. */
export interface WaitingKernel<Name extends KernelName> {
  readonly waits: (operands: OperandsOf<Name>) => Promise<void>;
}

/** Computes on opened operands. What a function leaves besides its outputs is disposed for it. */
export type TfjsKernel<Name extends KernelName> = ((operands: OperandsOf<Name>) => void) | WaitingKernel<Name>;

/** A kernel as the engine calls it, by a name that it does not know. */
export type AnyKernel = ((operands: unknown) => void) | { readonly waits: (operands: unknown) => Promise<void> };

export function runOf(kernel: AnyKernel): (operands: unknown) => void | Promise<void> {
  return typeof kernel === 'function' ? (operands) => tf.tidy(() => kernel(operands)) : kernel.waits;
}
