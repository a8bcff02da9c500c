/**
 * The prompt is an end of text alone, and the old log-probs are those after it, so the ratio is 1 to begin with. With
 * `sample-sign: negative` only what was wrong is made rarer, as in the paper.
 */
import { integer, keys, method, type RolloutGroup, type RolloutStrategy, type RolloutTools } from '../kit.ts';

export const prerl = method({
  id: 'prerl',
  about: {
    does: 'Trains the first steps of a stage on completions without their problem.',
    names: ['PreRL', 'NSR-PreRL', 'prompt-free'],
    formula: 'r = π(c_t | <eos>, c_<t)/π_old(c_t | <eos>, c_<t) for prompt_free_steps; then plain sampling',
    source: 'own',
    certainty: 'after the paper',
    when: 'For the first steps of a pretrained model that writes fluent text without a prompt; of no use from random weights.',
  },
  options: keys({
    promptFreeSteps: integer({ min: 1, max: 1_000_000, example: 20 })
      .default(20)
      .describe('Optimizer steps without it.'),
  }),
  note: (_, { creditSteps }) =>
    creditSteps.some(({ name }) => name === 'sample-sign')
      ? undefined
      : 'raises what was right whatever was asked; credit_steps: [{name: sample-sign, kept_sign: negative}] lowers what was wrong alone',
  create: ({ promptFreeSteps }): RolloutStrategy => ({
    async rollOut(requests, next, tools) {
      const groups = await next(requests);
      if (tools.step >= promptFreeSteps) return groups;
      const free: RolloutGroup[] = [];
      for (const group of groups) free.push(await promptFree(group, tools));
      return free;
    },
  }),
});

async function promptFree(group: RolloutGroup, { logprobs, end }: RolloutTools): Promise<RolloutGroup> {
  const scored = await logprobs(
    end,
    group.rollouts.map(({ tokens }) => tokens),
    group.rollouts.map(({ support }) => support),
  );
  return {
    ...group,
    rollouts: group.rollouts.map((rollout, i) => ({
      ...rollout,
      sampledUnder: rollout.prompt ?? group.prompt,
      prompt: end,
      logprobs: scored[i],
    })),
  };
}
