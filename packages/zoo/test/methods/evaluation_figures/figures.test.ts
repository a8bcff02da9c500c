/** Figures of an evaluation, by hand, and against all choices of k samples. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { ProblemRecord } from '../../../../../src/methods/points.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { createFigures } from '../../../../../test/support/everything.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

interface Sample {
  readonly answer?: string;
  readonly isRight?: boolean;
  /** Probability of each of its two tokens. */
  readonly sure?: number;
  readonly failure?: Verdict['failure'];
  readonly parts?: Verdict['parts'];
}

function problem(samples: readonly Sample[], weight = 1): ProblemRecord {
  const verdicts = samples.map(
    ({ answer, isRight = false, failure, parts }): Verdict => ({
      score: isRight ? 1 : 0,
      status: isRight ? 'correct' : failure === undefined ? 'truncated' : 'incorrect',
      reason: '',
      ...(answer !== undefined && { canonical: answer }),
      ...(failure !== undefined && { failure }),
      ...(parts && { parts }),
    }),
  );
  const answers = samples.map(({ answer = '', sure = 0.5 }) => ({
    text: answer,
    tokens: Int32Array.of(1, 2),
    logprob: 2 * Math.log(sure),
  }));
  const turns = samples.map(() => []);
  return {
    key: 'a',
    weight,
    prompt: 'a',
    answer: '7',
    greedy: verdicts[0],
    samples: verdicts,
    turns,
    greedyAnswer: answers[0],
    answers,
  };
}

function figure(options: string, ...problems: readonly ProblemRecord[]): { name: string; mean: number } {
  const samples = problems[0]?.samples.length ?? 4;
  const [own] = createFigures(stageOf(`evaluation_figures: [{${options}}]`, `num_generations_eval: ${samples}`));
  return { name: own.name, mean: problems.length === 0 ? Number.NaN : own.of(problems).mean };
}

const right = (answer: string, sure?: number): Sample => ({ answer, isRight: true, ...(sure && { sure }) });
const wrong = (answer: string, sure?: number): Sample => ({ answer, failure: 'wrong_value', ...(sure && { sure }) });

describe('votes', () => {
  const split = problem([right('7'), right('7'), wrong('8', 0.9), wrong('9', 0.2)]);

  it('maj@k takes the commonest answer, and of a draw its share', () => {
    expect(figure('name: maj-k, k: 4', split)).toEqual({ name: 'maj@4', mean: 1 });
    expect(figure('name: maj-k, k: 1', split).mean).toBeCloseTo(0.5, 12);
    expect(figure('name: maj-k, k: 2', split).mean).toBeCloseTo((1 + 4 * 0.5) / 6, 12);
  });

  it('weighted_maj lets a sure sample count more than two that are not', () => {
    expect(figure('name: weighted-maj', split)).toEqual({ name: 'weighted_maj@4', mean: 1 });
    const unsure = problem([right('7', 0.3), right('7', 0.3), wrong('8', 0.9), wrong('9', 0.2)]);
    expect(figure('name: weighted-maj', unsure).mean).toBe(0);
    expect(figure('name: weighted-maj', split, { ...unsure, weight: 3 }).mean).toBeCloseTo(0.25, 12);
    expect(figure('name: weighted-maj', problem([{}, {}])).mean).toBe(0);
  });
});

describe('of the way', () => {
  it('m-length tells right from wrong, beside the limit', () => {
    const mixed = problem([right('7'), wrong('88'), { answer: '' }]);
    const long = {
      ...mixed,
      answers: mixed.answers.map((own, i) => ({ ...own, tokens: new Int32Array([1, 4, 8][i]) })),
    };
    expect(figure('name: m-length, show: right', long)).toEqual({ name: 'length/right', mean: 1 / 8 });
    expect(figure('name: m-length, show: wrong', long).mean).toBe(6 / 8);
    expect(figure('name: m-length, show: truncated', long).mean).toBeCloseTo(1 / 3, 12);
    expect(figure('name: m-length', problem([wrong('1')])).mean).toBe(0);
  });

  it('m-process reads a sub-score, and what is right without all of it', () => {
    const own = problem([{ isRight: true, parts: { trace: 1 } }, { isRight: true, parts: { trace: 0.5 } }, { parts: { trace: 0.75 } }, {}]); // biome-ignore format: one line
    expect(figure('name: m-process, part: trace', own)).toEqual({ name: 'process/trace', mean: 2.25 / 4 });
    expect(figure('name: m-process, part: trace, show: whole', own).mean).toBe(1 / 4);
    expect(figure('name: m-process, part: trace, show: gap', own).mean).toBe(1 / 4);
  });

  it('m-cot-pass counts what is right by true equations', () => {
    const own = problem([right('3+4 = 7'), right('3+5 = 7'), wrong('8'), wrong('9')]);
    expect(figure('name: m-cot-pass, k: 1', own)).toEqual({ name: 'cot_pass@1', mean: 1 / 4 });
    expect(figure('name: m-cot-pass, k: 2', own).mean).toBe(1 / 2); // 1 − C(3, 2)/C(4, 2)
    expect(figure('name: m-cot-pass, show: flawed', own).mean).toBe(1 / 2);
    expect(figure('name: m-cot-pass, show: flawed', problem([wrong('8')])).mean).toBe(0);
  });

  it('m-behaviour finds whole words, in any case', () => {
    const own = problem([right('Let me check: 7'), right('checkers'), right('7'), right('recheck')]);
    expect(figure('name: m-behaviour', own)).toEqual({ name: 'behaviour/verify', mean: 1 / 4 });
    expect(figure('name: m-behaviour, show: backtrack, words: ["7"]', own).mean).toBe(1 / 2);
  });

  it('m-bias is the distance of the distributions of given and of right answers', () => {
    const A = problem([right('A'), wrong('A')]);
    const own = [
      { ...A, answer: 'A' },
      { ...A, answer: 'B' },
    ];
    expect(figure('name: m-bias', ...own)).toEqual({ name: 'answer_bias', mean: 1 / 2 });
    const even = [{ ...problem([right('A'), wrong('B')]), answer: 'A' }, { ...problem([right('B'), wrong('A')]), answer: 'B' }]; // biome-ignore format: one line
    expect(figure('name: m-bias', ...even).mean).toBe(0);
  });
});

it('best_of@k is the mean over all choices of k samples of whether the surest is right', () => {
  const rng = rngFor('best of k');
  for (let trial = 0; trial < 12; trial++) {
    const n = rng.int(1, 7);
    const samples = Array.from(
      { length: n },
      (_, i): Sample => ({
        answer: String(i),
        sure: rng.float() + 1e-3,
        ...(rng.float() < 0.5 ? { isRight: true } : { failure: 'wrong_value' }),
      }),
    );
    for (let k = 1; k <= n; k++) {
      let [sum, count] = [0, 0];
      for (let mask = 0; mask < 2 ** n; mask++) {
        const chosen = samples.filter((_, i) => (mask >> i) & 1);
        if (chosen.length !== k) continue;
        const surest = chosen.reduce((most, one) => ((one.sure ?? 0) > (most.sure ?? 0) ? one : most));
        sum += Number(surest.isRight === true);
        count++;
      }
      expect(figure(`name: best-of-k, k: ${k}`, problem(samples)).mean).toBeCloseTo(sum / count, 10);
    }
  }
});

it('counts different answers, failures, and how far probabilities are from being right', () => {
  const all = problem([right('7'), right('7'), right('3+4'), wrong('8')]);
  expect(figure('name: m-diversity', all)).toEqual({ name: 'distinct_right', mean: 0.5 });
  expect(figure('name: m-diversity, show: all', all)).toEqual({ name: 'distinct_answers', mean: 0.75 });
  const failing = problem([wrong('1'), wrong('2'), { failure: 'bad_format' }, {}]);
  expect(figure('name: failure-class, failure: wrong_value', failing)).toEqual({
    name: 'failures/wrong_value',
    mean: 0.5,
  });
  expect(figure('name: failure-class, failure: truncated', failing).mean).toBe(0.25);
  const sure = problem([right('1', 0.9), wrong('2', 0.4)]);
  expect(figure('name: m-calibration', sure).mean).toBeCloseTo((0.01 + 0.16) / 2, 12);
});

it.each(['pass-hat-k', 'maj-k', 'best-of-k'])('%s needs as many samples as it speaks of', (name) => {
  const figures = () =>
    createFigures(stageOf(`evaluation_figures: [{name: ${name}, k: 5}]`, 'num_generations_eval: 4'));
  expect(figures).toThrow(`${name}.k: 5 — needs 5 samples`);
});

describe('m-gen-levels', () => {
  const at = (level: number, rightOnes: number, weight = 1): ProblemRecord => ({
    ...problem(
      [0, 1].map((i) => (i < rightOnes ? right('7') : wrong('8'))),
      weight,
    ),
    level,
  });
  const problems = [at(1, 2), at(2, 2), at(3, 1), at(4, 1), at(7, 0, 3), at(9, 1, 1)];

  it('is the mean of the problems of a third of the levels, by weight', () => {
    const of = (third: string): number => figure(`name: m-gen-levels, third: ${third}`, ...problems).mean;
    expect([of('low'), of('middle')]).toEqual([1, 0.5]);
    expect(of('high')).toBeCloseTo(0.125, 12);
  });

  it('is that of all problems where a task has no levels', () => {
    const none = problems.map(({ level: _, ...rest }) => rest);
    expect(figure('name: m-gen-levels', ...none).mean).toBeCloseTo((1 + 1 + 0.5 + 0.5 + 0 + 0.5) / 8, 12);
  });
});

describe('m-selfverify', () => {
  const said = (record: ProblemRecord, ...affirmed: readonly number[]): ProblemRecord => ({
    ...record,
    answers: record.answers.map((answer, i) => ({ ...answer, affirmed: affirmed[i] })),
  });
  // Of three right ones it calls two right, of three wrong ones one.
  const first = said(problem([right('7'), right('7'), wrong('8'), wrong('8')]), 0.9, 0.2, 0.6, 0.1);
  const second = said(problem([right('7'), wrong('9')]), 0.7, 0.3);

  it('pools its verdicts over the problems', () => {
    expect(figure('name: m-selfverify', first, second)).toMatchObject({ name: 'self_verify/f1' });
    expect(figure('name: m-selfverify', first, second).mean).toBeCloseTo((2 * 2) / (2 * 2 + 1 + 1), 12);
    expect(figure('name: m-selfverify, show: true_positive_rate', first, second).mean).toBeCloseTo(2 / 3, 12);
    expect(figure('name: m-selfverify, show: true_negative_rate', first, second).mean).toBeCloseTo(2 / 3, 12);
  });

  it('at a sureness of almost 0 calls every answer right, at more than all none', () => {
    expect(figure('name: m-selfverify, show: true_positive_rate, sure: 1.0e-9', first, second).mean).toBe(1);
    expect(figure('name: m-selfverify, show: true_negative_rate, sure: 1.0e-9', first, second).mean).toBe(0);
    expect(figure('name: m-selfverify, show: true_negative_rate, sure: 1', first, second).mean).toBe(1);
  });

  it('votes by opinion, which is the plain vote where all opinions are alike', () => {
    const split = problem([right('7'), wrong('8'), wrong('8'), right('7'), wrong('8')]);
    expect(figure('name: m-selfverify, show: vote', said(split, 0.5, 0.5, 0.5, 0.5, 0.5)).mean).toBe(0);
    expect(figure('name: m-selfverify, show: vote', said(split, 0.9, 0.2, 0.2, 0.9, 0.2)).mean).toBe(1);
  });

  it('takes problems of a difficulty, and says what is not known', () => {
    const hard = figure('name: m-selfverify, show: coverage, sure: 0.8, highest: 0.4', first, second);
    expect(hard).toEqual({ name: 'self_verify/coverage/0-0.4', mean: 0 });
    expect(figure('name: m-selfverify, show: coverage, sure: 0.8', first, second).mean).toBe(0.5);
    expect(figure('name: m-selfverify', problem([right('7'), wrong('8')])).mean).toBe(0);
  });
});

describe('label-audit', () => {
  const doubted = problem([wrong('8'), wrong('8'), wrong('8'), wrong('8')], 3);
  const divided = problem([wrong('8'), wrong('8'), wrong('8'), wrong('9')]);
  const solved = problem([right('7'), wrong('8'), wrong('8'), wrong('8')]);
  const cutOff = problem([{ answer: '8' }, { answer: '8' }, { answer: '8' }, { answer: '8' }]);

  it('is the weighted share of problems whose samples agree on one wrong answer', () => {
    expect(figure('name: label-audit', doubted, divided, solved, cutOff).mean).toBeCloseTo(3 / 6, 12);
    expect(figure('name: label-audit, agreement: 0.75', doubted, divided, solved, cutOff).mean).toBeCloseTo(5 / 6, 12);
  });

  it('of one problem is at most 1 − the share of its right samples', () => {
    expect(figure('name: label-audit, agreement: 0.51', solved).mean).toBe(1);
    expect(figure('name: label-audit, agreement: 0.8', solved).mean).toBe(0);
  });
});
