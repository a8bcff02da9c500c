/** Keeps a received base model in memory, where a worker may keep nothing else: the newest one alone. */
import { joinBytes } from '../../../src/run/store/store.ts';
import type { ModelFiles } from '../../models/model/pretrained/source.ts';
import type { BaseKeeper } from './received_base.ts';

export function memoryKeeper(): BaseKeeper {
  let newest: { readonly key: string; readonly files: ModelFiles } | undefined;
  return {
    find: (key) => (newest?.key === key ? newest.files : undefined),
    forget() {
      newest = undefined;
    },
    begin(key) {
      newest = undefined;
      const pieces = new Map<string, Uint8Array[]>();
      const written = (): ModelFiles => filesOf(new Map([...pieces].map(([name, own]) => [name, joinBytes(own)])));
      return {
        written,
        async append(name, bytes) {
          const own = pieces.get(name);
          if (own === undefined) pieces.set(name, [bytes]);
          else own.push(bytes);
        },
        async finish() {
          const files = written();
          newest = { key, files };
          return files;
        },
        drop: async () => pieces.clear(),
      };
    },
  };
}

function filesOf(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): ModelFiles {
  return {
    size: async (path) => files.get(path)?.length,
    read: async (path) => files.get(path)?.slice(),
    readRange: async (path, begin, end) => files.get(path)?.slice(begin, end),
  };
}
