/** Types of given_rows.mjs, for the tests. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}
export interface RowEvaluation {
  readonly accuracy: Estimate;
  readonly meanAtK: Estimate;
  readonly byTask?: Readonly<Record<string, { readonly accuracy: Estimate; readonly meanAtK: Estimate }>>;
}
export interface RowEnd {
  readonly step: number;
  readonly baseline: RowEvaluation | null;
  readonly final: RowEvaluation | null;
  readonly heldOut: number;
  readonly sha: string;
}
export function evaluationOf(metrics: Readonly<Record<string, number>>): RowEvaluation;
export function isFinished(directory: string, hash: string): boolean;
export function replayed<T>(
  directory: string,
  options: {
    readonly heldOut: number;
    readonly see: (event: { readonly type: string; readonly [key: string]: unknown }) => unknown;
    readonly figuresOf: (found: { readonly end: RowEnd }) => T;
  },
): Promise<T>;
