/**
 * The share of the keywords that a completion has, each counted once, and 0 for a wrong answer. As in CogRE.
 */
import { defineReward } from '../../../../src/rewards/definition.ts';
import { KEYWORD_OPTIONS, keywordRules } from './keyword_options.ts';
import { keywordsOf, lacksKeywords, placesOf } from './keywords.ts';

export const keywordCoverageReward = defineReward({
  does: 'The share of the keywords that a right completion has as whole words, each counted once; 0 for a wrong one.',
  options: KEYWORD_OPTIONS,
  rules: keywordRules,
  create: ({ gated, ...given }) => ({
    name: 'keyword-coverage',
    range: [0, 1],
    refuses: (item) => lacksKeywords(given, item),
    score: ({ completions, items, verdicts }) =>
      completions.map((completion, row) => {
        const keywords = keywordsOf(given, items[row]);
        const { score } = verdicts[row];
        if (keywords === undefined || (gated && score === null)) return null;
        if (gated && score !== 1) return 0;
        return placesOf(keywords, completion).filter((places) => places.length > 0).length / keywords.length;
      }),
  }),
});
