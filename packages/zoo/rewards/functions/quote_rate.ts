/**
 * How much of a completion is quoted: the share of its words that are inside of a run of n words or more that a trusted text
 * has, too. After Quote-Tuning, arXiv:2404.03862, which looks n-grams up in a Bloom filter of a whole corpus; here the corpus
 * is small enough to be looked up exactly.
 */
import { z } from 'zod';
import { integer, options, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import type { RewardItem } from '../../../../src/rewards/reward_function.ts';
import { tokensOf } from '../../parsing/visible_words.ts';

const corpusOption = z
  .array(z.string({ error: 'must be a text' }), { error: 'must be a list of texts; for example ["A rose is a rose."]' })
  .optional()
  .describe('The trusted texts, of all problems. Default: those of the column.');

export const quoteRateReward = defineReward({
  does: 'Share of the words of a completion that are inside of a run of n words, or more, of a trusted text.',
  options: options({
    n: integer({ min: 1, max: 64, example: 8 }).default(8).describe('Words of the shortest quotation.'),
    corpus: corpusOption,
    column: text('context').default('context').describe('The column of a problem that has its trusted text.'),
  }),
  create: ({ n, corpus, column }) => {
    const all = corpus === undefined ? undefined : gramsOf(corpus, n);
    const textOf = ({ columns }: RewardItem): string | undefined =>
      typeof columns?.[column] === 'string' ? columns[column] : undefined;
    return {
      name: 'quote-rate',
      range: [0, 1],
      refuses: (item) =>
        all !== undefined || textOf(item) !== undefined
          ? undefined
          : `a problem has no text in the column ${column}; give it one, or give corpus`,
      score: ({ completions, items }) =>
        completions.map((completion, row) => {
          const own = textOf(items[row]);
          const grams = all ?? (own === undefined ? undefined : gramsOf([own], n));
          return grams === undefined ? null : quotedShare(completion, grams, n);
        }),
    };
  },
});

function gramsOf(texts: readonly string[], n: number): ReadonlySet<string> {
  const grams = new Set<string>();
  for (const one of texts) {
    const words = tokensOf(one);
    for (let i = 0; i + n <= words.length; i++) grams.add(words.slice(i, i + n).join(' '));
  }
  return grams;
}

function quotedShare(completion: string, grams: ReadonlySet<string>, n: number): number {
  const words = tokensOf(completion);
  let [quoted, until] = [0, 0];
  for (let i = 0; i + n <= words.length; i++) {
    if (!grams.has(words.slice(i, i + n).join(' '))) continue;
    quoted += i + n - Math.max(i, until);
    until = i + n;
  }
  return words.length === 0 ? 0 : quoted / words.length;
}
