import { unreadReference } from '../../../../src/methods/chosen.ts';
import { reference } from '../../../../src/methods/uses/parameter_sets.ts';
import { type Controller, flag, integer, keys, type Levers, laterKey, method, number, optional } from '../kit.ts';
import { klOf } from '../support/loss/kl_of.ts';

export const refReset = method({
  id: 'ref-reset',
  about: {
    does: 'Makes the policy its own reference every few steps, at a bound of the KL, or where accuracy falls.',
    names: ['ProRL'],
    formula:
      'ref ← policy where step mod every = 0, step = reset_at, KL > reset_kl, or best accuracy − accuracy > reset_drop',
    source: '2505.24864',
    certainty: 'after the paper',
  },
  against: ['plateau'],
  options: keys({
    every: integer({ min: 0, example: 100 })
      .default(100)
      .describe('Optimizer steps from one reset to the next; 0 counts none.'),
    resetAt: laterKey(
      'reset_at',
      integer({ min: 0, example: 20 })
        .default(0)
        .describe('Optimizer steps after which to reset once, as at the end of prerl; 0: never.'),
    ),
    resetKl: laterKey(
      'reset_kl',
      optional(number({ above: 0, example: 0.1 })).describe(
        'KL per token above which to reset, in nats. Default none.',
      ),
    ),
    resetDrop: laterKey(
      'reset_drop',
      optional(number({ above: 0, below: 1, example: 0.05 })).describe(
        'How far greedy accuracy may fall below its best since the last reset. Default none.',
      ),
    ),
    resetsMoments: laterKey(
      'reset_moments',
      flag().default(false).describe("Zero the optimizer's moments with each reset."),
    ),
  }),
  uses: () => [reference],
  warn: ({ reset_moments: moments }, _, __, members) => (moments === true ? undefined : unreadReference(members)),
  create: ({ every, resetAt, resetKl, resetDrop, resetsMoments }): Controller => {
    let best: number | undefined;
    const reset = async (levers: Levers): Promise<void> => {
      await levers.copyToReference();
      if (resetsMoments) await levers.resetMoments();
      best = undefined;
    };
    return {
      async afterStep(metrics, levers) {
        const isDue = (every > 0 && levers.step % every === 0) || (resetAt > 0 && levers.step === resetAt);
        const isFar = !isDue && resetKl !== undefined && (await klOf(metrics, levers)) > resetKl;
        if (isDue || isFar) await reset(levers);
        if (resetKl !== undefined || resetsMoments) levers.metric('reset', isDue || isFar ? 1 : 0);
      },
      ...(resetDrop !== undefined && {
        async afterEvaluation({ accuracy: { mean } }, levers) {
          if (best !== undefined && best - mean > resetDrop) await reset(levers);
          best = Math.max(best ?? mean, mean);
        },
        state: () => ({ best: best ?? null }),
        restore(state) {
          best = (state as { readonly best: number | null }).best ?? undefined; // written by `state`
        },
      }),
    };
  },
});
