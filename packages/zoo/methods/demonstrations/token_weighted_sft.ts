/** A demonstration without the mark is learned as it is. GUI-Libra, arXiv:2602.22190, weighs actions so. */
import { TOKEN } from '../../../../src/token_kinds.ts';
import { type DemonstrationMethod, type DemonstrationSource, key, keys, method, number, text } from '../kit.ts';

export const tokenWeightedSft: DemonstrationMethod = method({
  id: 'token-weighted-sft',
  about: {
    does: 'Weighs what follows a mark in a demonstration, its answer or action, against what comes before.',
    names: ['GUI-Libra', 'action-aware SFT'],
    formula: '−Σ_t w_t·log π_t / Σ_t w_t, w = answer_weight after the last mark of a turn, else 1',
    source: '2602.22190',
    certainty: 'after the paper',
    when: 'Where demonstrations reason at length before a short answer, which else carries little of the loss.',
  },
  options: keys({
    openingMark: key('mark', text('<answer>').default('<answer>').describe('What opens the answer.')),
    answerWeight: number({ min: 0, example: 2 })
      .default(2)
      .describe('Weight of a token after the mark; 1 is the plain loss.'),
  }),
  create: ({ openingMark, answerWeight }): DemonstrationSource => ({
    weigh({ tokens, labels }, textOf) {
      const weights = new Float64Array(tokens.length).fill(1);
      const isGiven = (t: number): boolean => labels?.[t] === TOKEN.given;
      for (let from = 0; from < tokens.length; from++) {
        if (isGiven(from)) continue;
        let to = from;
        while (to < tokens.length && !isGiven(to)) to++;
        const opened = openedAt(tokens.subarray(from, to), openingMark, textOf);
        if (opened !== undefined) weights.fill(answerWeight, from + opened, to);
        from = to;
      }
      return weights;
    },
  }),
});

/** The first token after the last mark; undefined where there is none. Text grows with tokens, so that halving finds it. */
function openedAt(tokens: Int32Array, mark: string, textOf: (tokens: Int32Array) => string): number | undefined {
  const at = textOf(tokens).lastIndexOf(mark);
  if (at < 0) return undefined;
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (textOf(tokens.subarray(0, middle)).length >= at + mark.length) high = middle;
    else low = middle + 1;
  }
  return low;
}
