/** What a page and its worker say to each other of a tab that is lent. */

/** How a tab is lent. */
export interface LendOptions {
  /** Address of the fleet, as `wss://visitor:password@host:4223`. */
  readonly server: string;
  /** Threads of WebAssembly, at most as many as there are cores. More than one needs a page that is cross-origin isolated. */
  readonly threads: number;
  /** `location.protocol` of the page, which decides what it may connect to; default: that of this page. */
  readonly pageProtocol?: string;
}

/** What is new of a tab that is lent; what is absent is as it was. */
export interface LendingNews {
  /** away: the server is tried again. refused: it is not. failed: the tab gives nothing any more. */
  readonly state?: 'connected' | 'away' | 'refused' | 'failed';
  /** A sentence for the visitor. */
  readonly line?: string;
  /** Groups and tokens that were given so far. */
  readonly groups?: number;
  readonly tokens?: number;
}
