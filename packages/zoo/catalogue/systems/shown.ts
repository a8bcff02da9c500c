/** What a system's config comes to beside the same without the system, of the figure that its paper claims to move. */
import { SHOWN } from './papers.ts';
import type { Shown, ShownFigures, System } from './system.ts';
import { configName } from './system_config.ts';

type Figure = Exclude<keyof ShownFigures, 'seconds'>;

const FIGURES: Readonly<Record<Figure, readonly [title: string, unit: string, scale: number]>> = {
  greedy: ['greedy', ' %', 100],
  sampled: ['sampled', ' %', 100],
  pass: ['pass@k', ' %', 100],
  length: ['tokens', '', 1],
  entropy: ['entropy', '', 1],
};

/** The t of Student's distribution that 5 of 100 values exceed, by the number of seeds. */
const STUDENT: Readonly<Record<number, number>> = { 2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776 };

/** What `npm run systems` found of it; undefined for a system that it was not run for. */
export function shownText(system: System): string | undefined {
  const name = configName(system);
  if (name === undefined || !Object.hasOwn(SHOWN, name)) return undefined;
  return textOf(SHOWN[name], system.claims);
}

/** @param claims  a figure and its direction, with a space between them */
export function textOf({ own, plain }: Shown, claims = 'sampled up'): string {
  const [figure, direction] = claims.split(' ') as [Figure, string];
  const [title, unit, scale] = FIGURES[figure];
  const differences = own[figure].map((value, seed) => value - plain[figure][seed]);
  const mean = meanOf(differences);
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const seeds = differences.length;
  const half = STUDENT[seeds] * Math.sqrt(squares / (seeds - 1) / seeds);
  const shown = (value: number): string => (value * scale).toFixed(scale === 1 ? 2 : 1);
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${shown(Math.abs(value))}`;
  const isBeyond = direction === 'up' ? mean - half > 0 : mean + half < 0;
  const verdict = isBeyond ? 'Moves as claimed' : 'No difference as claimed is seen at this size';
  const interval = `${signed(mean)}, ${signed(mean - half)} to ${signed(mean + half)}`;
  return `${verdict}: ${title} ${shown(meanOf(own[figure]))}${unit} beside ${shown(meanOf(plain[figure]))}${unit} without it (${interval}; ${seeds} seeds, ${own.seconds} s each)`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
