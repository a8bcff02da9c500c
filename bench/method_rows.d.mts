export interface MethodRow {
  readonly name: string;
  /** As `--set` takes them. */
  readonly set: readonly string[];
  /** Ids of methods that there must be. */
  readonly uses: readonly string[];
}

export function methodRows(methods: {
  readonly objective: readonly { readonly id: string }[];
  readonly ratio: readonly { readonly id: string }[];
}): MethodRow[];
