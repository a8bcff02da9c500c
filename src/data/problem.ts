/** One problem as everything but its task sees it, and what a verifier may know of a completion. */
import type { Json } from '../options/json.ts';
import type { FinishReason } from '../rewards/verdict.ts';
import type { Message } from '../text/codec.ts';

/** Named parameters of a task's difficulty, as written in the YAML under `task:`. */
export type Knobs = Readonly<Record<string, Json>>;

/** `train`: problems of the endless training stream; `eval`: those that are held out of it. */
export type Split = 'train' | 'eval';

/** What a verifier may know besides the answer. */
export interface VerifyContext {
  readonly finishReason: FinishReason;
  /** A method pays single steps: the verdict is to have them. */
  readonly wantsSteps?: true;
  /** A method shows what was wrong: the verdict on a wrong answer is to say it. */
  readonly wantsFeedback?: true;
  /** A method reads what the environment knows of its states: its steps are to say it. */
  readonly wantsStates?: true;
  /** A method asks the guard of an environment before each action. */
  readonly guarded?: true;
}

/** An answer to a problem, as a task's `judge` is asked: what its `verify` is asked, besides the knobs. */
export interface AskedAnswer<I> {
  readonly identity: I;
  readonly answer: string;
  readonly context: VerifyContext;
}

/** One problem as the trainer sees it. */
export interface TaskItem {
  readonly id: string;
  readonly key: string;
  readonly split: Split;
  readonly prompt: string;
  /** The prompt as a conversation, where it is more than one question. */
  readonly messages?: readonly Message[];
  /** One correct answer, for reports and for hints; never used to score. Empty for a prompt that a person typed: it may have none. */
  readonly answer: string;
  readonly identity: Json;
  /** Weight of a held-out problem in the means over all of them, above 0; 1 where all are alike. */
  readonly weight: number;
  /** Which task of a set it belongs to, by label; absent where there is one task alone. */
  readonly task?: string;
  /** The preset that its task was given; absent where it was given none. */
  readonly level?: number;
  /** What its task says of it besides, for reward functions. */
  readonly columns?: Readonly<Record<string, Json>>;
}
