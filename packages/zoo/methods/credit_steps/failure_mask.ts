/**
 * An answer that cannot be read says nothing about whether the reasoning was right, so it need not be punished as a
 * wrong one is. Rewards of masked completions still count in the baseline, as those of truncated ones do. After
 * CompassVerifier.
 */
import { z } from 'zod';
import { withoutLoss } from '../../../../src/methods/support/credit/without_loss.ts';
import { type CreditStep, keys, method } from '../kit.ts';

const failure = z.enum(['no_answer', 'bad_format', 'illegal', 'wrong_value', 'partial', 'timeout', 'error'], {
  error: 'not a failure; use no_answer, bad_format, illegal, wrong_value, partial, timeout or error',
});

/** Those that say nothing of whether an answer is right. */
const OF_FORM: ReadonlySet<string> = new Set(['no_answer', 'bad_format', 'timeout']);

export const failureMask = method({
  id: 'failure-mask',
  about: {
    does: 'Leaves completions out of the loss that fail in one of these ways.',
    names: ['invalid answers'],
    formula: 'm_i = 0 where the failure of the verdict is one of masked_failures',
    source: '2508.03686',
    certainty: 'after the paper',
    when: 'Where some failures are of the setting and not of the policy, such as time-outs; else they go unpunished.',
  },
  options: keys({
    maskedFailures: z
      .array(failure, { error: 'must be a list of failures; for example [bad_format]' })
      .min(1, { error: 'names no failure; for example [bad_format]' })
      .default(['no_answer', 'bad_format'])
      .describe('Which failures, as `failure` of completions.jsonl calls them.'),
  }),
  readsVerdicts: ({ maskedFailures }) => maskedFailures.some((one) => !OF_FORM.has(one)),
  create: ({ maskedFailures }): CreditStep => ({
    apply: (groups, { metric }) => {
      const masked = new Set<string>(maskedFailures);
      const all = groups.flatMap(({ rollouts }) => rollouts);
      const fails = ({ verdict: { failure: own } }: (typeof all)[number]): boolean =>
        own !== undefined && masked.has(own);
      metric('masked', all.filter(fails).length / Math.max(1, all.length));
      return withoutLoss(groups, fails);
    },
  }),
});
