/** Data files on a disk, by a name that the caller maps to a place. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { DataFiles } from '../../../../src/data/data_files.ts';
import { DataError } from '../../../../src/errors.ts';

/** @param pathOf  absolute path of a file by its name */
export function diskFiles(pathOf: (name: string) => string): DataFiles {
  const orSay = async <T>(name: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DataError) throw error;
      const { code = 'unknown' } = error as NodeJS.ErrnoException; // node:fs rejects with nothing else
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new DataError('bad-data-file', `${name}: cannot be read (${code}); check its permissions.`, { file: name });
    }
  };
  return {
    size: (name) =>
      orSay(name, async () => {
        const status = await stat(pathOf(name));
        if (status.isFile()) return status.size;
        throw new DataError('bad-data-file', `${name}: not a file; name the files in it.`, { file: name });
      }),
    readRange: (name, begin, end) =>
      orSay(name, async () => {
        const handle = await open(pathOf(name), 'r');
        try {
          const bytes = new Uint8Array(end - begin);
          let length = 0;
          while (length < bytes.length) {
            const { bytesRead } = await handle.read(bytes, length, bytes.length - length, begin + length);
            if (bytesRead === 0) return bytes.slice(0, length);
            length += bytesRead;
          }
          return bytes;
        } finally {
          await handle.close();
        }
      }),
  };
}

/** SHA-256 of a file of any size, in hexadecimal. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array); // without an encoding it gives bytes
  return hash.digest('hex');
}
