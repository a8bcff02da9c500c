/** Why a completion ended. The sampler says it and verifiers read it, so it belongs to no room. */

/** The policy ended (`eos`), the token limit cut it (`length`), or the task's fixed length was reached (`stop`). */
export type FinishReason = 'eos' | 'length' | 'stop';
