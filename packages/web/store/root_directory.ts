/** Where this library keeps what it keeps in the browser's own file system (OPFS). */
import { CheckpointError } from '../../../src/errors.ts';

/** What the specification has, and the TypeScript library does not know in every context. */
export type Directory = FileSystemDirectoryHandle & { keys(): AsyncIterableIterator<string> };

/** Its name among the site's files. */
const ROOT = 'rlvr-train';

/** Folder of this library among the site's files. @throws CheckpointError as `opfsStore` */
export async function rootDirectory(): Promise<Directory> {
  const storage = globalThis.navigator?.storage;
  try {
    const site = (await storage.getDirectory()) as Directory;
    return await folder(site, ROOT);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckpointError('storage-denied', `This browser gives the page no storage (${why}).`, { why });
  }
}

/** The folder of that name, made where there is none. */
export async function folder(parent: Directory, name: string): Promise<Directory> {
  return (await parent.getDirectoryHandle(name, { create: true })) as Directory;
}
