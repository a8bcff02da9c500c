import { flag, integer, key, number } from '../../options/keys.ts';
import { unreadReference } from '../chosen.ts';
import { method } from '../method.ts';
import type { Controller } from '../points.ts';
import { averagedWeights, reference } from '../uses/parameter_sets.ts';

export const refSync = method({
  id: 'ref-sync',
  about: {
    does: 'Moves the reference towards the policy every few steps.',
    names: ['TR-DPO'],
    formula: 'ref ← α·policy + (1 − α)·ref where step mod ref_model_sync_steps = 0',
    source: '2404.09656',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    mixupAlpha: key(
      'ref_model_mixup_alpha',
      number({ min: 0, max: 1, example: 0.6 })
        .default(0.6)
        .describe('Share of the policy in the new reference; 1 replaces it.'),
    ),
    syncSteps: key(
      'ref_model_sync_steps',
      integer({ min: 1, example: 64 }).default(512).describe('Optimizer steps from one sync to the next.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'sync_ref_model',
      flag().default(false).describe('Move the reference towards the policy every ref_model_sync_steps.'),
    ),
    on: (value) => (value === true ? {} : undefined),
    written: () => true,
  },
  uses: ({ mixupAlpha }) => [
    reference,
    ...(mixupAlpha === 1 ? [] : [averagedWeights('set ref_model_mixup_alpha: 1, which copies it')]),
  ],
  warn: (_, __, ___, members) => unreadReference(members),
  create: ({ mixupAlpha, syncSteps }): Controller => ({
    async afterStep(_, levers) {
      if (levers.step % syncSteps === 0) await levers.mixIntoReference(mixupAlpha);
    },
  }),
});
