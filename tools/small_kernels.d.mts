/** Types of small_kernels.mjs, for the tests. */
import type { Plugin } from 'rolldown';

export const smallKernels: Plugin;
