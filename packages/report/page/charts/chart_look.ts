/** What all curves have in common, those of a report and those of the training page: axes, bands, keys. */
import type uPlot from 'uplot';
import { paletteColor } from './palette.ts';

export const FONT = '11px system-ui, sans-serif';

/** Colours are asked for at each drawing. */
export const AXIS: uPlot.Axis = {
  stroke: () => paletteColor('--faint'),
  grid: { stroke: () => paletteColor('--rule'), width: 1 },
  ticks: { show: false },
  font: FONT,
};

/** The ground of a band around a curve. @param name  of the palette */
export function bandColor(name: string): string {
  return paletteColor(name).replace(/^rgba?\(([^),]+),([^),]+),([^),]+).*$/, 'rgba($1,$2,$3, 0.16)');
}

/** Points that a key moves the cursor by. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The point to which a key takes the cursor; undefined where the key moves nothing. */
export function movedCursor({ key }: KeyboardEvent, at: number, points: number): number | undefined {
  const move = MOVES[key];
  return move === undefined ? undefined : Math.min(points - 1, Math.max(0, at + move));
}
