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
export const TASK_WITH_STEPS: TaskLines = {
  name: 'countdown',
  mark: '+',
  yaml: 'task: {name: countdown, numbers: 2}\nreward_funcs: [{name: cosine, min_value_wrong: 0, max_value_wrong: 0.5, max_len: 12}, {name: accuracy, weight: 0}, {name: positions, weight: 0}, {name: lcs, weight: 0}]',
};

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
