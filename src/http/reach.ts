/** What a part of a config asks of a server, declared beside its options, so that a user can be asked before it is done. */
export interface Reach {
  /** The option that is the server's address. */
  readonly url: string;
  /** The option that names a variable of the environment whose value is sent there. */
  readonly variable?: string;
  /** A variable whose value is sent there wherever it is set. */
  readonly token?: string;
}
