/** What is put into a completion, or ends or heats it, while it is sampled. A new method is a file here and a line below. */
import type { Method } from '../method.ts';
import type { TokenControl } from '../points.ts';
import { annealInSequence } from './anneal_in_sequence.ts';
import { answerForcing } from './answer_forcing.ts';
import { budgetForcing } from './budget_forcing.ts';
import { constrainedDecoding } from './constrained_decoding.ts';
import { earlyStop } from './early_stop.ts';
import { repetitionStop } from './repetition_stop.ts';
import { truncatedSupport } from './truncated_support.ts';

export const TOKEN_CONTROLS: readonly Method<TokenControl>[] = [
  repetitionStop,
  earlyStop,
  answerForcing,
  annealInSequence,
  budgetForcing,
  constrainedDecoding,
  truncatedSupport,
];
