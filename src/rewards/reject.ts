import type { Verdict } from './verdict.ts';

/** An answer that cannot be read in the task's grammar. */
export function malformed(reason: string): Verdict {
  return { score: 0, status: 'invalid', failure: 'bad_format', reason };
}

/** No answer at all. */
export function missing(reason: string): Verdict {
  return { score: 0, status: 'invalid', failure: 'no_answer', reason };
}

/** An answer that reads well and breaks a rule of the task. */
export function illegal(reason: string): Verdict {
  return { score: 0, status: 'incorrect', failure: 'illegal', reason };
}

/** A legal answer that is not the asked one. */
export function wrongValue(reason: string): Verdict {
  return { score: 0, status: 'incorrect', failure: 'wrong_value', reason };
}

/** The verdict on a completion that the token limit cut, for tasks whose answers include EOS. */
export function truncated(): Verdict {
  return { score: 0, status: 'truncated', failure: 'no_answer', reason: 'the token limit cut the answer' };
}
