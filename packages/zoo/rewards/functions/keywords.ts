/** Keywords of a stage or of a problem, and where a text has them: as whole words, in either case. */
import type { RewardItem } from '../../../../src/rewards/reward_function.ts';
import { tokensOf } from '../../parsing/visible_words.ts';
import { lacksTruth, listForm, truthOf } from '../truth.ts';
import type { GivenKeywords } from './keyword_options.ts';

export function keywordsOf({ keywords, column }: GivenKeywords, item: RewardItem): readonly string[] | undefined {
  return keywords ?? truthOf(listForm, item, column);
}

export function lacksKeywords({ keywords, column }: GivenKeywords, item: RewardItem): string | undefined {
  return keywords === undefined ? lacksTruth(listForm, item, column) : undefined;
}

/** [keywords] Where each begins, in words of the text and in their order. */
export function placesOf(keywords: readonly string[], completion: string): number[][] {
  const words = tokensOf(completion);
  return keywords.map((keyword) => {
    const keywordTokens = tokensOf(keyword);
    return words.flatMap((_, place) => (keywordTokens.every((word, i) => words[place + i] === word) ? [place] : []));
  });
}
