/** What a page's `File` is, for those who compile without its types. */
export interface ChosenFile {
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Where a model comes from: the address of a .gguf file or of a folder, or files that a visitor chose. */
export type ModelOrigin = { readonly url: string } | { readonly files: readonly ChosenFile[] };
