/** Types of turns.mjs, for the tests. */
import type { Spread } from './statistics.mjs';

export interface Side<Turn> {
  turns: (Turn & { readonly turn: number })[];
  stopped: string | undefined;
}
export function takeTurns<Turn extends { readonly seconds: number }>(
  sides: Readonly<Record<string, () => Promise<Turn>>>,
  settings: { readonly warmup: number; readonly repeats: number; readonly limitSeconds: number },
): Promise<Record<string, Side<Turn>>>;
export function counted<Turn>(side: Side<Turn>): readonly (Turn & { readonly turn: number })[];
export function compare<Turn>(
  taken: Readonly<Record<string, Side<Turn>>>,
  secondsOf: (turn: Turn) => number,
  base: string,
): Record<string, Spread & { readonly ratio?: { readonly ofMedians: number; readonly paired: Spread | undefined } }>;
