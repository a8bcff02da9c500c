/** Types of api_pages.mjs, for the tests. */

export interface EntryPoint {
  /** As it is imported: `rlvr-train/tasks`. */
  readonly specifier: string;
  /** In docs/reference/api. */
  readonly file: string;
  /** Paths of declarations and code. */
  readonly types: string;
  readonly code: string;
}

export function entryPoints(): EntryPoint[];
export function apiPages(): Map<string, string>;
