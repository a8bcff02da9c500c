/** A server that listens, and one that ends at once, whoever is still connected. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../src/errors.ts';

/**
 * @param port  0: one that is free
 * @returns the port
 * @throws ConfigError where it is taken, or cannot be listened on
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code = 'an error' }: NodeJS.ErrnoException) => {
      const rule = code === 'EADDRINUSE' ? 'taken by another program' : `cannot be listened on (${code})`;
      const message = `--port ${port} — ${rule}; give another, or none for one that is free.`;
      reject(new ConfigError('port', message, { port }));
    });
    server.listen(port, host, resolve);
  });
  return portOf(server);
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port; // of a TCP server
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
