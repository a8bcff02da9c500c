/** Room in the engine for prompts and texts that plain sampling and training do not have. */

import { longestWord } from '../../../../src/data/prompts/follow_up.ts';
import type { TaskSet } from '../../../../src/data/task_set.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/** Tokens that a template adds for another turn, and for worse merges at joints. */
const TURN_TOKENS = 32;

/** Most tokens by which a prompt after `replies` replies is longer than the problem's own. */
export function mostFollowUpTokens({ codec, maxCompletionTokens }: TaskSet, replies: number): number {
  return replies * (maxCompletionTokens + longestWord({ codec }) + (codec.joint === undefined ? TURN_TOKENS : 0));
}

/** Prompts that show this many texts besides the problem, at most: `RolloutTools.shown`. */
export function shownTexts(count: number): Use {
  return {
    id: `shown-texts:${count}`,
    says: 'room for prompts that show something besides the problem',
    room: ({ maxShownTokens }) => ({ prompt: count * maxShownTokens }),
  };
}

/** Prompts that continue after this many completions, at most: `RolloutTools.followUp`. */
export function replies(count: number): Use {
  return {
    id: `replies:${count}`,
    says: 'room for prompts that continue after a completion',
    room: (tasks) => ({ prompt: mostFollowUpTokens(tasks, count) }),
  };
}

/** Prompts that some of a group's completions are trained under, at most, besides that of the others. */
export function furtherPrompts(count: number): Use {
  return {
    id: `further-prompts:${count}`,
    says: 'room for several prompts of a group',
    room: () => ({ prompts: count }),
  };
}

/** Groups that solve, at most, which a strategy gives besides those that it was asked for. */
export function furtherGroups(count: number): Use {
  return {
    id: `further-groups:${count}`,
    says: 'room for groups besides those that are asked',
    room: () => ({ groups: count }),
  };
}

/** One of its words after a whole completion: `TrainedText.behind`, and the figure `selfLogprob`. */
export const wordsBehind: Use = {
  id: 'words-behind',
  says: 'room for a word after each completion',
  room: (tasks) => ({ behind: longestWord(tasks) }),
};

/** Demonstrations of the task's problems, which may be longer than a whole group: `LossTerm.texts`. */
export const demonstrations: Use = {
  id: 'demonstrations',
  says: 'a task that has demonstrations',
  room: ({ maxCompletionTokens }) => ({ text: maxCompletionTokens }),
};
