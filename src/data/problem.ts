/** A problem as everything but its task sees it, and a verifier's context. */
import type { Json } from '../options/json.ts';
import type { FinishReason } from '../rewards/verdict.ts';
import type { Message } from '../text/codec.ts';

/** Named parameters of a task's difficulty, as written in the YAML under `task:`. */
export type Knobs = Readonly<Record<string, Json>>;

/** `train`: problems of the endless training stream; `eval`: those that are held out of it. */
export type Split = 'train' | 'eval';

/** Context of a verifier besides the answer. */
export interface VerifyContext {
  readonly finishReason: FinishReason;
  /** A method pays single steps, so the verdict should have them. */
  readonly wantsSteps?: true;
  /** A method shows feedback, so the verdict on a wrong answer should say what is wrong. */
  readonly wantsFeedback?: true;
  /** A method reads facts about states, so the environment's steps should have them. */
  readonly wantsStates?: true;
  /** A method asks the guard of an environment before each action. */
  readonly guarded?: true;
}

/** An answer for a task's `judge`: the arguments of `verify` except the knobs. */
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
  /** One correct answer, for reports and hints, never for scoring. Empty for a typed prompt, which may have none. */
  readonly answer: string;
  readonly identity: Json;
  /** Weight of a held-out problem in the means over all of them, above 0; 1 where all are alike. */
  readonly weight: number;
  /** Label of its task in a set; absent if there is only one. */
  readonly task?: string;
  /** The preset of its task; absent if none was given. */
  readonly level?: number;
  /** Further data of its task for reward functions. */
  readonly columns?: Readonly<Record<string, Json>>;
}
