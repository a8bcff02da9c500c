/**
 * What a method needs of a run before step 1. One file of this folder, or a user's, declares everything about a use:
 * its description, what the engine must hold and have room for, what a task must provide. A stage needs the union over
 * its methods (`stage_uses.ts`); descriptions, room and refusals are loops over it.
 */

import type { TurnForm } from '../../data/prompts/turn_forms.ts';
import type { TaskItem } from '../../data/task.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { ParameterSet } from '../parameter_sets.ts';
import type { FigureComputation } from './figure_tools.ts';

/** One thing that a method needs of the run; absent members need nothing. */
export interface Use {
  /** Uses of one id are the same thing, whichever method asks for them. */
  readonly id: string;
  /** Description of what the run has for it, for lists and documentation. */
  readonly says?: string;
  /** Uses that come with it. */
  readonly implies?: readonly Use[];
  readonly set?: ParameterSet;
  /** The name of a further model, which the config gives under `models`. */
  readonly model?: string;
  /** It derives from verdicts, whatever the rewards. */
  readonly readsVerdicts?: true;
  /** It learns from rows of preferences, which need no right answer. */
  readonly takesPreferences?: true;
  /** It takes the log-probs of the whole vocabulary, so batches are split to fit them. */
  readonly takesDistributions?: true;
  /** It scores between sampling and update, so the rollouts' activations are not kept. */
  readonly scoresBeforeUpdate?: true;
  /** Words with which the method prompts the policy, and the text of each for a pretrained model. */
  readonly words?: Readonly<Record<string, string>>;
  /** How turns are written. */
  readonly turnForm?: TurnForm;
  /** How a figure is computed. */
  readonly figure?: FigureComputation;
  /** Room that the engine must have. */
  room?(tasks: TaskSet): Room;
  /** Why a run of these tasks cannot have it. */
  refuses?(tasks: TaskSet): Refusal | undefined;
  /** Why a run that trains an adapter cannot have it. */
  readonly refusesAdapter?: Refusal;
  /** Warns that it has no effect in a stage that draws such problems: `finding; remedy`. */
  warns?(items: readonly TaskItem[]): string | undefined;
}

/** Room in the engine beyond what sampling and training take. */
export interface Room {
  /** Tokens by which a prompt may exceed the problem's own; the maximum over a run counts. */
  readonly prompt?: number;
  /** Tokens after a whole completion; the largest of a run counts. */
  readonly behind?: number;
  /** Prompts of a group besides one; those of a stage's methods add up. */
  readonly prompts?: number;
  /** Groups of a batch that solve, besides one for each problem that is asked; those of a stage's methods add up. */
  readonly groups?: number;
  /** Tokens of a text of its own that is trained on; the largest of a stage counts. */
  readonly text?: number;
}

/** An error before step 1: `<method>: rule; remedy.` */
export interface Refusal {
  readonly code: string;
  readonly rule: string;
  readonly remedy: string;
  /** Facts of the error, besides the method. */
  readonly facts?: Readonly<Record<string, string>>;
}
