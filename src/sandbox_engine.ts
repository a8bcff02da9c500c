/** The sandboxes by name, and what else checks answers. */
export type SandboxName = 'javascript' | 'sql' | 'regex' | 'json-schema' | 'python';

/** How an engine says what it is, for the fingerprint of a run. */
export interface SandboxEngine {
  readonly name: SandboxName;
  /** Changes wherever a program might run otherwise. */
  readonly version: string;
}
