/** What other trainers call keys, and what became of those that are no key here. */
import type { KeysElsewhere } from '../../../src/config/unknown_keys.ts';
import { MEANT_ELSEWHERE, NAMES } from './our_keys.ts';
import { UNSUPPORTED_MODEL_KEYS, UNSUPPORTED_TRL_KEYS } from './trl_keys.ts';

export const KEYS_ELSEWHERE: KeysElsewhere = {
  unsupported: { run: UNSUPPORTED_TRL_KEYS, model: UNSUPPORTED_MODEL_KEYS },
  names: NAMES,
  meant: MEANT_ELSEWHERE,
};
