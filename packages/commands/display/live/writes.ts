/** Takes over what others write to the terminal, so that a redrawn region can make room for it. */

type Stream = NodeJS.WriteStream & { fd: number };

/**
 * From now on, whole lines that anyone writes to standard output or error (where that is a terminal) reach `print`.
 *
 * @returns `write`: to standard output itself; `giveBack`: ends it, and writes what had no line end yet
 */
export function captureWrites(print: (text: string) => void): {
  readonly write: (text: string) => void;
  readonly giveBack: () => void;
} {
  const write = process.stdout.write.bind(process.stdout) as (text: string) => boolean;
  const streams: Stream[] = [process.stdout, process.stderr].filter((stream) => stream.isTTY);
  const undo = streams.map((stream) => {
    const original = stream.write;
    let held = '';
    // Every overload of write: the callback is the last argument, if any.
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      held += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      const end = held.lastIndexOf('\n') + 1;
      if (end > 0) {
        const lines = held.slice(0, end);
        held = held.slice(end);
        print(lines);
      }
      const callback = rest.at(-1);
      if (typeof callback === 'function') callback();
      return true;
    }) as Stream['write'];
    return () => {
      stream.write = original;
      if (held !== '') stream.write(held);
    };
  });
  return { write, giveBack: () => undo.forEach((each) => each()) };
}
