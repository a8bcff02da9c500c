/** What tasks and rewards ask of servers, by shape: `packages/http` and the caller have what does it. */

/** What a part of a config asks of a server, declared beside its options, so that a user can be asked before it is done. */
export interface Reach {
  /** The option that is the server's address. */
  readonly url: string;
  /** The option that names a variable of the environment whose value is sent there. */
  readonly variable?: string;
  /** A variable whose value is sent there wherever it is set. */
  readonly token?: string;
}

/** A WebSocket as a session needs one: a browser's own, or `packages/http/websocket.node.ts`. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

export interface SocketEvents {
  /** A whole text came. */
  message(text: string): void;
  /** It is closed, by whomever; nothing comes after it. */
  closed(why: string): void;
}

/** Opens one. @throws Error whose message says why there is none */
export type Connect = (url: string, headers: Readonly<Record<string, string>>, events: SocketEvents) => Promise<Socket>;

/** Where answers are kept, so that no server is asked the same a second time: a folder of the run directory. */
export interface AnswerFiles {
  read(name: string): Promise<Uint8Array | undefined>;
  append(name: string, text: string): Promise<void>;
  list(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}
