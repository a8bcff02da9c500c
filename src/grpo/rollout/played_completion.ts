/** A completion that an environment has judged, so it needs no verifier. */
import type { VerifiedCompletion } from '../../methods/records.ts';
import type { Completion } from '../../model/sampling/generation.ts';

/** A completion whose verdict came with its last turn. */
export interface PlayedCompletion extends Completion, Pick<VerifiedCompletion, 'text' | 'turns' | 'verdict'> {}

export function isPlayed(completion: Completion): completion is PlayedCompletion {
  return 'turns' in completion && 'verdict' in completion;
}
