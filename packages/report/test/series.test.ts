import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/run/json.ts';
import { CurveReader, evenly } from '../series.ts';
import { readCurves } from './read_curves.ts';
import { evaluation, step } from './run_directory.ts';

const SFT_GRPO = [{ stage: 'sft' }, { stage: 'grpo' }];
const steps = (stage: 'sft' | 'grpo', count: number, more: (n: number) => JsonObject = () => ({})): JsonObject[] =>
  Array.from({ length: count }, (_, i) => step(stage, i + 1, more(i + 1)));

describe('the curves of a run', () => {
  it('are cut into stages, with time running on', () => {
    const { stages } = readCurves([...steps('sft', 4), ...steps('grpo', 2)], SFT_GRPO);
    expect(stages.map(({ stage, index, steps: of, seconds }) => ({ stage, index, of, seconds }))).toEqual([
      { stage: 'sft', index: 0, of: [1, 2, 3, 4], seconds: [0.5, 1, 1.5, 2] },
      { stage: 'grpo', index: 1, of: [1, 2], seconds: [2.5, 3] },
    ]);
  });

  it('have the mean over all batches of a step, those included that taught nothing', () => {
    const dead = { step: 2, stage: 'grpo', batch: 'dead', reward: 0, num_tokens: 150 };
    const [first, second] = steps('grpo', 2, (n) => ({ reward: n / 2 }));
    const planned = [{ stage: 'grpo' }, { stage: 'grpo' }];
    const before = readCurves([first, dead, dead], planned).stages[0];
    expect([before?.taken, before?.steps, before?.metrics.reward]).toEqual([1, [1, 2], [0.5, 0]]);
    const { stages } = readCurves([first, dead, dead, second, { ...dead, step: 1 }, first], planned);
    expect(stages.map(({ taken, steps: of, metrics: { reward } }) => [taken, of, reward])).toEqual([
      [2, [1, 2], [0.5, 0.33333]],
      [1, [1], 0.25],
    ]);
    expect(stages[0]?.metrics.tokens_per_second).toEqual(200);
  });

  it('tell two stages of a kind apart by their steps, and a third by its baseline', () => {
    const planned = [{ stage: 'grpo' }, { stage: 'grpo' }, { stage: 'grpo' }];
    const lines = [
      ...steps('grpo', 3),
      ...steps('grpo', 1),
      evaluation('grpo', 0, 'baseline', 0.5),
      ...steps('grpo', 2),
    ];
    const { stages, evaluations } = readCurves(lines, planned);
    expect(stages.map(({ steps: of }) => of)).toEqual([[1, 2, 3], [1], [1, 2]]);
    expect(evaluations[0]?.stage).toBe(2);
  });

  it.each(['periodic', 'final'])('place a %s evaluation behind its step, and a baseline before all', (moment) => {
    const own = [evaluation('grpo', 2, moment, 0.5), step('grpo', 2)];
    const lines = [
      evaluation('grpo', 0, 'baseline', 0.25),
      step('grpo', 1),
      ...(moment === 'final' ? own.reverse() : own),
      step('grpo', 3), // a finished run may go on
    ];
    const { evaluations } = readCurves(lines, [{ stage: 'grpo' }]);
    expect(evaluations).toEqual([
      {
        stage: 0,
        step: 0,
        seconds: 0,
        tokens: 0,
        greedy: [0.25, 0.2, 0.3],
        sampled: [0.125, 0.075, 0.175],
        pass: [0.25, 0.2, 0.3],
        samples: 4,
        runtime: null,
      },
      {
        stage: 0,
        step: 2,
        seconds: 1,
        tokens: 200,
        greedy: [0.5, 0.45, 0.55],
        sampled: [0.25, 0.2, 0.3],
        pass: [0.5, 0.45, 0.55],
        samples: 4,
        runtime: null,
      },
    ]);
  });

  it('of a long run are means of neighbouring steps', () => {
    const { stages } = readCurves(
      steps('grpo', 4_000, (n) => ({ reward: n })),
      [{ stage: 'grpo' }],
    );
    const [{ stepsPerPoint, steps: of, metrics }] = stages;
    expect(stepsPerPoint).toBe(4);
    expect(of.slice(0, 2)).toEqual([4, 8]);
    expect(of.at(-1)).toBe(4_000);
    expect((metrics.reward as number[]).slice(0, 2)).toEqual([2.5, 6.5]);
  });

  it('that grow line by line are those of the whole log', () => {
    const lines = steps('grpo', 3_500, (n) => ({
      reward: n,
      num_tokens: 100 * Math.ceil(n / 3),
      ...(n > 1_000 && { kl: n % 2 === 0 ? 'NaN' : n }),
    }));
    const growing = new CurveReader([{ stage: 'grpo' }]);
    for (const [i, line] of lines.entries()) {
      growing.read(line);
      if (i % 500 === 0) growing.curves();
    }
    const { stages } = growing.curves();
    expect(stages).toEqual(readCurves(lines, [{ stage: 'grpo' }]).stages);
    const { kl, tokens_per_second: rates } = stages[0]!.metrics;
    expect((kl as number[]).slice(249, 252)).toEqual([null, 1002, 1006]);
    // Every third step draws 100 tokens, for three steps of half a second.
    expect((rates as number[])[10]).toBeCloseTo(100 / 1.5, 2);
  });

  it('have the numbers of steps as they are, beyond 100,000 too', () => {
    const lines = [step('grpo', 123_456), step('grpo', 123_457)];
    expect(readCurves(lines, [{ stage: 'grpo' }]).stages[0]?.steps).toEqual([123_456, 123_457]);
  });

  it('leave a gap for NaN, and hold one number for what never changes', () => {
    const lines = steps('grpo', 3, (n) => ({ loss: n === 2 ? 'NaN' : n, kl: 0 }));
    const { metrics } = readCurves(lines, [{ stage: 'grpo' }]).stages[0]!;
    expect(metrics.loss).toEqual([1, null, 3]);
    expect(metrics.kl).toBe(0);
  });

  it('count the tokens of a batch over all steps that work on it', () => {
    const lines = [1, 2, 3, 4].map((n) => step('grpo', n, { num_tokens: n < 3 ? 100 : 300 }));
    const { metrics } = readCurves(lines, [{ stage: 'grpo' }]).stages[0]!;
    expect(metrics.tokens_per_second).toEqual([100, null, 200, null]);
  });

  it('mark diagnoses at their stage and steps, a kind once', () => {
    const diagnosis = (at: number): JsonObject => ({ step: at, diagnosis: 'all-dead', message: `said at ${at}` });
    const lines = [
      ...steps('sft', 2),
      evaluation('grpo', 0, 'baseline', 0),
      diagnosis(1),
      step('grpo', 1),
      diagnosis(2),
    ];
    expect(readCurves(lines, SFT_GRPO).diagnoses).toEqual([
      { code: 'all-dead', stage: 1, message: 'said at 1', firstStep: 1, lastStep: 2, times: 2, marks: [1, 2] },
    ]);
  });

  it('know which diagnoses were withdrawn, and hold again', () => {
    const said = (at: number, level: string): JsonObject => ({
      step: at,
      diagnosis: 'below-best',
      level,
      message: level,
    });
    const log = [step('grpo', 1), said(1, 'warning'), step('grpo', 2), said(2, 'withdrawn')];
    const found = (lines: readonly JsonObject[]) => readCurves([...lines], [{ stage: 'grpo' }]).diagnoses[0];
    expect(found(log)).toMatchObject({ message: 'warning', times: 1, withdrawn: 2 });
    expect(found([...log, step('grpo', 3), said(3, 'warning')])).not.toHaveProperty('withdrawn');
  });

  it('of a run that has logged nothing are none', () => {
    expect(readCurves([], SFT_GRPO)).toEqual({ stages: [], evaluations: [], diagnoses: [] });
  });
});

describe('evenly', () => {
  it('keeps the first and the last', () => {
    expect(evenly([0, 1, 2, 3, 4, 5, 6, 7, 8], 3)).toEqual([0, 4, 8]);
    expect(evenly([1, 2], 3)).toEqual([1, 2]);
  });
});

describe('a reader of a long log', () => {
  const metrics = (n: number): JsonObject => ({
    ...Object.fromEntries(Array.from({ length: 8 }, (_, k) => [`m${k}`, (n % 7) + k / 4])),
  });
  /** Each step with an evaluation and a diagnosis. */
  function readTo(reader: CurveReader, from: number, to: number): CurveReader {
    for (let n = from; n < to; n++) {
      reader.read(step('grpo', n + 1, metrics(n)));
      reader.read(evaluation('grpo', n + 1, 'periodic', 0.5));
      reader.read({ step: n + 1, diagnosis: 'dead-groups', level: 'warning', message: 'm' });
    }
    return reader;
  }
  const planned = [{ stage: 'grpo' }];
  const sizeOf = (reader: CurveReader): number => JSON.stringify([reader.state(), reader.curves()]).length;

  it('keeps no more of ten times the steps, evaluations and diagnoses', () => {
    const sizes = [4_000, 40_000].map((count) => sizeOf(readTo(new CurveReader(planned), 0, count)));
    expect(sizes[1]).toBeLessThan(1.5 * Number(sizes[0]));
    const { evaluations, diagnoses, stages } = readTo(new CurveReader(planned), 0, 4_000).curves();
    expect([evaluations[0]?.step, evaluations.at(-1)?.step, stages[0]?.taken]).toEqual([1, 4_000, 4_000]);
    expect(diagnoses[0]).toMatchObject({ firstStep: 1, lastStep: 4_000, times: 4_000 });
    expect([diagnoses[0]?.marks[0], diagnoses[0]?.marks.at(-1), diagnoses[0]?.marks.length]).toEqual([1, 4_000, 100]);
  });

  it('is read on elsewhere from its state, to the same curves', () => {
    for (const count of [0, 5, 1_700, 5_000]) {
      const one = readTo(new CurveReader(planned), 0, count);
      const state = JSON.parse(JSON.stringify(one.state()));
      const other = readTo(CurveReader.from(planned, state), count, count + 300);
      expect(other.curves()).toEqual(readTo(one, count, count + 300).curves());
      expect(other.evaluationLines).toEqual(one.evaluationLines);
      expect(other.seconds).toBe(one.seconds);
    }
  });
});
