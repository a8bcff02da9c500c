/** The steps of answers that are lists of parts: each is judged by itself. */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';
import type { VerdictStep } from '../../../src/rewards/verdict.ts';

/**
 * The parts of an answer between separators, each with the separator before it.
 *
 * @param isRight  whether a part, without the spaces around it, is right at its place; asked in their order
 */
export function stepsBetween(
  answer: string,
  separator: string,
  isRight: (part: string, place: number) => boolean,
): VerdictStep[] {
  let from = 0;
  return answer.split(separator).map((part, place) => {
    const to = from + part.length + (place === 0 ? 0 : separator.length);
    const step = { from, to, score: isRight(trimAscii(part), place) ? 1 : 0 };
    from = to;
    return step;
  });
}
