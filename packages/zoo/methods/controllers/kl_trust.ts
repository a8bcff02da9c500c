/**
 * A trust region of the KL, for what a reward alone would drive too far: a verifier that sees a part of the answer, or
 * learning from mistakes alone. What happens where the KL per token is above its limit is a choice:
 *
 *   raise   beta doubles, and halves again, down to that of the config, where the KL is below half of the limit; as the
 *           penalty of arXiv:1707.06347 §4 does with other numbers
 *   skip    the KL is that to the policy which sampled; the steps that its rollouts still have to give are left out
 *   end     the stage ends
 */

import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, choice, keys, method, number, optionOf, type StepLevers } from '../kit.ts';
import { klOf } from '../support/loss/kl_of.ts';

/** What beta is multiplied by. */
const RAISE = 2;
/** Share of the limit below which beta falls. */
const NEAR = 0.5;
/** Largest multiple of the first beta that is set. */
const MOST_RAISED = 1024;

export const klTrust = method({
  id: 'kl-trust',
  about: {
    does: 'Acts where the policy moves farther than a limit of the KL.',
    formula: 'KL > kl_limit: beta ← 2·beta; or the steps left on these rollouts are skipped; or the stage ends',
    source: 'own',
    certainty: 'own',
  },
  against: ['kl-jump'],
  options: keys({
    klLimit: number({ above: 0, example: 0.1 }).default(0.1).describe('KL per token above which it acts, in nats.'),
    beyondLimit: choice(['raise', 'skip', 'end'])
      .default('raise')
      .describe('What it does there: raise beta, skip the steps left on the rollouts, or end the stage.'),
  }),
  warn({ beyond_limit: beyond = 'raise' }, methods, { batch: { numIterations, optimizerStepsPerGeneration } }) {
    if (beyond === 'raise' && optionOf(methods, 'beta') === undefined) {
      return 'measures the KL alone, since there is no beta to raise; give the stage one, such as beta: 0.01';
    }
    return beyond === 'skip' && numIterations * optimizerStepsPerGeneration === 1
      ? 'beyond_limit: skip is without effect, since each batch gives one optimizer step; raise num_iterations, or use raise'
      : undefined;
  },
  uses: ({ beyondLimit }) => (beyondLimit === 'skip' ? [] : [reference]),
  create: ({ klLimit, beyondLimit }): Controller => {
    let first: number | undefined;
    const moveBeta = (kl: number, levers: StepLevers): void => {
      if (optionOf(levers.stage.methods, 'beta') === undefined) return;
      const beta = levers.get('beta');
      first ??= beta;
      levers.metric('beta', beta);
      if (kl > klLimit) levers.set('beta', Math.min(beta * RAISE, first * MOST_RAISED));
      else if (kl < NEAR * klLimit && beta > first) levers.set('beta', Math.max(first, beta / RAISE));
    };
    return {
      async afterStep(metrics, levers) {
        if (beyondLimit === 'skip' && levers.stepsLeft === 0) return;
        const kl = beyondLimit === 'skip' ? await levers.kl('policy') : await klOf(metrics, levers);
        levers.metric('kl', kl);
        if (beyondLimit === 'raise') moveBeta(kl, levers);
        else if (kl <= klLimit) return;
        else if (beyondLimit === 'skip') levers.dropRollouts();
        else levers.endStage(`the KL to the reference, ${kl.toPrecision(3)}, is above kl_limit ${klLimit}`);
      },
      state: () => ({ first: first ?? null }),
      restore(state) {
        first = (state as { readonly first: number | null }).first ?? undefined; // written by `state`
      },
    };
  },
});
