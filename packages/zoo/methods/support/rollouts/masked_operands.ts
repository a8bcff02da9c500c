/** What methods share that compare the policy with itself where it cannot read the operands of a problem. */
import { number } from '../../../../../src/options/keys.ts';

/** Schema of the option that says how much is masked. The papers mask 0.6 of a picture; of a text this is ours. */
export const MASK_SHARE = number({ min: 0, max: 1, example: 0.6 })
  .default(0.6)
  .describe('Share of the numbers of a prompt that are masked, or of its letters where it has no number.');
