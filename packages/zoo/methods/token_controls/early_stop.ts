import { choice, keys, method, type TokenControl, text } from '../kit.ts';

/** What would follow is neither sampled nor trained on. */
export const earlyStop = method({
  id: 'early-stop',
  about: {
    does: 'Ends a completion at the end of its answer.',
    formula: 'stop after closing_tag, or where the verdict of what is written is right',
    source: '2505.11966',
    certainty: 'after the paper',
  },
  options: keys({
    endsAt: choice(['tag', 'solved'], 'not an end')
      .default('tag')
      .describe('tag: after closing_tag; solved: where what is written so far is right.'),
    closingTag: text('</answer>').default('</answer>').describe('What closes an answer.'),
  }),
  warn: ({ ends_at: end }) =>
    end === 'solved'
      ? 'the answer key ends completions that are right, so that the policy never learns to end them by itself, and ' +
        'held-out ones continue; use ends_at: tag, or compare evaluations with those of a run without it'
      : undefined,
  readsVerdicts: ({ endsAt }) => endsAt === 'solved',
  create: ({ endsAt, closingTag }): TokenControl => ({
    after(_tokens, _item, seen) {
      const isOver = endsAt === 'tag' ? seen.text().includes(closingTag) : seen.verdict().score === 1;
      return isOver ? 'stop' : undefined;
    },
  }),
});
