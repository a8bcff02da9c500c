/**
 * What a policy acts in. Pure: a state goes in and a state comes out, as plain JSON, so that a resume and a tree search
 * can copy it. A task whose problem is answered by one text is an environment of one turn.
 */
import type { Verdict } from '../rewards/verdict.ts';
import type { Message } from '../text/codec.ts';
import type { Task, TaskItem, VerifyContext } from './task.ts';

/** What a policy acts in over several turns: I is a problem, S a state, both plain JSON. It keeps nothing itself. */
export interface Environment<I, S> {
  /** The first state of a problem, and what the policy is asked. */
  start(item: I): { readonly state: S; readonly prompt: readonly Message[] };
  /** What an action, the text of a completion, leads to. Total: any string is an action. */
  step(state: S, action: string, context: VerifyContext): EnvironmentStep<S>;
}

/** Where an action has led. */
export interface EnvironmentStep<S> {
  readonly state: S;
  /** What the policy sees before its next action. */
  readonly observation?: readonly Message[];
  readonly done: boolean;
  /** Reward of this action alone, where single actions are paid. */
  readonly reward?: number;
  /** Verdict on the whole episode; there once it is done. */
  readonly verdict?: Verdict;
}

/**
 * A task as an environment of one turn: its prompt, then its verdict. The state is the problem itself.
 *
 * @param opening  what precedes the question
 */
export function singleTurn(
  { verify }: Pick<Task, 'verify'>,
  opening: (item: TaskItem) => readonly Message[] = () => [],
): Environment<TaskItem, TaskItem> {
  return {
    start: (item) => ({ state: item, prompt: [...opening(item), ...questionOf(item)] }),
    step: (item, action, context) => ({ state: item, done: true, verdict: verify(item, action, context) }),
  };
}

/** What an item asks, as turns. */
export function questionOf({ messages, prompt }: TaskItem): readonly Message[] {
  return messages ?? [{ role: 'user', content: prompt }];
}
