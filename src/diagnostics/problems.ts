/** Counts the different problems that a stage draws from an endless stream, in bounded memory. */
import { murmur3OfText } from '../kernels/murmur3.ts';

/** Hits on a full sample come once in (problems / SAMPLE) draws: 512 of 10,000 problems are met every 20 draws. */
const SAMPLE = 512;

/** Plain JSON. */
export interface ProblemCount {
  drawn: number;
  /** Hashes of the first different problems, at most SAMPLE. */
  readonly sample: number[];
  /** Draws since the sample was full, and how many of them hit it. */
  drawnSince: number;
  hits: number;
}

export function startCount(): ProblemCount {
  return { drawn: 0, sample: [], drawnSince: 0, hits: 0 };
}

/** @param keys  of the problems drawn */
export function countProblems(problems: ProblemCount, keys: readonly string[]): void {
  const sampled = new Set(problems.sample);
  const words = new Uint32Array(4);
  for (const key of keys) {
    murmur3OfText(key, words);
    const hash = words[0] ?? 0;
    problems.drawn++;
    if (problems.sample.length < SAMPLE) {
      if (!sampled.has(hash)) problems.sample.push(hash);
      sampled.add(hash);
    } else {
      problems.drawnSince++;
      if (sampled.has(hash)) problems.hits++;
    }
  }
}

/** Different problems in the stream: exact while they are few, else estimated. @returns infinity where none came again */
export function differentProblems({ sample, drawnSince, hits }: ProblemCount): number {
  if (sample.length < SAMPLE || drawnSince === 0) return sample.length;
  return hits === 0 ? Number.POSITIVE_INFINITY : Math.max(SAMPLE, (SAMPLE * drawnSince) / hits);
}
