/** The WebSocket of this JavaScript engine. */
import type { Connect, Socket } from '../../src/http/servers.ts';

/** The part of a browser's WebSocket that is used here. */
interface BrowserSocket extends Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
}

/** The WebSocket of this JavaScript engine, which sends no headers; undefined where it has none, as Node 20. */
export function ownConnect(): Connect | undefined {
  const { WebSocket: Open } = globalThis as { WebSocket?: new (url: string) => BrowserSocket };
  if (Open === undefined) return undefined;
  return (url, _, events) =>
    new Promise((resolve, reject) => {
      const socket = new Open(url);
      let isOpen = false;
      socket.onopen = () => {
        isOpen = true;
        resolve(socket);
      };
      socket.onmessage = ({ data }) => events.message(typeof data === 'string' ? data : '');
      // A page is not shown why a connection was refused.
      socket.onclose = ({ code, reason }) => {
        const why = `the connection was closed, code ${code}${reason && `, ${reason}`}`;
        if (isOpen) events.closed(why);
        else reject(new Error(why));
      };
    });
}
