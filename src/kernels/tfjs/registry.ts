/** The kernels in tfjs ops, by their names in the interface. */
import type { KernelName } from '../kernels.ts';
import { kernels } from './kernel_list.ts';
import type { TfjsKernel } from './tfjs_kernel.ts';

export const tfjsKernels: { readonly [Name in KernelName]: TfjsKernel<Name> } = kernels;
