/** A kernel of the specification: the rules of its operands, and what it computes. */
import type { KernelName, Kernels } from '../kernels.ts';
import type { Dimensions, Opened, OperandRule, Rules } from './operands.ts';

type ArgsOf<Name extends KernelName> = Parameters<Kernels[Name]>[0];

export interface ReferenceKernel<Name extends KernelName> {
  /** Shape and type of every operand, as kernels.ts states them; that none is missing is checked by the types. */
  readonly rules: (args: ArgsOf<Name>) => Rules<ArgsOf<Name>>;
  /** Computes on operands that keep these rules. */
  readonly run: (operands: Opened<ArgsOf<Name>>, dimensions: Dimensions) => void;
}

/** A kernel as an engine calls it, by a name that it does not know: the name picks both functions, so that their arguments agree. */
export interface AnyKernel {
  readonly rules: (args: unknown) => Readonly<Record<string, OperandRule | string>>;
  readonly run: (operands: unknown, dimensions: Dimensions) => void;
}
