/**
 * What is given carries no loss, and what follows is on-policy. RuscaRL shows a share of a rubric so; here it is a share
 * of a solution.
 */
import { type GroupRequest, keys, method, number, type RolloutStrategy } from '../kit.ts';
import { answerBeginnings } from '../uses/answers.ts';

export const scaffoldDecay = method({
  id: 'scaffold-decay',
  about: {
    does: 'Begins completions with parts of a solution, from much to nothing within a group, and less as the stage advances.',
    names: ['RuscaRL', 'scaffolding'],
    formula: 'member i of n begins with (n − 1 − i)/(n − 1) · 1/(1 + exp(decay·(progress − half_at))) of a solution',
    source: '2508.16949',
    certainty: 'after the paper',
  },
  against: ['all-wrong', 'low-solve-rate'],
  options: keys({
    decay: number({ above: 0, example: 125 }).default(125).describe('How steeply the share falls.'),
    halfAt: number({ min: 0, max: 1, example: 0.2 })
      .default(0.2)
      .describe('Share of the stage after which it has fallen to half.'),
  }),
  uses: () => [answerBeginnings],
  helps: ['hinted'],
  create: ({ decay, halfAt }): RolloutStrategy => ({
    async rollOut(requests, next, { progress, solution, metric }) {
      const share = 1 / (1 + Math.exp(decay * (progress - halfAt)));
      metric('share', share);
      return next(requests.map((request) => scaffolded(request, solution(request.item), share)));
    },
  }),
});

function scaffolded(request: GroupRequest, solution: Int32Array, share: number): GroupRequest {
  const { samples } = request;
  const prefixes = Array.from({ length: samples }, (_, i) => {
    const own = (share * (samples - 1 - i)) / Math.max(1, samples - 1);
    return solution.subarray(0, Math.min(solution.length - 1, Math.floor(own * solution.length)));
  });
  const isPlain = prefixes.every(({ length }) => length === 0);
  return isPlain ? request : { ...request, prefixes, origin: 'hinted' };
}
