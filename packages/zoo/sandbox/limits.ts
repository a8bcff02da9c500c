/** What a program of a sandbox may use, and how it ends. */

/** How a program ended that gave nothing: each is the same on every machine, however busy it is. */
export type SandboxFailure =
  /** It is no program. */
  | 'syntax'
  /** It threw, or refers to what is not there. */
  | 'error'
  /** It ran out of fuel. */
  | 'fuel'
  /** It asked for more memory than it has. */
  | 'memory'
  /** It called itself too deeply. */
  | 'stack'
  /** It gave too much, or what is no value of JSON. */
  | 'output';

/** A run that gave nothing, and the fuel that it took. */
export interface SandboxFailed {
  readonly ok: false;
  readonly failure: SandboxFailure;
  readonly reason: string;
  readonly fuel: number;
}

/** What became of a program: its output, or how it failed, and the fuel that it took. */
export type SandboxResult = { readonly ok: true; readonly output: string; readonly fuel: number } | SandboxFailed;
