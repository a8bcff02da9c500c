/** How sure a completion says it is: `… <confidence> 0.8`, a number in [0, 1] or a percentage after the last mark. */
import { readNumber } from '../../../../src/parsing/number.ts';
import type { RewardBatch } from '../../../../src/rewards/reward_function.ts';

const CLOSING = /<\/[a-z]+>\s*$/;

export interface Stated {
  readonly confidence: number;
  /** The verdict's score of what precedes the mark; null where there is none to give. */
  readonly score: number | null;
}

/** Undefined where the completion states none. The verifier reads what precedes the mark. */
export function statedIn({ completions, judge, verdicts }: RewardBatch, row: number, mark: string): Stated | undefined {
  const completion = completions[row];
  const place = completion.lastIndexOf(mark);
  if (place < 0) return undefined;
  const read = readNumber(completion.slice(place + mark.length).replace(CLOSING, ''));
  const confidence = read.ok ? read.value.valueOf() : -1;
  if (confidence < 0 || confidence > 1) return undefined;
  const before = completion.slice(0, place).trimEnd();
  return { confidence, score: (judge?.(row, before) ?? verdicts[row]).score };
}
