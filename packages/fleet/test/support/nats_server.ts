/** What tests over a real NATS server need of this machine's network. */
import { connect, createServer } from 'node:net';

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
}

/** Waits until something listens. */
export async function untilUp(port: number): Promise<void> {
  const isUp = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 20));
}
