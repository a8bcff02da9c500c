/** Types of seed_figures.mjs, for the tests. */
export interface SeedSpread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}
export interface SeedFigures {
  readonly greedy: number;
  readonly sampled: number;
}
export interface SeedRun extends SeedFigures {
  readonly seed: number;
  readonly before: SeedFigures;
  readonly wallSeconds: number;
  readonly weightsSha256: string;
}
export interface SeedResults {
  readonly configs: Readonly<
    Record<
      string,
      {
        readonly runs: readonly SeedRun[];
        readonly greedy: SeedSpread;
        readonly sampled: SeedSpread;
      }
    >
  >;
}
export function spreadOf(values: readonly number[]): SeedSpread;
export function statesFigures(text: string): boolean;
export function updatedTable(text: string, results: SeedResults): string;
export function updatedReadme(text: string, results: SeedResults): string;
export function updatedConfig(text: string, name: string, results: SeedResults): string;
