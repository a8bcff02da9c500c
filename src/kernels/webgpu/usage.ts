/** GPUBufferUsage and GPUMapMode, which Node has not as globals. */
export const USAGE = { mapRead: 1, copySource: 4, copyDestination: 8, uniform: 64, storage: 128 } as const;
export const MAP_READ = 1;
