/** Types of kernel_lists.mjs, for its tests. */
export function kernelLists(folder?: string): Map<string, string>;
