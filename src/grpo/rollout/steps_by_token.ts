/** Maps the steps that a verifier found in a text to the tokens that wrote them. */
import type { TokenStep } from '../../methods/records.ts';
import type { VerdictStep } from '../../rewards/verdict.ts';
import type { Codec } from '../../text/codec.ts';

/**
 * A token belongs to a step if it wrote one of its characters; separators and the completion's end belong to none.
 *
 * @param tokens  of the whole completion
 * @param steps  of its text, in order; one that no token wrote is left out
 */
export function stepsByToken(
  codec: Pick<Codec, 'decode'>,
  tokens: Int32Array,
  steps: readonly VerdictStep[],
): TokenStep[] {
  // A codec may join tokens with spaces or need several for a character, so only decoding each beginning tells where it
  // ends.
  const ends = Array.from(tokens, (_, t) => codec.decode(tokens.subarray(0, t + 1)).length);
  return steps.flatMap(({ from, to, score }) => {
    const first = ends.findIndex((end) => end > from);
    const last = ends.findIndex((end) => end >= to);
    const step = { from: first, to: (last < 0 ? tokens.length - 1 : last) + 1, score };
    return first < 0 ? [] : [step];
  });
}
