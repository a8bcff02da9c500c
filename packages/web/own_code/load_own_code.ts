/** Loads what a visitor's own code needs. */
export function ownCode(): Promise<typeof import('./own_code.ts')> {
  return import('./own_code.ts');
}
