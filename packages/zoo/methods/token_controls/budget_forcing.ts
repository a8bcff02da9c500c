/**
 * What is put in carries no loss; what follows is trained on as usual. Budget forcing of s1 (arXiv:2501.19393), as J1
 * uses it.
 */
import { integer, key, keys, method, type TokenControl, text } from '../kit.ts';
import { writtenText } from '../uses/words.ts';

export const budgetForcing = method({
  id: 'budget-forcing',
  about: {
    does: 'Makes a completion continue that ends before it has min_tokens tokens.',
    names: ['s1', 'J1', 'wait', 'min_think_tokens'],
    formula: 'forced_text in the place of an end before min_tokens tokens; as often as it comes, at most `times` times',
    source: '2501.19393',
    certainty: 'after the paper',
    when: 'For reasoning that stops too early; of no use where an answer has a fixed length.',
  },
  options: keys({
    leastTokens: key(
      'min_tokens',
      integer({ min: 0, max: 1_000_000, example: 16 })
        .default(16)
        .describe('Tokens before which a completion does not end, what is put in included.'),
    ),
    forcedText: text('Wait').default('Wait').describe('What takes the place of an end.'),
    times: integer({ min: 1, max: 1024, example: 4 })
      .default(4)
      .describe('Ends of a completion that are taken back, at most.'),
  }),
  uses: ({ forcedText }) => [writtenText(forcedText)],
  note: () => 'held-out completions end where they do; compare evaluations with those of a run without it',
  create: ({ leastTokens, forcedText, times }): TokenControl => ({
    atEnd(tokens, _item, seen) {
      if (tokens.length >= leastTokens) return undefined;
      const forced = seen.tokensOf(forcedText);
      return occurrences(tokens, forced) < times ? [...forced] : undefined;
    },
  }),
});

/** How often a stretch of tokens occurs, one after the other; at least as often as it was put in. */
function occurrences(tokens: Int32Array, part: Int32Array): number {
  let count = 0;
  for (let t = 0; t + part.length <= tokens.length; ) {
    const isHere = part.every((token, i) => tokens[t + i] === token);
    count += Number(isHere);
    t += isHere ? part.length : 1;
  }
  return count;
}
