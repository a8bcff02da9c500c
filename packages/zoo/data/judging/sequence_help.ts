/** What helps with answers that are sequences: which parts of one are right, the first parts, and how far an answer is right. */
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import type { Verdict, VerdictStep } from '../../../../src/rewards/verdict.ts';
import { stepsBetween } from '../../rewards/verdict_steps.ts';

/** Shares of an answer that hints show. */
const SHOWN = [0.25, 0.5, 0.75];

/**
 * The parts of an answer, each judged at its place; of a right answer in another notation, all are right.
 *
 * @param separator  between parts; '' where each character is one
 */
export function sequenceSteps(right: string, separator: string, answer: string, { score }: Verdict): VerdictStep[] {
  const parts = right.split(separator);
  return stepsBetween(answer, separator, (part, place) => score === 1 || part === trimAscii(parts[place] ?? ''));
}

/** The first parts, one more each time; never all of them. */
export function growingParts(parts: readonly (string | number)[], separator: string): string[] {
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join(separator));
}

/** The first parts of an answer, from few to many; never all of them. */
export function sequenceHints(right: string, separator: string): string[] {
  const parts = right.split(separator);
  const counts = new Set(SHOWN.map((share) => Math.floor(share * parts.length)));
  return [...counts].filter((count) => count > 0).map((count) => parts.slice(0, count).join(separator));
}

/** The parts of an answer up to the first that is wrong, as they should be; never all of the right one. */
export function rightSoFar(right: string, separator: string, answer: string): string {
  const parts = right.split(separator);
  const given = trimAscii(answer).split(separator);
  const wrong = parts.findIndex((part, place) => trimAscii(given[place] ?? '') !== trimAscii(part));
  return parts.slice(0, wrong < 0 ? parts.length - 1 : wrong).join(separator);
}
