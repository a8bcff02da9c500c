/**
 * What a verifier says about one completion. A verifier is total and pure: any string in, a verdict out; it
 * never throws, never hangs, and runs the policy's text, if at all, in a sandbox.
 */
export interface Verdict {
  /** In [0, 1]; 1 means fully correct, everything else means not correct. null: not applicable to this item. */
  readonly score: number | null;
  /** `invalid`: unparsable or unscorable; `truncated`: cut by the token limit where the answer needs its end. */
  readonly status: 'correct' | 'incorrect' | 'invalid' | 'truncated';
  /** Class of the failure, counted in a histogram. */
  readonly failure?: 'no_answer' | 'bad_format' | 'illegal' | 'wrong_value' | 'partial' | 'timeout' | 'error';
  /** One short sentence for people: why the completion is right or wrong. Never contains a solution. */
  readonly reason: string;
  /** Normal form of the answer: majority votes, count of distinct correct answers. */
  readonly canonical?: string;
  /** Sub-scores in [0, 1] by name; a reward function may train on one, evaluation never does. */
  readonly parts?: Readonly<Record<string, number>>;
  /** What is wrong, in the task's notation, where the verifier is asked for it; '' where it has nothing to say. Never a solution. */
  readonly feedback?: string;
  /** The steps of a solution, in order, where the verifier is asked for them and the task has some. */
  readonly steps?: readonly VerdictStep[];
}

/** A step by itself, whatever becomes of the answer. */
export interface VerdictStep {
  /** UTF-16 units of the text that the verifier read, `to` not included. */
  readonly from: number;
  readonly to: number;
  /** In [0, 1]. */
  readonly score: number;
}

export type { FinishReason } from '../finish_reason.ts';
