/**
 * How much of a list is there in its order: LCS(answer, truth) / max(length of answer, length of truth). An element too many,
 * or one that is repeated, costs as much as one that is missing.
 */
import { options } from '../../../../src/options/keys.ts';
import { longestCommonSubsequence } from '../../../../src/parsing/common_subsequence.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { comparing, listForm } from '../truth.ts';

export const orderedMatchReward = defineReward({
  does: 'The longest common subsequence of two lists over the length of the longer one.',
  options: options({ column: truthColumn }),
  create: ({ column }) =>
    comparing({
      name: 'ordered-match',
      range: [0, 1],
      truth: listForm,
      column,
      score(answer, truth) {
        const list = listForm.read(answer) ?? [];
        return longestCommonSubsequence(list, truth) / Math.max(list.length, truth.length);
      },
    }),
});
