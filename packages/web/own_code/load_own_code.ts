/** Loaded for those who write code of their own. */
export function ownCode(): Promise<typeof import('./own_code.ts')> {
  return import('./own_code.ts');
}
