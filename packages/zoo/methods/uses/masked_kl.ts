/**
 * [tokens] nats: KL(p‖q) of the distribution p that each was sampled from, to q with a share of the problem's operands
 * masked; 0 where a token was put in. A rollout that is trained under its own prompt keeps it.
 */
import { MASKED } from '../../../../src/data/prompts/masked_prompt.ts';
import { type Figure, figure } from './figure.ts';
import { words } from './words.ts';

/** The word that replaces a masked operand. */
export const maskWord = words({ [MASKED]: '_' });

/** KL of the sampling distribution to the one under a masked prompt. @param share  of the operands; of several of a stage the largest */
export function maskedKl(share: number): Figure<Float32Array> {
  return maskedFigure('maskedKl', 'masked', share, divergences);
}

/**
 * A figure by token of what masking operands changes. @param prompt  what the second one is, in words
 * @param of  [rows] of the log-probs [rows × vocabSize] under both prompts
 */
export function maskedFigure(
  id: string,
  prompt: string,
  share: number,
  of: (logP: Float32Array, logQ: Float32Array, vocabSize: number) => Float32Array,
): Figure<Float32Array> {
  return figure<Float32Array>({
    id,
    says: `two scoring passes of what was sampled, before it is credited: whole distributions under the prompt and a ${prompt} one`,
    implies: [maskWord],
    takesDistributions: true,
    rank: share,
    async compute(members, { trained, score, masked, vocabularySize }) {
      const logP = await trained({ distributions: true });
      const changed = members.map(({ group, rollout: { prompt, tokens, labels } }) => ({
        prefix: prompt ?? masked(group.item, share),
        tokens,
        labels,
      }));
      const logQ = await score(changed, { distributions: true });
      const none = new Float32Array();
      return logP.map(({ distributions = none }, i) =>
        of(distributions, logQ[i].distributions ?? none, vocabularySize),
      );
    },
  });
}

/** [rows] KL(p‖q) of each row, in nats, of log-probs of the same tokens. @param logP, logQ  [rows × vocabSize] */
function divergences(logP: Float32Array, logQ: Float32Array, vocabSize: number): Float32Array {
  return Float32Array.from({ length: logP.length / vocabSize }, (_, row) => {
    let sum = 0;
    for (let i = row * vocabSize; i < (row + 1) * vocabSize; i++) sum += Math.exp(logP[i]) * (logP[i] - logQ[i]);
    return sum;
  });
}
