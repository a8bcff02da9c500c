/** The kernels of the specification, by their names in the interface. */
import type { KernelName } from '../kernels.ts';
import { kernels } from './kernel_list.ts';
import type { ReferenceKernel } from './reference_kernel.ts';

export const referenceKernels: { readonly [Name in KernelName]: ReferenceKernel<Name> } = kernels;
