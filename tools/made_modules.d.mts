/** Types of made_modules.mjs, for vitest.config.ts. */
export const MADE: readonly string[];
export function writeMadeModules(): Promise<void>;
