/** What is packed by gzip, unpacked as it is read: a few pieces are in memory at a time. */
import { badFile } from './data_files.ts';

/** @throws DataError where it is damaged or ends too early */
export async function* unpacked(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('gzip');
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
  } catch (error) {
    isOver = true;
    await fed;
    const reason = error instanceof Error ? error.message : String(error);
    throw isOwn(failure) ? failure : badFile(path, `damaged gzip (${reason}); copy or pack it again`);
  } finally {
    if (!isOver) await reader.cancel();
  }
}

/** Reading the file failed, which says so itself. */
function isOwn(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'facts' in error;
}
