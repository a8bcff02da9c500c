/** Codes of events other than the findings of diagnostics. */

/** Codes of the errors that a run stops over; they are recorded like a diagnosis, with level `stop`. */
export const STOP_CODES: readonly string[] = ['non-finite', 'off-policy', 'nothing-to-learn'];

/** Remarks of methods on each other before a stage's first step, known from the config, not from a history. */
export const COMBINATION = 'combination';

/** Why a method has ended a stage before its last step. */
export const STAGE_ENDED = 'stage-ended';

/** Methods that have done nothing in a whole stage. */
export const NEVER_ACTED = 'never-acted';
