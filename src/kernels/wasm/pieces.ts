/**
 * Cuts a replay into jobs that do not take long, so that it can be interrupted between them. How many commands one may have
 * is learned: a command over few rows takes microseconds, and over all rows of a large model a fiftieth of a second.
 */
import { MAXIMUM_PROGRAMS } from './layout.ts';

/** Commands in the command area, one after the other. */
export interface CommandRun {
  readonly address: number;
  readonly commands: number;
  /** Milliseconds that each of its commands took where it was slowest, of late. */
  slowestMs?: number;
}

/** What a job takes at most, mostly. */
const JOB_MS = 200;
/** Commands that go into a job however long they take, and of which nothing is known: threads need their time to wake. */
const FEWEST = 24;
/** What a slow job counts with each one after it: a machine that slept is forgotten, a long prefill comes again before it is. */
const FADING = 0.999;

/** A job: commands of some of the runs, in order. */
export interface Piece {
  readonly parts: readonly (readonly [address: number, commands: number])[];
  /** Whose commands these are. */
  readonly of: readonly CommandRun[];
}

/** All of it in as few jobs as there can be. */
export function wholePieces(runs: readonly CommandRun[]): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < runs.length; i += MAXIMUM_PROGRAMS) {
    const of = runs.slice(i, i + MAXIMUM_PROGRAMS);
    pieces.push({ parts: of.map(({ address, commands }) => [address, commands]), of });
  }
  return pieces;
}

/** All of it in jobs that do not take long. @param commandBytes  those of a command */
export function shortPieces(runs: readonly CommandRun[], commandBytes: number): Piece[] {
  const pieces: Piece[] = [];
  let together: CommandRun[] = [];
  let togetherMs = 0;
  const close = (): void => {
    pieces.push(...wholePieces(together));
    together = [];
    togetherMs = 0;
  };
  for (const run of runs) {
    const { address, commands, slowestMs = JOB_MS / FEWEST } = run;
    if (commands > FEWEST && commands * slowestMs > JOB_MS) {
      close();
      const most = Math.max(FEWEST, Math.floor(JOB_MS / slowestMs));
      for (let at = 0; at < commands; at += most) {
        pieces.push({ parts: [[address + at * commandBytes, Math.min(most, commands - at)]], of: [run] });
      }
      continue;
    }
    if (togetherMs + commands * slowestMs > JOB_MS) close();
    together.push(run);
    togetherMs += commands * slowestMs;
  }
  close();
  return pieces;
}

/** Remembers how long a job took. */
export function learnPace({ parts, of }: Piece, ms: number): void {
  const each = ms / parts.reduce((sum, [, commands]) => sum + commands, 0);
  for (const run of of) run.slowestMs = Math.max(FADING * (run.slowestMs ?? 0), each);
}
