/** Tasks, and verdicts by the toss of a coin, for stages in which a policy of random weights has something to learn. */
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import type { SmallRun } from '../../../../test/support/small_runs.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';

export type Verify = NonNullable<SmallRun['verify']>;

export interface TaskLines {
  /** Absent: it is played in turns, and judges itself. */
  readonly name?: 'reverse_text' | 'sort_digits' | 'countdown';
  readonly yaml: string;
  /** What completions of it may hold, for methods that look for a mark or write one. */
  readonly mark: string;
}

/** Rewards from 0 to 1, as some objectives want them; those of weight 0 are there for group steps that read them. */
export const TASKS: readonly TaskLines[] = [
  {
    name: 'reverse_text',
    mark: 'a',
    yaml: 'task: {name: reverse_text, min_length: 2, max_length: 3}\nreward_funcs: [{name: lcs, weight: 0.5}, {name: accuracy, weight: 0.5}, {name: positions, weight: 0}]',
  },
  {
    name: 'sort_digits',
    mark: '1',
    yaml: 'task: {name: sort_digits, digits: 2}\nreward_funcs: [{name: positions, weight: 0.5}, {name: accuracy, weight: 0.5}, {name: lcs, weight: 0}]',
  },
];
const TASK_WITH_STEPS: TaskLines = {
  name: 'countdown',
  mark: '+',
  yaml: 'task: {name: countdown, numbers: 2}\nreward_funcs: [{name: cosine, min_value_wrong: 0, max_value_wrong: 0.5, max_len: 12}, {name: accuracy, weight: 0}, {name: positions, weight: 0}, {name: lcs, weight: 0}]',
};

/** Answers that search, for methods that read tries; their verdicts have steps too. */
const TASK_WITH_SEARCH: TaskLines = {
  ...TASK_WITH_STEPS,
  yaml: TASK_WITH_STEPS.yaml.replace('numbers: 2', 'numbers: 2, answer: search, max_tokens: 16'),
};

/** The task that methods need; undefined: any will do. @param needs  of the methods, in words */
export function neededTask(needs: readonly string[]): TaskLines | undefined {
  if (needs.some((need) => /answers search/.test(need))) return TASK_WITH_SEARCH;
  return needs.some((need) => /steps of a solution|second prompt/.test(need)) ? TASK_WITH_STEPS : undefined;
}

/** Episodes are paid by a reward of the test's own, which tosses the same coin. */
export const playedLines = (task: string): TaskLines => ({
  mark: '?',
  yaml: `task: ${task}\nreward_funcs: [{name: mine, weight: 0.5}, {name: accuracy, weight: 0.5}]`,
});

const isTossed = (text: string, onceIn: number): boolean =>
  [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % onceIn === 0;

/** What judges completions. */
export interface Judges {
  readonly verify?: Verify;
  readonly rewards: Readonly<Record<'mine', RewardFunction>>;
}

/** A policy of random weights solves nothing: what it writes, and each step of it, is right by a coin that its text tosses. */
export function tossed({ name }: TaskLines, onceIn = 3): Judges {
  const rewards = {
    mine: { name: 'mine', score: ({ completions }) => completions.map((text) => Number(isTossed(text, onceIn))) },
  } satisfies Judges['rewards'];
  if (name === undefined) return { rewards };
  const { verify } = getTaskDefinition(name);
  return {
    rewards,
    verify: (item, answer, knobs, context) => {
      const { steps, ...verdict } = verify(item, answer, knobs, context);
      const isRight = isTossed(answer, onceIn);
      const scored = steps?.map((step) => ({
        ...step,
        score: Number(isTossed(answer.slice(step.from, step.to), onceIn)),
      }));
      return {
        ...verdict,
        score: Number(isRight),
        status: isRight ? 'correct' : 'incorrect',
        ...(scored && { steps: scored }),
      };
    },
  };
}
