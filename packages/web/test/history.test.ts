/** The curves that the page draws: the steps as they are, and of a long run no more points than a chart has room for. */
import { describe, expect, it } from 'vitest';
import { History, MOST_POINTS } from '../../../web/src/history.ts';

const STAGES = [
  { stage: 'sft', maxSteps: 10 },
  { stage: 'grpo', maxSteps: 1_000_000 },
] as const;

function line(step: number, reward: number | null): Record<string, unknown> {
  return { stage: 'grpo', step, step_time: 0.1, reward, entropy: 1 };
}

function historyOf(steps: number, reward: (step: number) => number | null): History {
  return new History(
    STAGES,
    Array.from({ length: steps }, (_, i) => line(i + 1, reward(i + 1))),
  );
}

describe('a history', () => {
  it('has a point a step, placed behind the stages before', () => {
    const history = historyOf(MOST_POINTS, (step) => step);
    expect(history.x).toHaveLength(MOST_POINTS);
    expect([history.x[0], history.step]).toEqual([11, 10 + MOST_POINTS]);
    expect(history.curves.reward[2]).toBe(3);
    expect(history.curves.kl.every((value) => value === null)).toBe(true);
  });

  it.each([1, 7, 1000, 99_999])('of %i steps more has points of equal weight, all steps in one of them', (more) => {
    const steps = MOST_POINTS + more;
    const history = historyOf(steps, (step) => step);
    const { x, curves } = history;
    expect(x.length).toBeLessThanOrEqual(MOST_POINTS);
    expect(x.length).toBeGreaterThan(MOST_POINTS / 2);
    expect(history.step).toBe(10 + steps);
    expect(history.latest.reward).toBe(steps);
    const ends = x.map((at) => at - 10);
    const means = ends.map((end, i) => ((ends[i - 1] ?? 0) + 1 + end) / 2);
    for (const [i, mean] of means.entries()) expect(curves.reward[i]).toBeCloseTo(mean, 6);
    const widths = ends.map((end, i) => end - (ends[i - 1] ?? 0));
    expect(new Set(widths.slice(0, -1)).size).toBe(1);
    expect(widths.at(-1)).toBeLessThanOrEqual(widths[0] as number);
  });

  it('averages the steps that have a value', () => {
    const history = historyOf(2 * MOST_POINTS, (step) => (step % 4 === 1 ? 8 : null));
    expect(history.curves.reward.slice(0, 4)).toEqual([8, null, 8, null]);
    expect(history.latest.reward).toBe(8);
  });

  it('has the mean over all batches of a step, those included that taught nothing', () => {
    const dead = { stage: 'grpo', step: 2, batch: 'dead', reward: 0, num_tokens: 10 };
    const history = new History(STAGES, [line(1, 0.5), dead, dead]);
    expect([history.step, history.curves.reward]).toEqual([11, [0.5, 0]]);
    for (const one of [line(2, 0.75), line(3, 1)])
      history.hear({ type: 'step', stage: 'grpo', step: one.step, metrics: one } as never);
    expect([history.step, history.x, history.curves.reward]).toEqual([13, [11, 12, 13], [0.5, 0.25, 1]]);
  });

  it('has pass@K of evaluations with several samples', () => {
    const share = (name: string, mean: number) => ({
      [name]: mean,
      [`${name}_low`]: mean - 0.1,
      [`${name}_high`]: mean + 0.1,
    });
    const at = (k: number) => ({
      ...{ stage: 'grpo', step: 0, evaluation: 'baseline', ...share('eval_accuracy', 0.5) },
      ...{ ...share(`eval_mean@${k}`, 0.4), ...share(`eval_pass@${k}`, 0.7) },
    });
    expect(new History(STAGES, [at(4)]).accuracies[0]?.pass).toMatchObject({
      mean: 0.7,
      low: 0.7 - 0.1,
      high: 0.7 + 0.1,
    });
    expect(new History(STAGES, [at(1)]).accuracies[0]?.pass).toBeNull();
  });

  it('forgets steps that are taken again', () => {
    const history = historyOf(3 * MOST_POINTS, () => 0);
    const { revisions } = history;
    const before = revisions.reward;
    history.hear({ type: 'step', stage: 'grpo', step: 1000, metrics: line(1000, 1) } as never);
    expect(history.step).toBe(1010);
    expect(history.x.every((x, i) => i === 0 || x > (history.x[i - 1] as number))).toBe(true);
    expect(history.curves.reward.at(-1)).toBe(1);
    expect(history.curves.reward).toHaveLength(history.x.length);
    expect(revisions.reward).toBe(before + 1);
  });

  it('keeps the first and the last of many evaluations', () => {
    const evaluation = (step: number) => ({ stage: 'grpo', step, evaluation: 'regular', eval_accuracy: step });
    const lines = Array.from({ length: 5000 }, (_, i) => evaluation(i));
    const { accuracies, revisions } = new History(STAGES, lines);
    expect(accuracies.length).toBeLessThanOrEqual(MOST_POINTS);
    expect([accuracies[0]?.greedy.mean, accuracies.at(-1)?.greedy.mean]).toEqual([0, 4999]);
    expect(revisions.accuracy).toBe(5000);
  });
});
