/** What a page replays of a run's logs: an evaluation each, with its figures, time and every third of the answers. */
import { expect, it } from 'vitest';
import { recordedOf } from '../recording.ts';

const answersOf = (right: number) =>
  ['a', 'b', 'c', 'd'].map((prompt, i) => ({
    ...{ prompt, text: `${prompt}!`, length: 2 },
    status: i < right ? 'correct' : 'incorrect',
  }));
const step = (stage: string, at: number) => ({ stage, step: at, step_time: 2 });
const evaluation = (stage: string, at: number, moment: string, share: number) => ({
  ...{ stage, step: at, evaluation: moment, eval_runtime: 1 },
  ...{ eval_accuracy: share, 'eval_mean@4': share / 2 },
});
const METRICS = [
  evaluation('sft', 0, 'baseline', 0),
  step('sft', 1),
  evaluation('sft', 1, 'periodic', 0.25),
  evaluation('grpo', 0, 'baseline', 0.25),
  step('grpo', 1),
  step('grpo', 2),
  evaluation('grpo', 2, 'final', 0.5),
];
const ANSWERS = [
  { stageIndex: 0, step: 0, evaluation: 'baseline', answers: answersOf(0) },
  { stageIndex: 0, step: 1, evaluation: 'periodic', answers: answersOf(1) },
  { stageIndex: 1, step: 0, evaluation: 'baseline', answers: answersOf(1) },
  { stageIndex: 1, step: 2, evaluation: 'final', answers: answersOf(4) },
];

it('has each evaluation once, with its figures and the seconds until it was there', () => {
  const { seconds, prompts, moments } = recordedOf({ metrics: METRICS, answers: ANSWERS, stages: ['sft', 'grpo'] });
  expect(seconds).toBe(10);
  expect(prompts).toEqual(['a', 'd']);
  expect(moments.map(({ answers: _, ...moment }) => moment)).toEqual([
    { stage: 'sft', step: 0, seconds: 1, greedy: 0, sampled: 0 },
    { stage: 'sft', step: 1, seconds: 4, greedy: 0.25, sampled: 0.125 },
    { stage: 'grpo', step: 2, seconds: 10, greedy: 0.5, sampled: 0.25 },
  ]);
  expect(moments.map(({ answers }) => answers.map(({ text, isRight }) => [text, isRight]))).toEqual([
    [
      ['a!', false],
      ['d!', false],
    ],
    [
      ['a!', true],
      ['d!', false],
    ],
    [
      ['a!', true],
      ['d!', true],
    ],
  ]);
});

it('leaves out answers whose figures the log has lost, and is empty of a run without any', () => {
  const { moments } = recordedOf({ metrics: METRICS.slice(0, 1), answers: ANSWERS, stages: ['sft', 'grpo'] });
  expect(moments).toHaveLength(1);
  expect(recordedOf({ metrics: [], answers: [], stages: ['grpo'] })).toEqual({ seconds: 0, prompts: [], moments: [] });
});
