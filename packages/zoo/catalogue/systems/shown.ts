/** What a system's config comes to beside the same without the system, of the figure that its paper claims to move. */
import { SHOWN } from './papers.ts';
import type { Shown, ShownFigures, System } from './system.ts';
import { configName, proposedLines } from './system_config.ts';

type Figure = keyof ShownFigures;

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
  const shown = shownOf(system);
  return shown && textOf(shown, claimOf(system));
}

/** Whether what its paper claims is seen; undefined for a system that `npm run systems` was not run for. */
export function movesAsClaimed(system: System): boolean | undefined {
  const shown = shownOf(system);
  return shown && differenceOf(shown, claimOf(system))?.isBeyond;
}

function shownOf(system: System): Shown | undefined {
  const name = configName(system);
  return name !== undefined && Object.hasOwn(SHOWN, name) ? SHOWN[name] : undefined;
}

/** The figure that its paper claims to move, and where to, with a space between them. */
export function claimOf(system: System): string {
  return system.claims ?? (proposedLines(system).length > 0 ? 'sampled up' : 'sampled rises');
}

/** @returns undefined where the figure was not measured */
export function textOf(shown: Shown, claim: string): string | undefined {
  const difference = differenceOf(shown, claim);
  if (difference === undefined) return undefined;
  const { figure, own, before, mean, half, isBeyond, beside } = difference;
  const [title, unit, scale] = FIGURES[figure];
  const words = (value: number): string => (value * scale).toFixed(scale === 1 ? 2 : 1);
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${words(Math.abs(value))}`;
  const verdict = isBeyond ? 'Moves as claimed' : 'No difference as claimed is seen at this size';
  const interval = `${signed(mean)}, ${signed(mean - half)} to ${signed(mean + half)}`;
  return `${verdict}: ${title} ${words(meanOf(own))}${unit}, ${beside} ${words(meanOf(before))}${unit} (${interval}; ${own.length} seeds, ${shown.own.seconds} s each)`;
}

/** The mean difference over seeds, and half its 95 % interval. */
function differenceOf({ own: all, plain }: Shown, claim: string) {
  const [figure, direction] = claim.split(' ') as [Figure, string]; // as build_papers.mjs checked it
  const own = all[figure];
  const before = (direction === 'rises' ? all.start : plain)[figure];
  if (own === undefined || before === undefined) return undefined;
  const differences = own.map((value, seed) => value - (before[seed] as number));
  const mean = meanOf(differences);
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const seeds = differences.length;
  const half = (STUDENT[seeds] as number) * Math.sqrt(squares / (seeds - 1) / seeds);
  const isBeyond = direction === 'down' ? mean + half < 0 : mean - half > 0;
  return { figure, own, before, mean, half, isBeyond, beside: direction === 'rises' ? 'at the start' : 'without it' };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
