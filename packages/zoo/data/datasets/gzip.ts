/** What is packed by gzip, unpacked as it is read: a few pieces are in memory at a time. */
import { badFile } from '../../../../src/data/data_files.ts';

/** @throws DataError where it is damaged or ends too early */
export async function* unpacked(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const stream = gunzip();
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  let failure: unknown;
  const feed = async (): Promise<void> => {
    for await (const piece of pieces) await writer.write(piece);
    await writer.close();
  };
  const fed = feed().catch(async (error: unknown) => {
    failure ??= error;
    await writer.abort(error).catch(() => undefined); // the reader gets the same error
  });
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value as Uint8Array; // what it unpacks is bytes
    }
    isOver = true;
    await fed;
  } catch {
    isOver = true;
    await fed;
    // What the streams say differs from one version of Node to the next, and may be nothing.
    throw isOwn(failure) ? failure : badFile(path, 'damaged gzip, or a part of one; copy or pack it again');
  } finally {
    if (!isOver) await reader.cancel();
  }
}

/** What is used of a pair of streams: the libraries of Node and of the web type the rest otherwise. */
interface Unpacking {
  readonly readable: { getReader(): Pick<ReadableStreamDefaultReader<unknown>, 'read' | 'cancel'> };
  readonly writable: {
    getWriter(): Pick<WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>, 'write' | 'close' | 'abort'>;
  };
}

/**
 * Files of several parts, as `cat a.gz b.gz` makes them, are whole ones. The decompression of the web refuses them from Node 24
 * on, and zlib's takes them.
 */
function gunzip(): Unpacking {
  const builtIn = globalThis.process?.getBuiltinModule;
  if (builtIn === undefined) return new DecompressionStream('gzip');
  return builtIn('node:stream').Duplex.toWeb(builtIn('node:zlib').createGunzip());
}

/** Reading the file failed, which says so itself. */
function isOwn(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'facts' in error;
}
