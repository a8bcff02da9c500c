/**
 * Types of the browser that public signatures name: its own where a project compiles with them, and otherwise what can be said
 * of them without.
 */
type OfBrowser<Name extends string, Otherwise> =
  typeof globalThis extends Readonly<Record<Name, { readonly prototype: infer Own }>> ? Own : Otherwise;

/** A `Blob`. */
export type BrowserBlob = OfBrowser<'Blob', { readonly size: number; arrayBuffer(): Promise<ArrayBuffer> }>;
/** An `AbortSignal`. */
export type BrowserSignal = OfBrowser<'AbortSignal', { readonly aborted: boolean }>;
