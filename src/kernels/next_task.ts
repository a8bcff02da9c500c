let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/**
 * Lets the thread take what waits for it, such as messages and signals: awaiting alone does not, and WebAssembly on one
 * thread never waits.
 */
export function nextTask(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(undefined);
  });
}
