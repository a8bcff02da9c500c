import { expect, it } from 'vitest';
import { timeLeft } from '../time_left.ts';

const at = (stage: number, step: number, secondsPerEvaluation?: number) =>
  ({ stage, step, secondsPerStep: 2, secondsPerEvaluation }) as const;

it.each([
  // 60 steps, and the evaluations after 50, 75 and 100: the last of them is the final one.
  ['steps and evaluations', [{ stage: 'grpo', max_steps: 100, eval_steps: 25 }], at(0, 40, 5), { seconds: 135 }],
  [
    'a final evaluation between two',
    [{ stage: 'grpo', max_steps: 90, eval_steps: 40 }],
    at(0, 40, 5),
    { seconds: 110 },
  ],
  ['the final evaluation alone', [{ stage: 'grpo', max_steps: 100, eval_steps: 0 }], at(0, 100, 5), { seconds: 5 }],
  ['a log without times of evaluations', [{ stage: 'grpo', max_steps: 10 }], at(0, 4), { seconds: 12 }],
  [
    'a stage of another kind ahead, whose pace nobody knows',
    [
      { stage: 'sft', max_steps: 10 },
      { stage: 'grpo', max_steps: 100 },
    ],
    at(0, 4, 5),
    { seconds: 12, next: 'grpo' },
  ],
  [
    'a stage of the same kind ahead',
    [
      { stage: 'grpo', max_steps: 10 },
      { stage: 'grpo', max_steps: 20 },
    ],
    at(0, 10, 5),
    { seconds: 45 },
  ],
] as const)('counts %s', (_, stages, pace, left) => {
  expect(timeLeft(stages, pace)).toEqual(left);
});

it('says nothing before there is a pace', () => {
  expect(timeLeft([{ stage: 'grpo', max_steps: 10 }], { ...at(0, 0), secondsPerStep: undefined })).toBeUndefined();
});
