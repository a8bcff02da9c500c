export interface ArenaRow {
  readonly task: string;
  readonly block: string;
  readonly id: string;
  /** Ids of the methods that it is about. */
  readonly of: readonly string[];
  readonly claims?: string;
  /** Why it does not learn on this task. */
  readonly why?: string;
  /** BLOCK/ROW. */
  readonly baseline: string;
  readonly seedsFrom: number;
  /** What its learning rate is multiplied by: other than 1 only of a baseline, as a control. */
  readonly rate: number;
  /** Name of the task's config. */
  readonly config: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly start?: { readonly config: string; readonly set: Readonly<Record<string, unknown>> };
}
export interface ArenaRun {
  readonly row: ArenaRow;
  readonly index: number;
  readonly rate: number;
  readonly seed: number;
  readonly set: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly digest: string;
}
interface ParsedConfig {
  readonly stages: readonly { readonly learning_rate: number }[];
}
export class RowsError extends Error {}
export function readRows(
  rows: unknown,
  context: {
    readonly file: string;
    readonly configs: Readonly<Record<string, unknown>>;
    readonly known: ReadonlySet<string>;
  },
): ArenaRow[];
export function runOf(
  row: ArenaRow,
  index: number,
  configs: Readonly<Record<string, ParsedConfig>>,
  rate?: number,
): ArenaRun;
export function assignments(stage: string, set: Readonly<Record<string, unknown>>): string[];
