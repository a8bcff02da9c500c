import { flag, key } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { CreditStep } from '../points.ts';
import { withoutLoss } from '../support/credit/without_loss.ts';

/** The rewards of such completions stay in the baseline, as in TRL. */
export const truncationMask = method({
  id: 'truncation-mask',
  about: {
    does: 'Leaves completions that were cut off out of the loss.',
    formula: 'm_t = 0 where the completion did not end itself',
    source: '2503.14476',
    certainty: 'paper',
  },
  against: ['truncated'],
  switchedOnBy: {
    key: key(
      'mask_truncated_completions',
      flag().default(false).describe('Give completions cut off at max_completion_length no gradient.'),
    ),
    on: (value) => (value === true ? {} : undefined),
    off: false,
    written: () => true,
  },
  tells: ['masks-ends'],
  create: (): CreditStep => ({
    apply: (groups) => withoutLoss(groups, ({ finishReason }) => finishReason === 'length'),
  }),
});
