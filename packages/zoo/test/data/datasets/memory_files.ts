/** Data files that lie in memory. */
import type { DataFiles } from '../../../../../src/data/data_files.ts';

export function memoryFiles(contents: Readonly<Record<string, string | Uint8Array>>): DataFiles {
  const files = new Map(
    Object.entries(contents).map(([path, content]) => [
      path,
      typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content),
    ]),
  );
  return {
    size: async (path) => files.get(path)?.length,
    readRange: async (path, begin, end) => files.get(path)?.slice(begin, end),
  };
}
