import { type GroupRequest, integer, key, keys, meanOf, method, type RolloutStrategy, shareRight } from '../kit.ts';
import { answerTokens, bestOf } from '../support/rollouts/answers.ts';
import { resized } from '../support/rollouts/request_members.ts';
import { REFINE } from '../support/rollouts/words.ts';
import { replies } from '../uses/room.ts';
import { words } from '../uses/words.ts';

export const draftRefine = method({
  id: 'draft-refine',
  about: {
    does: 'Samples drafts, and trains a group that continues from the best of them.',
    names: ['iGRPO', 'self-feedback'],
    formula: 'n completions after problem, the draft of the highest reward, and <refine>; drafts carry no loss',
    source: '2602.09000',
    certainty: 'after the paper',
  },
  options: keys({
    draftCount: key(
      'drafts',
      integer({ min: 1, max: 256, example: 4 })
        .default(4)
        .describe('Drafts of each problem, besides the num_generations that are trained on.'),
    ),
    refiningSteps: integer({ min: 0, example: 300 })
      .default(1_000_000)
      .describe('Optimizer steps of the stage that refine; the others sample plainly. Default {default}: all of them.'),
  }),
  note: () => 'evaluations ask for an answer without a draft; what a draft gains is logged as draft-refine/gain',
  uses: () => [words({ [REFINE]: 'Give a better answer.' }), replies(1)],
  demonstrate: ({ attempt, answer, followUp, ended }) => ({
    prompt: followUp([attempt, REFINE]),
    tokens: ended(answer),
  }),
  work: ({ draftCount }, _, { completion }) => ({ rows: draftCount * completion }),
  create: ({ draftCount, refiningSteps }): RolloutStrategy => ({
    async rollOut(requests, next, { step, metric, followUp }) {
      if (step >= refiningSteps) return next(requests);
      const drafts = await next(requests.map((request) => ({ ...resized(request, draftCount), origin: 'draft' })));
      const best = requests.map((_, i) => bestOf(drafts[i]));
      const refined = await next(
        requests.map(
          (request, i): GroupRequest => ({
            ...request,
            prompt: followUp(request.item, [answerTokens(best[i]), REFINE]),
            origin: 'refined',
          }),
        ),
      );
      const answered = refined.slice(0, requests.length);
      const drafted = drafts.slice(0, requests.length);
      metric('draft_solved', shareRight(drafted));
      metric('gain', shareRight(answered) - shareRight(drafted));
      metric(
        'copied',
        meanOf(answered.flatMap(({ rollouts }, i) => rollouts.map(({ text }) => Number(text === best[i].text)))),
      );
      return refined;
    },
  }),
});
