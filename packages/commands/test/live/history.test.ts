import { describe, expect, it } from 'vitest';
import type { TrainEvent } from '../../../../src/grpo/events.ts';
import { evaluationMetrics } from '../../../../src/grpo/metrics.ts';
import type { JsonObject } from '../../../../src/run/json.ts';
import { withHistory } from '../../display/live/history.ts';
import { reduce, tokensPerSecond } from '../../display/live/state.ts';
import { grpoStep, MIDDLE, stage, stateAfter } from './events.ts';

/** A line of metrics.jsonl, as a session writes it. */
function recordOf(event: TrainEvent): JsonObject[] {
  if (event.type === 'step') return [event.metrics];
  if (event.type !== 'evaluation') return [];
  const { step, stage: kind, moment, evaluation } = event;
  return [{ step, stage: kind, evaluation: moment, ...evaluationMetrics(evaluation) }];
}

const LOG = MIDDLE.flatMap(({ event }) => recordOf(event));

describe('a resumed stage', () => {
  const resumed = withHistory(stateAfter([{ event: stage(1, 120), after: 0 }]), LOG);
  const whole = stateAfter(MIDDLE);

  it('has the charts and the figures of one that never stopped', () => {
    const { training, greedy, sampled, accuracy, accuracyRange, metrics } = whole;
    expect(resumed).toMatchObject({ training, greedy, sampled, accuracy, accuracyRange, metrics, step: 120 });
    expect(training.buckets.length).toBeGreaterThan(100);
  });

  it('knows its tokens: the first step tells how many there are per second', () => {
    expect(tokensPerSecond(reduce(resumed, grpoStep(121), resumed.now + 500))).toBeCloseTo(14_000, 0);
  });
});

it('a stage that has just begun has nothing behind it, nor one whose log is of another', () => {
  const { training, greedy } = withHistory(stateAfter([{ event: stage(1), after: 0 }]), LOG.slice(0, 100));
  expect([training.buckets, greedy.buckets]).toEqual([[], []]);
});

it('steps behind the checkpoint do not count, and a log that is cut, or strange, does no harm', () => {
  const state = stateAfter([{ event: stage(1, 50), after: 0 }]);
  const strange: JsonObject[] = [{}, { step: 'x', stage: 'grpo' }, { step: 3, stage: 'grpo', eval_accuracy: null }];
  const { training, step } = withHistory(state, [...strange, ...LOG.slice(130)]);
  expect(step).toBe(50);
  expect(training.buckets.length).toBeLessThanOrEqual(51);
});
