/** Events of an imagined run, to reduce and to draw. */

import type { EvaluationMoment, TrainEvent } from '../../../../src/grpo/events.ts';
import type { Evaluation, Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import type { StageWork } from '../../../estimate/work.ts';
import { type LiveState, reduce, startState } from '../../display/live/state.ts';

/** 100 supervised steps of 10 rows and 200 grpo steps of 50; evaluations of 100 rows. */
export const WORK: readonly StageWork[] = [
  { stage: 'sft', steps: 100, perStep: 10, evaluations: 1, perEvaluation: 100 },
  { stage: 'grpo', steps: 200, perStep: 50, evaluations: 5, perEvaluation: 100 },
];

/** Tokens write their numbers. */
export const textOf = (tokens: Int32Array): string => tokens.join(' ');

export function stage(index: number, step = 0): TrainEvent {
  const { stage: kind, steps: maxSteps } = WORK[index]!;
  return { type: 'stage', stage: kind, index, step, maxSteps };
}

export function supervisedStep(step: number, seconds = 0.1): TrainEvent {
  const metrics = {
    step,
    stage: 'sft',
    loss: 3 * Math.exp(-step / 30),
    entropy: 2.5 * Math.exp(-step / 40),
    grad_norm: 1.25,
    learning_rate: 2e-3,
    num_tokens: 700 * step,
    step_time: seconds,
  };
  return { type: 'step', stage: 'sft', step, metrics };
}

export function grpoStep(step: number, seconds = 0.5): TrainEvent {
  const metrics = {
    step,
    stage: 'grpo',
    reward: 0.2 + 0.4 * (1 - Math.exp(-step / 60)),
    entropy: 0.9 * Math.exp(-step / 150),
    'completions/mean_length': 12,
    'completions/clipped_ratio': 0.0125,
    frac_reward_zero_std: 0.1875,
    grad_norm: 0.31,
    learning_rate: 3e-4,
    num_tokens: 70_000 + 7000 * step,
    step_time: seconds,
  };
  return { type: 'step', stage: 'grpo', step, metrics };
}

export function evaluation(moment: EvaluationMoment, step: number, greedy: number): TrainEvent {
  const estimate = (mean: number) => ({ mean, low: mean - 0.04, high: mean + 0.04, count: 571 });
  const result: Evaluation = {
    accuracy: estimate(greedy),
    samples: 4,
    meanAtK: estimate(0.8 * greedy),
    passAtK: { 4: estimate(1.2 * greedy) },
    meanLength: 12,
    examples: [],
  };
  return { type: 'evaluation', moment, stage: 'grpo', step, evaluation: result, problems: [], seconds: 1 };
}

export function rollouts(prompt: string, text: string, score = 0): TrainEvent {
  const verdict =
    score === 1
      ? ({ score: 1, status: 'correct', reason: 'reaches the target' } as const)
      : ({ score: 0, status: 'incorrect', reason: '19 is not 20' } as const);
  // Only what the live region reads of a group.
  const group = { item: { prompt }, dead: false, rollouts: [{ text, verdict }] } as unknown as RolloutGroup;
  const groups = [{ ...group, advantages: new Float32Array(1) }];
  return { type: 'rollouts', step: 1, collected: { groups, rounds: 1 }, groups };
}

/** A group of completions, of which those that say `right` have a reward of 1. */
export function rolloutGroups(texts: readonly string[], more: Partial<Rollout> = {}): TrainEvent {
  const rewards = texts.map((text) => (text === 'right' ? 1 : 0));
  const right = { score: 1, status: 'correct', reason: 'reaches the target' } as const;
  const wrong = { score: 0, status: 'incorrect', reason: '19 is not 20' } as const;
  const members = texts.map((text, i) => ({
    text,
    reward: rewards[i],
    verdict: rewards[i] === 1 ? right : wrong,
    ...more,
  }));
  // Only what the live region reads of a group.
  const group = { item: { prompt: '1 2 3 = 6 ?' }, dead: false, rollouts: members } as unknown as RolloutGroup;
  const groups = [{ ...group, advantages: Float32Array.from(rewards, (reward) => 2 * reward - 1.5) }];
  return { type: 'rollouts', step: 1, collected: { groups, rounds: 1 }, groups };
}

export interface Happening {
  readonly event: TrainEvent;
  /** Seconds after the event before. */
  readonly after: number;
}

/** The states after each of some events, the first at second 0. */
export function statesAfter(happenings: readonly Happening[]): LiveState[] {
  let state = startState(WORK, 0, textOf);
  let seconds = 0;
  return happenings.map((happening) => {
    seconds += happening.after;
    state = reduce(state, happening.event, 1000 * seconds);
    return state;
  });
}

export function stateAfter(happenings: readonly Happening[]): LiveState {
  return statesAfter(happenings).at(-1)!;
}

/** A supervised stage with an evaluation of 2 s at its end. */
export const WARM_START: readonly Happening[] = [
  { event: stage(0), after: 0 },
  ...Array.from({ length: 99 }, (_, i) => ({ event: supervisedStep(i + 1), after: 0.1 })),
  { event: evaluation('periodic', 100, 0.3), after: 2.1 },
  { event: supervisedStep(100), after: 0 },
];

/** The middle of the grpo stage; evaluations take 2 s, steps 0.5 s. */
export const MIDDLE: readonly Happening[] = [
  ...WARM_START,
  { event: stage(1), after: 0 },
  { event: evaluation('baseline', 0, 0.349), after: 2 },
  ...Array.from({ length: 120 }, (_, i): Happening[] => {
    const step = i + 1;
    const isDue = step % 50 === 0;
    return [
      { event: rollouts('5 5 2 = 20 ?', '5 + 5 = 10 , 10 * 2 = 20', step % 2), after: 0 },
      ...(isDue ? [{ event: evaluation('periodic', step, 0.349 + step / 1200), after: 2.5 }] : []),
      { event: grpoStep(step), after: isDue ? 0 : 0.5 },
    ];
  }).flat(),
];
