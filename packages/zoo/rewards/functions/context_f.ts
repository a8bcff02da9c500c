/**
 * An answer and the evidence that it cites. As in LongRLVR.
 *
 *   R = R_ans + 0.1·F + 0.9·R_ans·F,   F = (1 + β²)·P·C/(β²·P + C) of the cited ids, β = 2; 0 for an answer that cannot be read
 *
 * Citations are `[id]`, each counted once; the verifier reads the completion without them. Without F alone in the sum, a piece
 * of evidence would be paid only where all others are there already.
 */
import { number, options, text } from '../../../../src/options/keys.ts';
import { trimAscii } from '../../../../src/parsing/trim_ascii.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { lacksTruth, listForm, truthOf } from '../truth.ts';

const CITATION = /\[([^[\]\n]{1,64})\]/g;
const ALONE = 0.1;

export const contextFReward = defineReward({
  does: 'Pays the answer and, by F-beta, the ids that it cites as [id]: answer + 0.1 F + 0.9 answer F; 0 to 2.',
  options: options({
    column: text('evidence')
      .default('evidence')
      .describe('The column of a problem that lists the ids of the evidence.'),
    beta: number({ above: 0, example: 2 })
      .default(2)
      .describe('How much more finding all counts than citing no other.'),
  }),
  create: ({ column, beta }) => ({
    name: 'context-f',
    range: [0, 2],
    refuses: (item) => lacksTruth(listForm, item, column),
    score: ({ completions, items, judge, verdicts }) =>
      completions.map((completion, row) => {
        const evidence = truthOf(listForm, items[row], column);
        if (evidence === undefined) return null;
        const cited = new Set(Array.from(completion.matchAll(CITATION), ([, id]) => trimAscii(id)));
        const verdict = cited.size === 0 ? verdicts[row] : judge?.(row, trimAscii(completion.replaceAll(CITATION, '')));
        const { score, status } = verdict ?? verdicts[row];
        if (score === null) return null;
        if (status === 'invalid' || status === 'truncated') return 0;
        const answer = Number(score === 1);
        const f = fBeta(cited, new Set(evidence), beta);
        return answer + ALONE * f + (1 - ALONE) * answer * f;
      }),
  }),
});

function fBeta(cited: ReadonlySet<string>, evidence: ReadonlySet<string>, beta: number): number {
  const hits = [...cited].filter((id) => evidence.has(id)).length;
  if (hits === 0) return 0;
  const precision = hits / cited.size;
  const recall = hits / evidence.size;
  return ((1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
}
