/** Files that a page gives as texts, for `task: {name: dataset}`. */
import type { DataFiles } from '../../src/data/data_files.ts';

/** @param texts  by path, as the config names them */
export function textFiles(texts: Readonly<Record<string, string>>): DataFiles {
  const bytes = new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  return {
    size: async (path) => bytes.get(path)?.length,
    readRange: async (path, begin, end) => bytes.get(path)?.slice(begin, end),
  };
}
