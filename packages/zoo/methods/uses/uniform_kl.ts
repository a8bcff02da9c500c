/** [tokens] nats: KL(U‖p) of the distribution p that each was sampled from, from the uniform one; 0 where it was put in. */
import { TOKEN } from '../../../../src/token_kinds.ts';
import { figure } from './figure.ts';

/** [tokens] how sure the policy was of each sampled token: KL(U‖p), in nats. */
export const uniformKl = figure<Float32Array>({
  id: 'uniformKl',
  says: 'a scoring pass of what was sampled, before it is credited: divergences of whole distributions from the uniform one',
  takesDistributions: true,
  async compute(members, { trained, vocabularySize }) {
    const scores = await trained({ distributions: true });
    return scores.map(({ distributions = new Float32Array() }, i) => {
      const { labels } = members[i].rollout;
      return uniformDivergences(distributions, vocabularySize).map((nats, t) =>
        labels?.[t] === TOKEN.given ? 0 : nats,
      );
    });
  },
});

/** [rows] KL(U‖p) of each row from the uniform distribution, in nats. @param logProbs  [rows × vocabSize] */
export function uniformDivergences(logProbs: Float32Array, vocabSize: number): Float32Array {
  const uniform = -Math.log(vocabSize);
  return Float32Array.from({ length: logProbs.length / vocabSize }, (_, row) => {
    let sum = 0;
    for (let i = row * vocabSize; i < (row + 1) * vocabSize; i++) sum += logProbs[i];
    return uniform - sum / vocabSize;
  });
}
