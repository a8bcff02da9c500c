/**
 * How far the keywords keep their order: LCS(order in the text, keywords)/K − share of the occurrences that repeat an earlier
 * one. As in RLVRR. Listing the keywords again and again costs as much as it could give.
 */
import { longestCommonSubsequence } from '../../../../src/parsing/common_subsequence.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { KEYWORD_OPTIONS, keywordRules } from './keyword_options.ts';
import { keywordsOf, lacksKeywords, placesOf } from './keywords.ts';

export const keywordChainReward = defineReward({
  does: 'How many keywords a right completion has in their order, as a share of all, less the share of repeats; 0 for a wrong one.',
  options: KEYWORD_OPTIONS,
  rules: keywordRules,
  create: ({ gated, ...given }) => ({
    name: 'keyword-chain',
    range: [-1, 1],
    refuses: (item) => lacksKeywords(given, item),
    score: ({ completions, items, verdicts }) =>
      completions.map((completion, row) => {
        const keywords = keywordsOf(given, items[row]);
        const { score } = verdicts[row];
        if (keywords === undefined || (gated && score === null)) return null;
        return gated && score !== 1 ? 0 : chainScore(placesOf(keywords, completion));
      }),
  }),
});

/** @param places  of each keyword in the text */
function chainScore(places: readonly (readonly number[])[]): number {
  const inTextOrder = places
    .flatMap((own, keyword) => own.map((place) => ({ place, keyword })))
    .sort((a, b) => a.place - b.place || a.keyword - b.keyword)
    .map(({ keyword }) => keyword);
  if (inTextOrder.length === 0) return 0;
  const inOrder = longestCommonSubsequence(inTextOrder, [...places.keys()]);
  return inOrder / places.length - (1 - new Set(inTextOrder).size / inTextOrder.length);
}
