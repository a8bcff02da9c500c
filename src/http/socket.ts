/** A WebSocket as a session needs one, by shape: a browser's own, or `websocket.node.ts`. */

export interface SocketEvents {
  /** A whole text came. */
  message(text: string): void;
  /** It is closed, by whomever; nothing comes after it. */
  closed(why: string): void;
}

export interface Socket {
  send(text: string): void;
  close(): void;
}

/** Opens one. @throws Error whose message says why there is none */
export type Connect = (url: string, headers: Readonly<Record<string, string>>, events: SocketEvents) => Promise<Socket>;

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
